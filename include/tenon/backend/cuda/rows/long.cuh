// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows longer than registers: a block, or each of a cluster's, has its share of the row in shared
// memory, where every sweep reads it in a loop.

#include "tenon/backend/cuda/rows/kept_value.cuh"
#include "tenon/backend/cuda/rows/row_stretch.cuh"
#include "tenon/backend/cuda/rows/row_team.cuh"
#include "tenon/backend/cuda/rows/settled_stretch.cuh"

namespace tenon {
namespace detail {

#if defined(__CUDA_ARCH__)
// One thread's view of the row that it works on.
template <class Program, class C> struct long_worker {
  static constexpr int v = C::vector_width, items = C::items;
  // Whether rows begin anywhere.
  static constexpr bool is_settled = C::group_dims > packed_columns;
  static constexpr int phases = program_traits<Program>::row_phases;
  // Steps that a sweep takes at once: chains of dependent combinations are to be several, and
  // elements that are reduced together stay together; what is stored depends on nothing. There
  // four vectors with their weights are what the registers hold. Two of half types take longer:
  // H200, RMS norm of 8192 x 65536 bf16 618 us instead of 540. Where much is computed eight
  // elements are enough to wait for each other: layer norm + gelu of 1024 x 65536 f32 180 us, with
  // four 191.
  template <bool Stores>
  static constexpr int together = !Stores ? items
                                  : is_settled && element_operands<Program>::loads > 1 && items > 2
                                      ? 2
                                  : element_operands<Program>::has_much_arithmetic ? (v > 4 ? 1 : 2)
                                  : element_operands<Program>::loads > 1 && items > 4 ? 4
                                                                                      : items;
  template <int Phase, bool Stores>
  using loads = needed_loads<Program, v, together<Stores>, Phase, Stores>;
  template <int Phase, bool Stores> struct from_share : loads<Phase, Stores> {
    static consteval bool holds(int k) {
      return loads<Phase, Stores>::holds(k) && program_traits<Program>::all[k].is_own();
    }
  };
  template <int Phase, bool Stores> struct from_cache : loads<Phase, Stores> {
    static consteval bool holds(int k) {
      return loads<Phase, Stores>::holds(k) && !program_traits<Program>::all[k].is_own();
    }
  };
  using kept = kept_value<Program>;
  // Whether blocks stay: then the next row takes the place of what the last sweep has taken.
  static constexpr bool is_ahead = program_traits<Program>::has_total;
  template <int Phase, bool Stores>
  static constexpr bool is_last = Stores || (!has_element_stores<Program> && Phase == phases);
  using arguments = rows_arguments<Program, C>;

  arguments const& a;
  frame<Program> const& f;
  row_team<Program, C>& team;
  std::conditional_t<is_settled, settled_stretch<Program, C>, row_stretch<Program, C>> share;
  long long row = 0;
  bool is_inside = false;
  operand_offsets<Program> offsets = {}, coming = {};  // of the row, and of the next one
  row_totals<Program> of_rows = {};

  // Of the thread's vectors of the share.
  __device__ __forceinline__ item_positions<int> positions() const {
    int const begin = team.rank * a.split.vectors_per_block,
              end = begin + a.split.vectors_per_block, all = static_cast<int>(a.vectors);
    // Vectors of the share are of the row, or beyond its end.
    if constexpr (is_settled)
      return {begin + static_cast<int>(threadIdx.x), share.lanes, all - (a.tail != 0), a.tail};
    else
      return {begin + static_cast<int>(threadIdx.x), share.lanes, end < all ? end : all};
  }
  __device__ __forceinline__ void bring_row(long long number) {
    row = number, is_inside = row < a.row_count;
    find_row<Program>(offsets, a, is_inside ? row : 0);
    auto const where = positions();
    await_operands<Program>();
    if constexpr (program_traits<Program>::has_gathered) {
      selected_registers<Program, row_loads<Program>> values;
      request_row_values<Program>(values, a, offsets, is_inside);
      find_gathered<Program>(offsets, a, f.launch, values, is_inside);
    }
    if constexpr (is_settled)
      share.bring(a, offsets, where, is_inside ? size() : 0);
    else
      share.bring(a, offsets, where, is_inside);
    if constexpr (!is_ahead) share.prefetch(a, offsets, where, row);
  }
  // next_row: which one comes afterwards.
  template <int... Phase>
  __device__ __forceinline__ void finish_row(long long next_row,
                                             std::integer_sequence<int, Phase...>) {
    if constexpr (is_ahead) {
      find_row<Program>(coming, a, next_row < a.row_count ? next_row : 0);
      share.prefetch(a, offsets, positions(), row);
    }
    selected_registers<Program, row_loads<Program>> values;
    request_row_values<Program>(values, a, offsets, is_inside);
    take_row_values<Program>(f, values, a, offsets, is_inside);
    evaluate<place::row, 0, 0>(f);
    (reduce<Phase + 1>(), ...);
    if constexpr (has_element_stores<Program>) {
      selected_registers<Program, no_loads> none;
      sweep<phases + 1, true>(none, 0, share.steps);
      if constexpr (is_ahead) share.end_asking();
    }
    if (threadIdx.x == 0 && team.rank == 0 && is_inside)
      end_row<Program>(f, a, offsets, row, of_rows);
    if constexpr (is_ahead) row = next_row, is_inside = row < a.row_count, offsets = coming;
  }

 private:
  // Elements of a row.
  __device__ __forceinline__ int size() const {
    return (static_cast<int>(a.vectors) - (a.tail != 0)) * v + a.tail;
  }
  template <int Phase> __device__ __forceinline__ void reduce() {
    using running = running_states<Program, v, items, Phase>;
    using reductions = reductions_of<Program, place::row, Phase>;
    int const steps = a.split.tiles_per_piece * items;
#pragma unroll 1
    for (int piece = 0; piece < team.pieces(); ++piece) {
      selected_registers<Program, running> states;
      reset<Program, running>(states);
      sweep<Phase, false>(states, piece * steps, steps);
      join_chains<Program, running>(f.row, states);
      team.template leave<reductions>(f.row, piece);
    }
    if constexpr (is_ahead && is_last<Phase, false>) share.end_asking();
    team.template gather<reductions>(f.row);
    evaluate<place::row, Phase, Phase>(f);
  }
  template <int Phase, bool Stores, class States>
  __device__ __forceinline__ void sweep(States& states, int begin, int steps) {
    if constexpr (is_settled)
      sweep_settled<Phase, Stores>(states, begin, steps);
    else
      sweep_packed<Phase, Stores>(states, begin, steps);
  }
  template <int Phase, bool Stores, class States>
  __device__ __forceinline__ void sweep_packed(States& states, int begin, int steps) {
    constexpr int n = together<Stores>;
    auto const all = positions();
    bool const keeps_shared = share.shared_bytes > 0 && Stores && a.split.keeps_shared;
    if (keeps_shared) wait_for_sent();
#pragma unroll 1
    for (int step = begin; step < begin + steps; step += n) {
      auto const where = all.from(step);
      selected_registers<Program, loads<Phase, Stores>> tile;
      selected_registers<Program, no_loads> none;
      if (keeps_shared)
        share.template take_shared<from_cache<Phase, Stores>, n>(tile, step);
      else
        load_tile<Program, from_cache<Phase, Stores>, v, n, packed_columns, false>(
            tile, a, offsets, where, is_inside);
      if constexpr (Phase == 1)
        if (n == items || step % items == 0) share.await_tile();
      take_share<Phase, Stores>(tile, step);
      if constexpr (is_ahead && is_last<Phase, Stores>)
        if (n == items || (step + n) % items == 0)
          share.ask(a, coming, all, step + n - items, row + clusters() < a.row_count);
      process_tile<Phase, Stores, v, n, packed_columns, loads<Phase, Stores>, no_loads, no_loads>(
          tile, none, states, f, a, offsets, where, is_inside,
          keeping_evaluation<Program, decltype(tile)>{tile});
      put_kept<Phase, Stores>(tile, step);
    }
  }
  // The same of a row that begins anywhere. Its first sweep moves what came to where it is in the
  // row; the last one leaves results there, which the warp writes together.
  template <int Phase, bool Stores, class States>
  __device__ __forceinline__ void sweep_settled(States& states, int begin, int steps) {
    constexpr int n = together<Stores>;
    auto const all = positions();
    int const lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll 1
    for (int step = begin; step < begin + steps; step += n) {
      auto const where = all.from(step);
      selected_registers<Program, own_loads<Program, C>> settled;
      if constexpr (Phase == 1) share.settle(settled, a, offsets, step);
      // The lanes go the same way.
      if (!Stores && where.at(n - 1) - lane + 31 >= where.end) {
        if constexpr (!Stores) take_in_turns<Phase>(states, where, step);
        continue;
      }
      selected_registers<Program, loads<Phase, Stores>> tile;
      selected_registers<Program, no_loads> none;
      if constexpr (Phase == 1)
        for_each_selected<Program, from_share<Phase, Stores>>([&](auto selected) {
          constexpr int k = decltype(selected)::value;
#pragma unroll
          for (int u = 0; u < n; ++u)
            read_register<k>(tile).at[u] = read_register<k>(settled).at[u];
        });
      else
        take_share<Phase, Stores>(tile, step);
      auto const process = [&](auto const& positions) {
        process_tile<Phase, Stores, v, n, packed_columns, loads<Phase, Stores>, no_loads, no_loads>(
            tile, none, states, f, a, offsets, positions, is_inside,
            keeping_evaluation<Program, decltype(tile)>{tile});
      };
      if constexpr (!Stores) {
        process(whole_positions<int>{where.first, where.step});
        put_kept<Phase, Stores>(tile, step);
      } else {
        process(settled_results<Program, C>{where, share, step});
        __syncwarp();
        if (is_inside)
          for_each_selected<Program, element_stores<Program, v>>([&](auto selected) {
            constexpr int k = decltype(selected)::value;
            using I = typename program_traits<Program>::template at<k>;
            share.template send<k, n>(store_address<Program, k>(a, offsets.stores[I::bits]), where,
                                      step, size(), a.stored);
          });
      }
    }
  }
  // Items of which some lanes of the warp have none, or a part.
  template <int Phase, class States>
  __device__ __forceinline__ void take_in_turns(States& states, item_positions<int> const& where,
                                                int step) {
    process_in_turns<Phase, false, v, items, contiguous_columns, 1>(
        [&](auto& item, int u) { take_share<Phase, false>(item, step + u); },
        [&](auto const& item, int u) {
          if constexpr (kept::number >= 0 && Phase == kept::phase)
            share.template put<kept::load>(step + u, read_register<kept::load>(item).at[0]);
        },
        states, f, a, offsets, where, is_inside);
  }
  template <int Phase, bool Stores, class Tile>
  __device__ __forceinline__ void take_share(Tile& tile, int step) const {
    for_each_selected<Program, from_share<Phase, Stores>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      auto& to = read_register<k>(tile).at;
#pragma unroll
      for (int u = 0; u < static_cast<int>(sizeof(to) / sizeof(to[0])); ++u)
        share.template take<k>(to[u], step + u);
    });
  }
  template <int Phase, bool Stores, class Tile>
  __device__ __forceinline__ void put_kept(Tile const& tile, int step) const {
    if constexpr (kept::number >= 0 && Phase == kept::phase) {
#pragma unroll
      for (int u = 0; u < together<Stores>; ++u)
        share.template put<kept::load>(step + u, read_register<kept::load>(tile).at[u]);
    }
  }
};
#endif

}  // namespace detail

