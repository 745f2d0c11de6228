// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows longer than registers: kept in the shared memory of as many blocks as it takes, or read
// again in each phase, by one block or, where there are few rows, by several.

#include "tenon/backend/cuda/parts/kept_vectors.cuh"
#include "tenon/backend/cuda/parts/single_vector.cuh"
#include "tenon/backend/cuda/parts/turns.cuh"
#include "tenon/backend/cuda/rows/kernel.cuh"
#include "tenon/backend/cuda/rows/segments.cuh"
#include "tenon/backend/cuda/rows/values.cuh"

namespace tenon {
namespace detail {

// Of a multiprocessor at once: without general accesses three have registers enough.
template <class Program, class C>
inline constexpr int looped_blocks_held =
    is_any_kept<Program, C::vector_width>&& C::group_dims == packed_columns
        ? kept_blocks_held<Program, 0>
        : 1;

#if defined(__CUDA_ARCH__)
// One thread's view of the row that its block works on. A row is cut into segments, whose number is
// a function of its length: each is reduced by one block, and their states are combined in one
// order, whether one block had them all or several had some.
template <class Program, class C> struct looped_worker {
  static constexpr int v = C::vector_width, items = C::items, dims = C::group_dims,
                       threads = C::threads_per_block;
  static constexpr int phases = program_traits<Program>::row_phases;
  static constexpr long long tile_size = static_cast<long long>(threads) * items;
  static constexpr bool may_keep = is_any_kept<Program, v>;
  // Whether what is kept of the next row comes while this one is stored: of one operand, for which
  // it was seen to gain (H200, softmax of 64 x 1048576 f32 216 us, 234 without).
  static constexpr bool is_ahead = may_keep && dims == packed_columns &&
                                   has_element_stores<Program> &&
                                   element_operands<Program>::loads <= 1;
  using arguments = rows_arguments<Program, C>;
  using kept = kept_vectors<Program, v, threads>;

  arguments const& a;
  frame<Program> const& f;
  int blocks, rank;  // blocks that share a row, and which of them this is
  row_segments<Program> segments;
  int buffer = 0;  // of the shared states
  operand_offsets<Program> offsets;
  row_totals<Program> of_rows = {};
  bool is_brought = false;          // or on its way: what is kept of the next row
  operand_offsets<Program> coming;  // of the next row, if so

  // next_row: which one the block works on afterwards.
  template <int... Phase>
  __device__ __forceinline__ void finish_row(long long row, long long next_row,
                                             std::integer_sequence<int, Phase...>) {
    bool is_inside = row < a.rows.size;
    find_row<Program>(offsets, a, is_inside ? row : 0);
    selected_registers<Program, row_loads<Program>> values;
    request_row_values<Program>(values, a, offsets, is_inside);
    if constexpr (may_keep)
      if (is_inside && !is_brought) bring_kept();
    take_row_values<Program>(f, values, a, offsets, is_inside);
    evaluate<place::row, 0, 0>(f);
    if constexpr (may_keep) wait_for_sent();
    (reduce<Phase + 1>(is_inside), ...);
    if constexpr (has_element_stores<Program>) {
      if constexpr (is_ahead) {
        is_brought = next_row < a.rows.size;
        if (is_brought) find_row<Program>(coming, a, next_row);
      }
      selected_registers<Program, no_loads> none;
      for (int turn = rank; turn < a.split.segments; turn += blocks)
        sweep<phases + 1, true>(segment_of<phases + 1>(turn), none, is_inside);
    }
    if (threadIdx.x == 0 && rank == 0 && is_inside) end_row<Program>(f, a, offsets, row, of_rows);
  }

  // @pre all rows are finished
  __device__ __forceinline__ void end() {
    if (a.split.segments > 1) segments.end();
  }

 private:
  // Odd sweeps go forwards and even ones backwards, so that each begins with what the one before
  // read last.
  template <int Sweep> __device__ __forceinline__ int segment_of(int turn) const {
    return Sweep % 2 == 1 ? turn : last_turn() - (turn - rank);
  }
  __device__ __forceinline__ int last_turn() const {
    return rank + (a.split.segments - 1 - rank) / blocks * blocks;
  }

  // Which of the block's tiles is the first one of a segment, in the order in which it has them.
  __device__ __forceinline__ int first_tile_of(int segment) const {
    return (segment - rank) / blocks * static_cast<int>(a.split.tiles_per_segment);
  }
  // Brings all that is kept of the row.
  __device__ __forceinline__ void bring_kept() const {
    for (int segment = rank; segment < a.split.segments; segment += blocks) {
      int tile = first_tile_of(segment);
      long long first = segment * a.split.tiles_per_segment * tile_size + threadIdx.x;
      for (int t = 0; t < a.split.tiles_per_segment; ++t, ++tile, first += tile_size) {
        if (tile >= a.split.kept_tiles) return;
        if (dims == 1 || a.is_packed)
          send_tile(tile, first, offsets);
        else
          put_tile(tile, first);
      }
    }
  }
  // @pre every operand is packed
  __device__ __forceinline__ void send_tile(int tile, long long first,
                                            operand_offsets<Program> const& row) const {
    for_each_selected<Program, kept_loads<Program, v>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename program_traits<Program>::template at<k>;
      auto const* from = load_address<Program, k>(a, row.loads[I::bits]) + first * v;
#pragma unroll
      for (int u = 0; u < items; ++u)
        if (first + u * threads < a.vectors)
          kept::template bring<k>(tile * items + u, from + u * threads * v);
    });
  }
  __device__ __forceinline__ void put_tile(int tile, long long first) const {
    auto const positions = positions_from(first);
    for_each_selected<Program, kept_loads<Program, v>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
#pragma unroll 1
      for (int u = 0; u < items; ++u) {
        int const count = positions.template count<v>(u);
        if (!kept::template bring_elements<k>(tile * items + u, a, offsets, positions.at(u), count))
          kept::template put<k>(tile * items + u, load_vector<Program, k, v, dims>(
                                                      a, offsets, positions.at(u), count));
      }
    });
  }
  __device__ __forceinline__ item_positions<long long> positions_from(long long first) const {
    return {first, threads, a.tail != 0 ? a.vectors - 1 : a.vectors, a.tail};
  }
  // Tile number `tile` of the block, from shared memory as far as it was kept.
  template <class Loads, class Tile>
  __device__ __forceinline__ void load(Tile& loaded, int tile,
                                       item_positions<long long> const& positions,
                                       bool is_inside) const {
    if constexpr (may_keep) {
      if (tile < a.split.kept_tiles) {
        for_each_selected<Program, selected_by_keeping<Program, v, Loads, true>>(
            [&](auto selected) {
              constexpr int k = decltype(selected)::value;
#pragma unroll
              for (int u = 0; u < items; ++u)
                kept::template take<k>(read_register<k>(loaded).at[u], tile * items + u);
            });
        return load_tile<Program, selected_by_keeping<Program, v, Loads, false>, v, items, dims,
                         false>(loaded, a, offsets, positions, is_inside);
      }
    }
    load_tile<Program, Loads, v, items, dims, false>(loaded, a, offsets, positions, is_inside);
  }
  // Item u of it, of any layout.
  template <class Loads, class Item>
  __device__ __forceinline__ void load_item(Item& item, int tile, int u,
                                            item_positions<long long> const& positions) const {
    for_each_selected<Program, Loads>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      auto& vector = read_register<k>(item).at[0];
      if constexpr (is_held<Program, kept_loads<Program, v>>(k))
        if (tile < a.split.kept_tiles) return kept::template take<k>(vector, tile * items + u);
      vector = load_vector<Program, k, v, dims>(a, offsets, positions.at(u),
                                                positions.template count<v>(u));
    });
  }

  template <int Phase> __device__ __forceinline__ void reduce(bool is_inside) {
    using reductions = reductions_of<Program, place::row, Phase>;
    using running = running_states<Program, v, items, Phase>;
    for (int turn = rank; turn < a.split.segments; turn += blocks) {
      selected_registers<Program, running> states;
      reset<Program, running>(states);
      int segment = segment_of<Phase>(turn);
      sweep<Phase, false>(segment, states, is_inside);
      combine_block<Program, reductions, threads>(f.row, buffer);
      if (a.split.segments > 1 && threadIdx.x == 0)
        segments.template put<reductions>(f.row, segment);
    }
    if (a.split.segments > 1) {
      segments.meet();
      segments.template combine<reductions>(f.row, a.split.segments);
    }
    evaluate<place::row, Phase, Phase>(f);
  }

  template <int Phase, bool Stores, class States>
  __device__ __forceinline__ void sweep(int segment, States& states, bool is_inside) {
    using loads = needed_loads<Program, v, items, Phase, Stores>;
    using running = running_states<Program, v, items, Phase>;
    long long first = segment * a.split.tiles_per_segment * tile_size,
              end = first + a.split.tiles_per_segment * tile_size;
    cascade<Program, running> levels;
    int tile = first_tile_of(segment);
#pragma unroll 1
    for (; first < end && first < a.vectors; first += tile_size, ++tile) {
      item_positions<long long> const positions = positions_from(first + threadIdx.x);
      if constexpr (dims > packed_columns) {
        auto const take = [&](auto& item, int u) {
          load_item<item_loads<Program, v, Phase, Stores>>(item, tile, u, positions);
        };
        if (is_inside)
          process_in_turns<Phase, Stores, v, items, dims, 1>(take, states, f, a, offsets, positions,
                                                             is_inside);
      } else {
        selected_registers<Program, loads> loaded;
        selected_registers<Program, no_loads> none;
        load<loads>(loaded, tile, positions, is_inside);
        // The sweep that stores is the last one: the next row takes the place of what it has taken.
        if constexpr (is_ahead && Stores)
          if (is_brought && tile < a.split.kept_tiles) send_tile(tile, first + threadIdx.x, coming);
        process_tile<Phase, Stores, v, items, dims, loads, no_loads, no_loads>(
            loaded, none, states, f, a, offsets, positions, is_inside);
      }
      if constexpr (!Stores) levels.after_tile(states);
    }
    if constexpr (!Stores) levels.finish(f.row, states);
  }
};
#endif

}  // namespace detail

