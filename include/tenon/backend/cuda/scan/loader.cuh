// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which columns of a tile each thread of the scan skeletons has, and how they are loaded.

#include "tenon/backend/cuda/parts/row_context.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// Every load of elements, as it lies in memory.
template <class Program, int V, int Items> struct element_loads {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  template <int K> static constexpr bool holds = at<K>::is_load&& at<K>::where == place::element;
  template <int K> using type = vector_list<storage_t<at<K>::type>, V, Items>;
};

// Element i of item u of lane l of warp w is column ((w * Items + u) * 32 + l) * V + i of a tile.
// @pre the columns have one axis
template <class Program, int V, int Items, class Arguments>
struct scan_loader : row_context<Program, Arguments> {
  using base = row_context<Program, Arguments>;
  using base::a;
  using base::where;
  using typename base::traits;
  template <int K> using at = typename traits::template at<K>;
  using base::base;

  static __device__ __forceinline__ long long tile_size() {
    return static_cast<long long>(blockDim.x) * (V * Items);
  }
  // This thread's first column of the tile that begins at `first`.
  static __device__ __forceinline__ long long own(long long first) {
    unsigned const lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    return first + (warp * Items * 32u + lane) * V;
  }
  static constexpr int item_step = 32 * V;

  // Whether the tile that begins at `first` is one of whole vectors of every operand, which needs
  // no look at single columns: half the instructions.
  __device__ __forceinline__ bool is_whole(long long first) const {
    return a.is_packed && first + tile_size() <= a.columns.size;
  }

  // Loads a tile; what is beyond the end of the columns is 0.
  template <class Selected, class Tile>
  __device__ __forceinline__ void load(Tile& raw, long long first) const {
    long long const mine = own(first), size = a.columns.size;
    if (is_whole(first)) {
      for_each_selected<Program, Selected>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        using I = at<k>;
        storage_t<I::type> const* from = load_address<Program, k>(a, where.loads[I::bits] + mine);
#pragma unroll
        for (int u = 0; u < Items; ++u)
          load_packed<reuse::expected>(read_register<k>(raw).at[u], from + u * item_step);
      });
      return;
    }
    for_each_selected<Program, Selected>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = at<k>;
      using T = storage_t<I::type>;
      auto& to = read_register<k>(raw).at;
      long long const step = a.load_columns[I::bits][0];
      T const* from = load_address<Program, k>(a, where.loads[I::bits]);
      bool const is_packed = a.load_access[I::bits] == access::packed;
#pragma unroll
      for (int u = 0; u < Items; ++u) {
        long long const at_item = mine + u * item_step;
        to[u] = {};
        load_packed<reuse::expected>(to[u], from + at_item, is_packed && at_item + V <= size);
      }
      if (is_packed && a.tail == 0) return;
#pragma unroll 1
      for (int i = 0; i < V; ++i)
#pragma unroll
        for (int u = 0; u < Items; ++u) {
          long long const at_item = mine + u * item_step;
          if (is_packed && at_item + V <= size) continue;
          packed<T, 1> one{};
          load_packed<reuse::expected>(one, from + (at_item + i) * step, at_item + i < size);
          push_element(to[u], one);
        }
    });
  }
};

}  // namespace tenon::detail
#endif