// Owners: blocks_per_row blocks (a cluster, if several) share a row, each a stretch of it; thread t
// of a block owns vectors t, t + lanes, ... of the stretch. A row beyond the end is swept by its
// threads but neither read nor stored. Registers: a tile of some vectors; up to four running states
// per reduction. Shared memory: the share, and one state per piece, warp and reduction, twice.
// Global memory: each operand is read once, each element store written once.
// @pre a.vectors <= blocks_per_row * vectors_per_block, all operands are packed, or contiguous
// where rows settle, and vary over the rows, no more clusters than groups, and the grid is a
// function of the shape if there are totals, and then the ticket in the workspace is 0
// @post every store is written once per position; a row's bits depend on its elements and their
// number alone; the ticket is 0 again
template <class Program, class C, unsigned long long Build, class Arguments>
__global__ void __launch_bounds__(C::threads_per_block, C::blocks)
    long_rows_kernel(const __grid_constant__ Arguments a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  registers<Program, place::launch> launch;
  registers<Program, place::row> row;
  registers<Program, place::element> element;
  registers<Program, place::total> total;
  frame<Program> f{launch, row, element, total};

  int const lanes = static_cast<int>(blockDim.x);
  row_team<Program, C> team{lanes, rank_in_cluster(), a.split.blocks_per_row,
                            a.split.pieces_per_block};
  long_worker<Program, C> worker{
      a, f, team, {a.split.pieces_per_block * a.split.tiles_per_piece * C::items, lanes}};
  team.begin();
  start_early(f, a);
  start_totals(f);
  constexpr bool is_ahead = long_worker<Program, C>::is_ahead;
  bool is_first = true;
  long long group = cluster_index();
  if constexpr (is_ahead) worker.bring_row(group);
  do {
    if constexpr (!is_ahead) worker.bring_row(group);
    if (is_first) team.await_blocks();
    is_first = false;
    group += clusters();
    worker.finish_row(group,
                      std::make_integer_sequence<int, program_traits<Program>::row_phases>{});
  } while (group < a.split.groups);
  int buffer = team.boxes.buffer();
  end_launch<C::threads_per_block, true>(f, a, worker.of_rows, buffer);
#endif
}

}  // namespace tenon
