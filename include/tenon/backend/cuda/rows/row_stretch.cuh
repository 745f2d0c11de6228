// SPDX-License-Identifier: Apache-2.0
#pragma once
// A block's share of a row in shared memory: asked for all at once, read there by every sweep.

#include "tenon/backend/cuda/parts/async_copy.cuh"
#include "tenon/backend/cuda/parts/dynamic_shared.cuh"
#include "tenon/backend/cuda/parts/long_chains.cuh"
#include "tenon/backend/cuda/parts/misaligned_access.cuh"
#include "tenon/backend/cuda/parts/whole_move.cuh"
#include "tenon/backend/cuda/rows/next_row.cuh"
#include "tenon/backend/cuda/rows/odd_memory.cuh"
#include "tenon/backend/cuda/rows/own_loads.cuh"
#include "tenon/backend/cuda/rows/staged_items.cuh"

namespace tenon::detail {

// Slots of [load][step][thread], of a vector each. Only the thread whose slot it is uses it, so
// that no barrier is needed.
template <class Program, class C> struct row_stretch {
  static constexpr int v = C::vector_width, items = C::items;
  // Tiles that it may have: a chain of additions is not carried over.
  static constexpr int most_tiles = items > 4 ? most_chained * 4 / items : most_chained;
  using own = own_loads<Program, C>;
  template <int K> using at = typename program_traits<Program>::template at<K>;
  template <int K> using vector = packed<storage_t<at<K>::type>, v>;
  // Of a vector of each load.
  static constexpr int bytes = bytes_among<Program, own>(program_traits<Program>::size) * v;
  // The same of what all rows share, where it may wait for the last sweep beside the row. Of two
  // bytes an element it gained nothing: H200, layer norm of 4 x 262144 bf16 6.2 us with and
  // without, of 32 x 131072 14.8 and 11.4. Where much is computed there is less to wait for.
  using shared = shared_loads<Program, C>;
  static constexpr int shared_bytes =
      has_short_elements<Program> || program_traits<Program>::has_late ||
              program_traits<Program>::has_total || program_traits<Program>::has_repeated ||
              element_operands<Program>::has_much_arithmetic
          ? 0
          : bytes_among<Program, shared>(program_traits<Program>::size) * v;

#if defined(__CUDA_ARCH__)
  int steps, lanes;

  template <int K> __device__ __forceinline__ vector<K>* slot(int step) const {
    constexpr int before = bytes_among<Program, own>(K) * v;
    return reinterpret_cast<vector<K>*>(dynamic_shared() + before * (steps * lanes)) +
           step * lanes + threadIdx.x;
  }
  // Asks for the tile that begins with `step`; what is outside becomes 0.
  template <class Arguments>
  __device__ __forceinline__ void ask(Arguments const& a, operand_offsets<Program> const& row,
                                      item_positions<int> const& positions, int step,
                                      bool is_inside) const {
    auto const where = positions.from(step);
    for_each_selected<Program, own>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      auto const* from = load_address<Program, k>(a, row.loads[at<k>::bits]) +
                         static_cast<long long>(where.first) * v;
#pragma unroll
      for (int u = 0; u < items; ++u)
        copy_or_clear<vector<k>::bytes>(slot<k>(step + u), from + where.template offset<v>(u),
                                        is_inside && where.is_whole(u));
    });
    end_of_copies();
  }
  // Asks for all of it.
  template <class Arguments>
  __device__ __forceinline__ void bring(Arguments const& a, operand_offsets<Program> const& row,
                                        item_positions<int> const& positions,
                                        bool is_inside) const {
#pragma unroll 1
    for (int step = 0; step < steps; step += items) ask(a, row, positions, step, is_inside);
    if constexpr (shared_bytes > 0)
      if (a.split.keeps_shared) ask_shared(a, positions);
    end_asking();
  }
  // What all rows share is behind the row's vectors.
  template <int K> __device__ __forceinline__ vector<K>* shared_slot() const {
    constexpr int before = bytes + bytes_among<Program, shared>(K) * v;
    return reinterpret_cast<vector<K>*>(dynamic_shared() + before * (steps * lanes)) + threadIdx.x;
  }
  template <class Arguments>
  __device__ __forceinline__ void ask_shared(Arguments const& a,
                                             item_positions<int> const& positions) const {
    for_each_selected<Program, shared>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      auto const* from =
          load_address<Program, k>(a, 0) + static_cast<long long>(positions.first) * v;
#pragma unroll 1
      for (int step = 0; step < steps; ++step, from += lanes * v)
        copy_or_clear<vector<k>::bytes>(shared_slot<k>() + step * lanes, from,
                                        positions.is_whole(step));
    });
  }
  // @pre what was asked for has come
  template <class Loads, int Count, class Tile>
  __device__ __forceinline__ void take_shared(Tile& tile, int step) const {
    for_each_selected<Program, Loads>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
#pragma unroll
      for (int u = 0; u < Count; ++u)
        load_whole(read_register<k>(tile).at[u], shared_slot<k>()[(step + u) * lanes]);
    });
  }
  // Has the L2 cache filled with the stretch of a row further on, where the plan says so.
  template <class Arguments>
  __device__ __forceinline__ void prefetch(Arguments const& a, operand_offsets<Program> const& row,
                                           item_positions<int> const& positions,
                                           long long number) const {
    prefetch_stretch<Program, C, false>(a, row, positions.first, positions.end - positions.first,
                                        number);
  }
  // A stretch always counts as most_tiles tiles: what is waited for is a constant.
  __device__ __forceinline__ void end_asking() const {
#pragma unroll 1
    for (int step = steps; step < most_tiles * items; step += items) end_of_copies();
  }
  // Waits for the next tile of those that were asked for.
  __device__ __forceinline__ static void await_tile() {
    wait_for_copies<most_tiles - 1>();
    end_of_copies();
  }
  template <int K> __device__ __forceinline__ void take(vector<K>& to, int step) const {
    load_whole(to, *slot<K>(step));
  }
  template <int K> __device__ __forceinline__ void put(int step, vector<K> const& from) const {
    store_whole(*slot<K>(step), from);
  }
#endif
};

}  // namespace tenon::detail
