// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rows skeleton: the threads of a row hold it in registers and finish it phase by phase, while
// other blocks load theirs; totals over the rows end the launch.

#include "tenon/backend/cuda/rows/beside.cuh"
#include "tenon/backend/cuda/rows/blocks_held.cuh"
#include "tenon/backend/cuda/rows/fetched.cuh"
#include "tenon/backend/cuda/rows/next_row.cuh"
#include "tenon/backend/cuda/rows/odd_items.cuh"
#include "tenon/backend/cuda/rows/paired_lanes.cuh"
#include "tenon/backend/cuda/rows/part_of_tile.cuh"
#include "tenon/backend/cuda/rows/row_form.cuh"
#include "tenon/backend/cuda/rows/row_team.cuh"
#include "tenon/backend/cuda/rows/shifted_positions.cuh"
#include "tenon/backend/cuda/rows/spread_items.cuh"
#include "tenon/backend/cuda/rows/staged_items.cuh"
#include "tenon/backend/cuda/rows/values.cuh"

namespace tenon {
namespace detail {

#if defined(__CUDA_ARCH__)
// One thread's view of the row that it works on.
template <class Program, class C> struct row_worker : row_form<Program, C> {
  using form = row_form<Program, C>;
  using form::is_spread, form::is_odd, form::is_staged, form::is_paired, form::is_direct;
  using form::v, form::items, form::dims, form::phases, form::tiles;
  using form::whole_vectors, form::has_none_beyond, form::finds_again, form::finds_late;
  using typename form::vectors_at;
  using arguments = rows_arguments<Program, C>;
  using own = own_loads<Program, C>;
  using requested = requested_row<Program, C>;

  arguments const& a;
  frame<Program> const& f;
  row_team<Program, C> team;
  row_totals<Program> of_rows = {};
  bool is_first = true;  // of the rows that this thread has a part of

  __device__ __forceinline__ auto positions(bool is_inside = true) const {
    if constexpr (is_spread)
      return spread_positions::of(a.split.vectors_per_block,
                                  is_inside ? static_cast<int>(a.vectors) : 0);
    else
      return of_vectors(is_inside);
  }

  __device__ __forceinline__ void request(requested& to, long long row) {
    to.row = row;
    bool is_inside = row < a.row_count;
    operand_offsets<Program> offsets;
    find_row_operands<Program, C>(offsets, a, is_inside ? row : 0);
    if constexpr (!finds_late) find_row_positions<Program, C>(offsets, a, is_inside ? row : 0);
    auto const where = positions(is_inside);
    await_row<Program, C>(a, offsets, where);
    request_row_values<Program>(to.values, a, offsets, is_inside);
    find_gathered<Program>(offsets, a, f.launch, to.values, is_inside);
    to.offsets = offsets;
    if constexpr (is_staged)
      staged_items<Program, C>::bring(a, offsets, where);
    else if constexpr (is_odd)
      odd_items<Program, C>::load(to.tile, a, offsets, where, row);
    else if constexpr (is_spread)
      spread_items<Program, C>::load(to, a, offsets, where);
    else if constexpr (dims == beside_columns)
      load_beside<Program, own, v, items>(to.tile, a, offsets, where);
    else if constexpr (dims == fetched_columns)
      load_fetched<Program, own, v, items>(to.tile, a, f.launch, offsets, where, is_inside);
    else
      load_tile<Program, own, v, items * tiles, whole_vectors, false>(to.tile, a, offsets, where,
                                                                      has_none_beyond || is_inside);
    if constexpr (!is_spread)
      load_tile<Program, early_loads<Program, C>, v, items, whole_vectors, false>(
          to.early, a, offsets, where, has_none_beyond || is_inside);
    if constexpr (asks_ahead<Program, C>) prefetch_next<Program, C>(a, offsets, where, row);
  }

  // What all rows share, to where those of the block find it.
  __device__ __forceinline__ void ask_shared() const {
    odd_items<Program, C>::ask_shared(a, positions());
  }

  template <int... Phase>
  __device__ __forceinline__ void finish_row(requested& given,
                                             std::integer_sequence<int, Phase...>) {
    bool const is_inside = given.row < a.row_count;
    operand_offsets<Program> offsets;
    if constexpr (finds_again)
      find_row_positions<Program, C>(offsets, a, is_inside ? given.row : 0);
    else
      offsets = given.offsets;
    take_row_values<Program>(f, given.values, a, offsets, is_inside);
    evaluate<place::row, 0, 0>(f);
    (reduce<Phase + 1>(given, offsets), ...);
    if constexpr (finds_again) find_row_operands<Program, C>(offsets, a, is_inside ? given.row : 0);
    if constexpr (has_element_stores<Program>) {
      selected_registers<Program, no_loads> none;
      auto const where = positions(given.row < a.row_count);
      if constexpr (tiles > 1)
        store_tiles(given, offsets, where);
      else
        sweep<phases + 1, true>(given, none, offsets, where, 0, 0);
    }
    if (threadIdx.x == 0 && team.half() == 0 && team.rank == 0 && is_inside)
      end_row<Program>(f, a, offsets, given.row, of_rows);
  }

 private:
  // The asm keeps the addresses that follow from being held in registers from row to row: they cost
  // one instruction each to find again.
  __device__ __forceinline__ auto of_vectors(bool is_inside) const {
    int const stretch = is_direct && tiles == 1 ? 0 : a.split.vectors_per_block;
    int const part = is_staged ? team.rank * team.halves() + team.half() : team.rank;
    int first = part * (stretch > 0 ? stretch : team.lanes) + static_cast<int>(threadIdx.x);
    asm volatile("" : "+r"(first));
    int vectors = has_none_beyond && !is_inside ? 0 : static_cast<int>(a.vectors),
        step = (stretch > 0 ? 1 : team.blocks()) * team.lanes;
    if constexpr (is_direct) {
      int const behind = (part + 1) * stretch;
      return vectors_at{first, step, tiles > 1 && behind < vectors ? behind : vectors};
    } else {
      int const whole = vectors - (a.tail != 0), behind = (part + 1) * stretch;
      bool const is_last = behind == 0 || behind >= vectors;
      using result = std::conditional_t<is_odd, row_positions, staged_positions>;
      return result{{first, step, is_last ? whole : behind, is_last ? a.tail : 0},
                    is_inside ? whole * v + a.tail : 0};
    }
  }

  // Sweeps the columns for the reductions of phase Phase and combines them over the threads of the
  // row.
  template <int Phase>
  __device__ __forceinline__ void reduce(requested& given,
                                         operand_offsets<Program> const& offsets) {
    using running = running_states<Program, v, items_of_tile<C>, Phase>;
    using reductions = reductions_of<Program, place::row, Phase>;
    auto const where = positions(given.row < a.row_count);
    if constexpr (is_paired) {
      paired_lanes<Program, C, Phase>::reduce(f, a, offsets, where, given.tile, team.lanes);
    } else if constexpr (tiles > 1) {
      reduce_tiles<Phase>(given, offsets, where);
    } else {
      int const steps = a.split.tiles_per_piece * items;
#pragma unroll 1
      for (int piece = 0; piece < team.pieces(); ++piece) {
        selected_registers<Program, running> states;
        reset<Program, running>(states);
        sweep<Phase, false>(given, states, offsets, where, piece * steps, (piece + 1) * steps);
        team.template merge<running>(states);
        join_chains<Program, running>(f.row, states);
        team.template leave<reductions>(f.row, piece);
      }
    }
    if constexpr (!is_paired) team.template gather<reductions>(f.row);
    evaluate<place::row, Phase, Phase>(f);
  }

  template <int Phase, class Positions>
  __device__ __forceinline__ void reduce_tiles(requested const& given,
                                               operand_offsets<Program> const& offsets,
                                               Positions const& where) {
    using running = running_states<Program, v, items, Phase>;
    selected_registers<Program, no_loads> none;
    int done = 0;
#pragma unroll 1
    for (int piece = 0; piece < team.pieces(); ++piece) {
      selected_registers<Program, running> states;
      reset<Program, running>(states);
#pragma unroll 1
      for (int tile = 0; tile < a.split.tiles_per_piece; ++tile, ++done) {
        auto some = part_of_tile<Program, C, items>(given.tile, done);
        process_tile<Phase, false, v, items, packed_columns, own_items<Program, C, items>, no_loads,
                     late_loads<Program, C, Phase, false>>(some, none, states, f, a, offsets,
                                                           where.from(done * items), true);
      }
      join_chains<Program, running>(f.row, states);
      team.template leave<reductions_of<Program, place::row, Phase>>(f.row, piece);
    }
  }
  template <class Positions>
  __device__ __forceinline__ void store_tiles(requested const& given,
                                              operand_offsets<Program> const& offsets,
                                              Positions const& where) {
    using late = shared_items<Program, C, phases + 1, true, stored_together>;
    selected_registers<Program, no_loads> none;
    int const parts = team.pieces() * a.split.tiles_per_piece * items / stored_together;
#pragma unroll 1
    for (int part = 0; part < parts; ++part) {
      auto const here = where.from(part * stored_together);
      selected_registers<Program, late> shared;
      load_tile<Program, late, v, stored_together, packed_columns, false>(shared, a, offsets, here,
                                                                          true);
      auto some = part_of_tile<Program, C, stored_together>(given.tile, part);
      process_tile<phases + 1, true, v, stored_together, packed_columns,
                   own_items<Program, C, stored_together>, late, no_loads>(
          some, shared, none, f, a, offsets,
          shifted_results<Program, C, arguments>{here, a, offsets}, true);
    }
  }

  template <int Phase, bool Stores, class States, class Positions>
  __device__ __forceinline__ void sweep(requested& given, States& states,
                                        operand_offsets<Program> const& offsets,
                                        Positions const& where, int begin, int end) {
    bool const is_inside = has_none_beyond || given.row < a.row_count;
    if constexpr (is_odd) {
      // It has been under way while sweeps went on that do without.
      if constexpr (has_selected<Program, shared_loads_of<Program, C, Phase, Stores>>)
        if (is_first) odd_items<Program, C>::await_shared();
      odd_items<Program, C>::template process<Phase, Stores>(given.tile, states, f, a, offsets,
                                                             where, is_inside);
    } else if constexpr (is_spread) {
      spread_items<Program, C>::template process<Phase, Stores>(given, states, f, a, offsets,
                                                                where);
    } else if constexpr (is_staged) {
      staged_items<Program, C>::template process<Phase, Stores>(states, f, a, offsets, where, begin,
                                                                end, is_inside);
    } else {
      if constexpr (kept_words<Program>::before(Phase) < 0) keep_packed(given.tile);
      using early = std::conditional_t<Stores, early_loads<Program, C>, no_loads>;
      evaluation_of_words<Program, C> const evaluation{given.words};
      auto const process = [&](auto const& positions) {
        process_tile<Phase, Stores, v, items, packed_columns, own, early,
                     late_loads<Program, C, Phase, Stores>>(
            given.tile, given.early, states, f, a, offsets, positions, is_inside, evaluation);
      };
      if constexpr (is_paired)
        process(paired_positions<items>{where, (items - 1) * team.lanes < a.vectors});
      else if constexpr (Stores && dims == shifted_columns)
        process(shifted_results<Program, C, arguments>{where, a, offsets});
      else
        process(where);
    }
  }
};
#endif

}  // namespace detail

// Owners: blockDim.x threads of each of blocks_per_row blocks (a cluster, if several) share a row;
// blockDim.y rows are a group, and the clusters take the groups in turn where takes_turns. Thread
// `lane` of a row owns vectors lane, lane + lanes, ..., or every 32nd element of its warp's
// stretch. A row beyond the end is swept by its threads but neither read nor stored. Registers: the
// row as it lies in memory, which is in shared memory where it is of any layout; up to four running
// states per reduction. Shared memory: one state per piece, warp of the row and reduction, twice;
// what is stored of odd rows, and what they share. Global memory: operands and stores once each.
// @pre a.vectors <= lanes * items; no more clusters than groups, as many where none takes turns;
// the grid is a function of the shape if there are totals, and then the workspace's ticket is 0
// @post every store is written once per position; a row's bits depend on its elements and their
// number alone; the ticket is 0 again
template <class Program, class C, unsigned long long Build, class Arguments>
__global__ void __launch_bounds__(C::threads_per_block, detail::rows_blocks_held<Program, C>)
    rows_kernel(const __grid_constant__ Arguments a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  registers<Program, place::launch> launch;
  registers<Program, place::row> row;
  registers<Program, place::element> element;
  registers<Program, place::total> total;
  frame<Program> f{launch, row, element, total};
  start_early(f, a);
  start_totals(f);
  row_worker<Program, C> worker{
      {},
      a,
      f,
      {static_cast<int>(blockDim.x), C::has_clusters ? rank_in_cluster() : 0,
       a.split.blocks_per_row, a.split.pieces_per_block}};
  worker.team.begin();
  long long const groups = a.split.groups, stride = groups_at_once<C>();
  long long group = C::has_clusters ? cluster_index() : blockIdx.x;
  do {
    requested_row<Program, C> current;
    worker.request(current, worker.team.halves() > 1 ? group : group * blockDim.y + threadIdx.y);
    if (worker.is_first) {
      if constexpr (C::group_dims == odd_columns) worker.ask_shared();
      worker.team.await_blocks();
    }
    worker.finish_row(current,
                      std::make_integer_sequence<int, program_traits<Program>::row_phases>{});
    worker.is_first = false;
    group += stride;
  } while (takes_turns<Program, C> && group < groups);
  int buffer = worker.team.boxes.buffer();
  end_launch<C::threads_per_block>(f, a, worker.of_rows, buffer);
#endif
}

}  // namespace tenon