// Owners: blocks_per_row blocks share a row, and the groups of blocks take the rows in turn; thread
// t of a block takes vectors t, t + threads, ... of a tile, a segment is some tiles. Registers:
// items vectors of each operand; up to four running states per reduction. Shared memory: what is
// kept of the block's part of the row, and one state per warp and reduction, twice; global memory
// beside the operands: one state per segment and reduction, twice. Each operand is read once (what
// is not kept: once per phase that needs it), each element store written once.
// @pre all blocks are resident if several share a row
// @post every store is written once per position; a row's bits depend on its elements and their
// number alone; the ticket and the barriers are as they were
template <class Program, class C, unsigned long long Build, class Arguments>
__global__ void __launch_bounds__(C::threads_per_block, detail::looped_blocks_held<Program, C>)
    looped_rows_kernel(const __grid_constant__ Arguments a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  registers<Program, place::launch> launch;
  registers<Program, place::row> row;
  registers<Program, place::element> element;
  registers<Program, place::total> total;
  frame<Program> f{launch, row, element, total};
  start(f, a);
  start_totals(f);
  int blocks = a.split.blocks_per_row;
  long long group = blockIdx.x / blocks, groups = gridDim.x / blocks;
  looped_worker<Program, C> worker{a,
                                   f,
                                   blocks,
                                   static_cast<int>(blockIdx.x % blocks),
                                   {a.workspace, static_cast<int>(group), blocks}};
  for (; group < a.split.groups; group += groups)
    worker.finish_row(group, group + groups,
                      std::make_integer_sequence<int, program_traits<Program>::row_phases>{});
  worker.end();
  end_launch<C::threads_per_block>(f, a, worker.of_rows, worker.buffer);
#endif
}

}  // namespace tenon
