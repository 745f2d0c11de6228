// SPDX-License-Identifier: Apache-2.0
#pragma once
// The vectors of a thread, or its single elements, of rows whose positions need not lie evenly →
// registers: all are under way together.

#include "tenon/backend/cuda/columns/arguments.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// Where the vectors of the selected operands lie.
template <class Selected, int Items> struct vector_places : Selected {
  template <int K> using type = value_list<long long, Items>;
};

// Loads the positions of `slice` from `first` on, Items at most, blockDim.y apart; what is not
// inside is 0. Where they lie is found in a loop unless they lie evenly.
// @pre every vector is one access
template <class Program, class Selected, int Items, class Slice, class Tile>
__device__ __forceinline__ void load_at_places(Slice const& slice, Tile& loaded, long long first,
                                               long long end) {
  auto const& a = slice.a;
  int const height = static_cast<int>(blockDim.y),
            left = slice.part.is_empty() ? 0 : Slice::positions_left(first, end);
  selected_registers<Program, vector_places<Selected, Items>> places;
  if (a.is_plain)
    for_each_selected<Program, Selected>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename program_traits<Program>::template at<k>;
      long long const stride = a.load_steps[I::bits];
#pragma unroll
      for (int u = 0; u < Items; ++u)
        read_register<k>(places).at[u] =
            slice.offsets.loads[I::bits] + first * stride + u * (height * stride);
    });
  else
#pragma unroll 1
    for (int u = 0; u < Items; ++u) {
      operand_offsets<Program> where;
      slice.template find_position<Selected>(where, u * height < left ? first + u * height : 0);
      for_each_selected<Program, Selected>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        auto& all = read_register<k>(places).at;
#pragma unroll
        for (int i = 1; i < Items; ++i) all[i - 1] = all[i];
        all[Items - 1] = where.loads[program_traits<Program>::template at<k>::bits];
      });
    }
  for_each_selected<Program, Selected>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
#pragma unroll
    for (int u = 0; u < Items; ++u) {
      auto& to = read_register<k>(loaded).at[u];
      to = {};
      load_packed<read_once<Program>>(
          to, load_address<Program, k>(a, read_register<k>(places).at[u]), u * height < left);
    }
  });
}

}  // namespace tenon::detail
#endif
