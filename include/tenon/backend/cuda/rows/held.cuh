// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows that the shared memory of a cluster holds: each of its blocks asks for all of its share at
// once, while other clusters compute or write theirs.

#include "tenon/backend/cuda/parts/dynamic_shared.cuh"
#include "tenon/backend/cuda/parts/runs.cuh"
#include "tenon/backend/cuda/rows/held_arguments.cuh"
#include "tenon/backend/cuda/rows/kept_tiles.cuh"
#include "tenon/backend/cuda/rows/values.cuh"

namespace tenon {
namespace detail {

#if defined(__CUDA_ARCH__)
// One thread's view of its block's share of a row.
template <class Program, class C> struct held_worker {
  static constexpr int v = C::vector_width, items = C::items, threads = C::threads_per_block,
                       dims = C::group_dims;
  static constexpr int phases = program_traits<Program>::row_phases;
  using all = sweeps<Program>;
  using here = loads_by_keeping<Program, v, items, all::first, true>;
  using arguments = held_arguments<Program>;

  arguments const& a;
  frame<Program> const& f;
  kept_tiles<Program, v, items, threads> kept;
  int const rank;  // among the blocks of the row
  held_tiles<threads * items, threads> const tiles{a, rank};
  cluster_mailboxes boxes = {};
  int buffer_of_warps = 0;  // of the shared states
  operand_offsets<Program> offsets;

  // Asks for all of the share.
  __device__ __forceinline__ void bring(long long row) {
    find_row<Program>(offsets, a, row);
    await_operands<Program>();
    for_each_tile([&](int tile, auto const& positions) {
      if constexpr (dims == packed_columns)
        kept.template request<here>(tile, a, offsets, positions);
      else
        put(tile, positions);
    });
  }
  // @pre what was asked for is there, and all blocks of the row have begun
  template <int... Phase>
  __device__ __forceinline__ void finish_row(std::integer_sequence<int, Phase...>) {
    selected_registers<Program, row_loads<Program>> values;
    request_row_values<Program>(values, a, offsets, true);
    take_row_values<Program>(f, values, a, offsets, true);
    evaluate<place::row, 0, 0>(f);
    (reduce<Phase + 1>(), ...);
    selected_registers<Program, no_loads> none;
    if constexpr (all::template stores<phases + 1>)
      for_each_tile(
          [&](int tile, auto const& positions) { process<phases + 1>(tile, positions, none); });
  }

 private:
  // visit(tile, positions), where the thread has any vector. Whole tiles of runs need no look at
  // each: batch norm takes 215 instructions for 16 elements instead of 434.
  template <class Visit> __device__ __forceinline__ void for_each_tile(Visit const& visit) const {
    int tile = 0;
    if constexpr (dims == packed_columns)
#pragma unroll 1
      for (; tile < tiles.whole(); ++tile) visit(tile, tiles.of_whole(tile));
#pragma unroll 1
    for (; tile <= tiles.whole(); ++tile) {
      auto const positions = tiles.positions(tile);
      if (positions.is_live(0)) visit(tile, positions);
    }
  }

  template <class Positions>
  __device__ __forceinline__ void put(int tile, Positions const& positions) const {
    selected_registers<Program, here> loaded;
    load_tile<Program, here, v, items, dims, true>(loaded, a, offsets, positions, true);
    kept.template put<here>(tile, loaded, [&](int u) { return positions.is_live(u); });
  }

  template <int Phase> __device__ __forceinline__ void reduce() {
    using running = running_states<Program, v, items, Phase>;
    selected_registers<Program, running> states;
    reset<Program, running>(states);
    cascade<Program, running> levels;
    for_each_tile([&](int tile, auto const& positions) {
      process<Phase>(tile, positions, states);
      levels.after_tile(states);
    });
    levels.finish(f.row, states);
    combine<reductions_of<Program, place::row, Phase>>();
    evaluate<place::row, Phase, Phase>(f);
  }

  // A tile through the program, for the reductions of phase Phase or for the stores.
  template <int Phase, class Positions, class States>
  __device__ __forceinline__ void process(int tile, Positions const& positions,
                                          States& states) const {
    using loads = loads_of_sweep<Program, v, items, Phase>;
    using others = loads_by_keeping<Program, v, items, Phase, false>;
    constexpr bool stores = all::template stores<Phase>;
    selected_registers<Program, loads> loaded;
    kept.template get<loads_by_keeping<Program, v, items, Phase, true>>(
        tile, loaded, [&](int u) { return positions.is_live(u); });
    if constexpr (dims == packed_columns) {
      load_in_runs<Program, others, v, items>(loaded, a, offsets, positions);
      process_runs<Phase, stores, v, items, loads>(loaded, states, f, a, offsets, positions);
    } else {
      selected_registers<Program, no_loads> none;
      load_tile<Program, others, v, items, dims, true>(loaded, a, offsets, positions, true);
      process_tile<Phase, stores, v, items, dims, loads, no_loads, no_loads>(
          loaded, none, states, f, a, offsets, positions, true);
    }
  }

  // Over the block; then every block leaves its state with every other, and combines them all.
  template <class Reductions> __device__ __forceinline__ void combine() {
    combine_block<Program, Reductions, threads, true>(f.row, buffer_of_warps);
    int const blocks = a.held.blocks, thread = static_cast<int>(threadIdx.x);
    int const buffer = boxes.buffer();
    mailbox& box = boxes.present();
    if (thread == 0)
      box.expect(partial_words<Program, Reductions> * static_cast<int>(sizeof(unsigned)) * blocks);
    if (thread < blocks)
      for_each_selected<Program, Reductions>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        shared_states<Program, k, most_blocks_per_cluster>::send(box, buffer, rank,
                                                                 read_register<k>(f.row), thread);
      });
    boxes.wait();
    for_each_selected<Program, Reductions>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      read_register<k>(f.row) =
          combine_shared<Program, k, most_blocks_per_cluster>(buffer, 0, blocks);
    });
    boxes.next();
  }
};
#endif

}  // namespace detail

// Owners: the blocks of a cluster share a row, of whose tiles every so many-th is a block's; thread
// t takes vectors t, t + threads, ... of a tile. Registers: one tile of items vectors of each
// operand. Shared memory: the block's share of what is needed more than once, and one state per
// warp, and per block of the cluster, and reduction, twice. Global memory: each operand is read
// once, what is not kept once per sweep, and each element store written once.
// @pre a cluster for each row; no totals
// @post every store is written once per position; a row's bits depend on its elements and their
// number alone
template <class Program, class C, unsigned long long Build, class Arguments>
__global__ void __launch_bounds__(C::threads_per_block, C::blocks)
    held_rows_kernel(const __grid_constant__ Arguments a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  registers<Program, place::launch> launch;
  registers<Program, place::row> row;
  registers<Program, place::element> element;
  registers<Program, place::total> total;
  frame<Program> f{launch, row, element, total};
  held_worker<Program, C> worker{a, f, {dynamic_shared()}, rank_in_cluster()};
  long long const number = cluster_index();
  if (threadIdx.x == 0) cluster_mailboxes::init();
  arrive_at_cluster();
  start_early(f, a);
  worker.bring(number);
  wait_for_sent();
  wait_for_cluster();  // all of the row's blocks have begun
  worker.finish_row(std::make_integer_sequence<int, program_traits<Program>::row_phases>{});
  if (threadIdx.x != 0 || worker.rank != 0) return;
  row_totals<Program> none;
  end_row<Program>(f, a, worker.offsets, number, none);
  if (blockIdx.x == 0) store_all<place::launch>(f, a);
#endif
}

}  // namespace tenon
