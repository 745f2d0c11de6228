// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operands that a thread of the columns skeleton needs at each of its positions → registers, from
// one position to the next: where they lie is found once.

#include "tenon/backend/cuda/columns/places.cuh"
#include "tenon/backend/cuda/parts/repeated_vectors.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// What is selected and the same in some rows.
template <class Program, class Selected> struct of_some_rows : Selected {
  static consteval bool holds(int k) {
    return Selected::holds(k) && program_traits<Program>::all[k].is_of_some_rows;
  }
};

// @pre is_even, and the thread has all of its rows
template <class Program, class Selected, int V> struct followed_loads {
  columns_arguments<Program> const& a;
  selected_registers<Program, vector_places<Program, Selected, 1>> places;

  // From position `first` on.
  __device__ __forceinline__ followed_loads(columns_arguments<Program> const& all,
                                            operand_offsets<Program> const& offsets,
                                            long long first)
      : a(all) {
    for_each_selected<Program, Selected>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename program_traits<Program>::template at<k>;
      read_register<k>(places).at[0] =
          load_address<Program, k>(a, offsets.loads[I::bits] + first * a.load_steps[I::bits]);
    });
  }
  // Whether all that some rows share is one element for the thread's rows.
  __device__ __forceinline__ bool are_ones() const {
    bool result = true;
    for_each_selected<Program, of_some_rows<Program, Selected>>([&](auto selected) {
      using I = typename program_traits<Program>::template at<decltype(selected)::value>;
      result = result && a.load_along[I::bits] == 0;
    });
    return result;
  }
  // Of the thread's next `Items` positions, of which `left` are inside; IsFull: all of them.
  // AreOnes: are_ones is known.
  template <int Items, bool IsFull, bool AreOnes, class Tile>
  __device__ __forceinline__ void take(Tile& tile, int left) {
    for_each_selected<Program, Selected>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename program_traits<Program>::template at<k>;
      auto& to = read_register<k>(tile).at;
      auto& place = read_register<k>(places).at[0];
      long long const step = static_cast<int>(blockDim.y) * a.load_steps[I::bits];
      bool const is_one = I::is_of_some_rows && (AreOnes || a.load_along[I::bits] == 0);
#pragma unroll
      for (int u = 0; u < Items; ++u, place += step) {
        bool const is_inside = IsFull || u < left;
        if (is_one) {
          packed<storage_t<I::type>, 1> one{};
          load_packed<reuse::expected>(one, place, is_inside);
          to[u] = splat<V>(one);
        } else {
          if (!IsFull) to[u] = {};
          load_packed<read_once<Program>>(to[u], place, is_inside);
        }
      }
    });
  }
};

}  // namespace tenon::detail
#endif
