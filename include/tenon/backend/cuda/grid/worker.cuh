// SPDX-License-Identifier: Apache-2.0
#pragma once
// One team's share of the rows, phase by phase, between two meetings of all blocks.

#include "tenon/backend/cuda/grid/team.cuh"
#include "tenon/backend/cuda/parts/tile_requests.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// One thread's view of the units that its team works on: a unit is a segment of a row, a team one
// warp or the block.
template <class Program, class C> struct grid_worker : grid_team<Program, C> {
  using base = grid_team<Program, C>;
  using base::a, base::f, base::lane, base::lanes, base::buffer, base::row, base::of_all;
  static constexpr int v = C::vector_width, items = C::items, threads = C::threads_per_block;
  using all = sweeps<Program>;
  using kept_type = kept_tiles<Program, v, items, threads>;
  static constexpr bool may_run = !kept_type::has_small;  // else the plan has no runs
  static constexpr int warps = threads / 32, most_waiting = most_waiting_units<Program>;
  template <int K> using warp_states = shared_states<Program, K, most_waiting * warps>;
  template <int Phase> using reductions = reductions_ending<Program, place::row, Phase>;
  template <int Phase> using totals = typename base::template totals<Phase>;

  kept_type kept;
  long long begin = 0, end = 0;      // units of the team
  int waiting = 0, unit_buffer = 0;  // units whose warps' states are in shared memory, and where
  operand_offsets<Program> offsets;

  __device__ __forceinline__ void take_share() {
    long long team = static_cast<long long>(blockIdx.x) * (threads / lanes) + threadIdx.x / lanes;
    long long stop = a.row_count * a.grid.segments;
    begin = team * a.grid.units_per_team;
    end = begin + a.grid.units_per_team;
    if (begin > stop) begin = stop;
    if (end > stop) end = stop;
  }

  // Odd passes go forwards and even ones backwards, so that each begins with what the one before
  // read last.
  template <int Phase> __device__ __forceinline__ void pass() {
    long long chunk = -1;
    bool is_known = false;  // of the row, what the phase before has found
    long_chains<Program, totals<Phase>> of_chunk;
    tile_requests<Program, C, Phase> requests{a, kept, begin, end, lane, lanes};
    if constexpr (may_run && all::template has<Phase>)
      if (a.runs.vectors > 0) requests.start();
    for (long long i = begin; i < end; ++i) {
      long long const unit = Phase % 2 == 1 ? i : end - 1 - (i - begin);
      long long const next_row = row_of(unit, a.grid.segments);
      int const segment = static_cast<int>(unit - next_row * a.grid.segments);
      if (!all::template has<Phase> && segment != 0) continue;
      if constexpr (totals_are_of_planes<C>)
        if (next_row != row || !is_known) this->template enter_plane<Phase>(next_row, is_known);
      if (next_row != row || !is_known) enter<Phase>(next_row);
      is_known = true;
      // Who is the last to leave is known when the last sweep is over.
      if constexpr (Phase == all::last && all::template has<Phase>)
        if (i + 1 == end && lanes != 32 && a.grid.is_marked()) of_all.leave();
      if constexpr (has_selected<Program, totals<Phase>>)
        if (segment == 0) add_row<Phase>(chunk, of_chunk);
      if constexpr (all::template has<Phase>) {
        int const first_tile = static_cast<int>(unit - begin) * a.grid.tiles_per_segment;
        bool const is_run = may_run && a.runs.vectors > 0;
        if constexpr (may_run)
          if (is_run) sweep_runs<Phase>(segment, first_tile, requests);
        if (!is_run) sweep<Phase>(segment, first_tile);
      }
      if constexpr (all::template reduces<Phase>) leave_part<Phase>(unit);
      if constexpr (Phase == all::last)
        if (segment == 0 && lane == 0) store_row();
      if constexpr (totals_are_of_planes<C> && Phase > program_traits<Program>::phases)
        if (segment == 0 && lane == 0 && base::is_first_of_plane()) store_plane(f, a, row);
    }
    if constexpr (all::template reduces<Phase>)
      leave_waiting<Phase>(Phase % 2 == 1 ? end - 1 : begin);
    if constexpr (has_selected<Program, totals<Phase>>) leave_total<Phase>(chunk, of_chunk);
    if (!is_known) row = -1;
  }

 private:
  // The row's values as far as the phases before this one have made them known: a pass begins with
  // the row that the pass before ended with, of which the earlier ones are.
  template <int Phase> __device__ __forceinline__ void enter(long long next_row) {
    if (next_row != row) {
      row = next_row;
      find_row<Program, row_digits::of_all_axes>(offsets, a, row);
      for_each_instruction<Program>([&](auto index) {
        constexpr int k = decltype(index)::value;
        using I = typename program_traits<Program>::template at<k>;
        if constexpr (operands_at<Program, place::row>::loads(k))
          read_register<k>(f.row) = load_one<Program, k>(a, offsets.loads[I::bits]);
      });
      take_row_positions<Program>(f, a, offsets, true);
      evaluate<place::row, 0, 0>(f);
      finish_phases(std::make_integer_sequence<int, (Phase > 2 ? Phase - 2 : 0)>{});
    }
    if constexpr (Phase > 1) finish_phase<Phase - 1>();
  }
  template <int... Before>
  __device__ __forceinline__ void finish_phases(std::integer_sequence<int, Before...>) {
    (finish_phase<Before + 1>(), ...);
  }
  // @post the same bits in all threads of all teams of the row
  template <int Phase> __device__ __forceinline__ void finish_phase() {
    bool const is_own = lanes == 32;
    long long const first = row * a.grid.segments;
    int const segment = is_own ? 0 : static_cast<int>(threadIdx.x);
    for_each_selected<Program, reductions<Phase>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      typename reduction_facts<Program, k>::state found[1] = {
          reduction_facts<Program, k>::identity()};
      of_all.template take<k>(found, segment < a.grid.segments, first + segment);
      read_register<k>(f.row) = found[0];
    });
    if (!is_own) combine_block<Program, reductions<Phase>, threads, true>(f.row, buffer);
    evaluate<place::row, Phase, Phase>(f);
  }

  // One segment, whatever the accesses are.
  template <int Phase> __device__ __forceinline__ void sweep(int segment, int first_tile) {
    using loads = loads_of_sweep<Program, v, items, Phase>;
    using here = loads_by_keeping<Program, v, items, Phase, true>;
    using others = loads_by_keeping<Program, v, items, Phase, false>;
    auto const load = [&](auto& tile, int number, auto const& positions, bool is_live) {
      if (!is_live) return;
      if (Phase != all::first && number < a.grid.kept_tiles)
        kept.template get<here>(number, tile);
      else
        load_tile<Program, here, v, items, max_rank, true>(tile, a, offsets, positions, true);
      load_tile<Program, others, v, items, max_rank, true>(tile, a, offsets, positions, true);
      if constexpr (Phase == all::first && has_selected<Program, here>)
        if (number < a.grid.kept_tiles) kept.template put<here>(number, tile);
    };
    auto const process = [&](auto& tile, auto& states, auto const& positions) {
      selected_registers<Program, no_loads> none;
      process_tile<Phase, all::template stores<Phase>, v, items, max_rank, loads, no_loads,
                   no_loads>(tile, none, states, f, a, offsets, positions, true);
    };
    sweep_tiles<Phase, long long>(segment, first_tile, load, process);
  }

  // One segment in runs of vectors, whose tiles have been asked for.
  template <int Phase>
  __device__ __forceinline__ void sweep_runs(int segment, int first_tile,
                                             tile_requests<Program, C, Phase>& requests) {
    using loads = loads_of_sweep<Program, v, items, Phase>;
    using here = loads_by_keeping<Program, v, items, Phase, true>;
    using others = loads_by_keeping<Program, v, items, Phase, false>;
    auto const load = [&](auto& tile, int number, auto const& positions, bool) {
      load_in_runs<Program, others, v, items>(tile, a, offsets, positions);
      if constexpr (has_selected<Program, here>) {
        requests.await();
        kept.template get<here>(requests.slot_of(number), tile);
        requests.next();
      }
    };
    auto const process = [&](auto& tile, auto& states, auto const& positions) {
      process_runs<Phase, all::template stores<Phase>, v, items, loads>(tile, states, f, a, offsets,
                                                                        positions);
    };
    sweep_tiles<Phase, int>(segment, first_tile, load, process);
  }

  // The tiles of a segment in the order of the pass: load(tile, its number, positions, is_live)
  // brings each, process(tile, states, positions) takes those in that are inside.
  template <int Phase, class Index, class Load, class Process>
  __device__ __forceinline__ void sweep_tiles(int segment, int first_tile, Load const& load,
                                              Process const& process) {
    using running = running_states<Program, v, items, Phase>;
    selected_registers<Program, running> states;
    reset<Program, running>(states);
    cascade<Program, running> levels;
    segment_tiles<Index> const tiles(a, segment, lanes, items);
    int const count = a.grid.tiles_per_segment;
#pragma unroll 1
    for (int t = 0; t < count; ++t) {
      int const in_segment = Phase % 2 == 1 ? t : count - 1 - t;
      bool const is_live = tiles.is_live(in_segment);
      auto const positions = tiles.positions(in_segment, lane, lanes);
      selected_registers<Program, loads_of_sweep<Program, v, items, Phase>> tile;
      load(tile, first_tile + in_segment, positions, is_live);
      if (!is_live) continue;
      process(tile, states, positions);
      if constexpr (all::template reduces<Phase>) levels.after_tile(states);
    }
    if constexpr (all::template reduces<Phase>) levels.finish(f.row, states);
  }

  // The team's states become the unit's part of the row: at once where the team is a warp; the
  // block's warps leave theirs in shared memory, and meet once for several units.
  template <int Phase> __device__ __forceinline__ void leave_part(long long unit) {
    for_each_selected<Program, reductions<Phase>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      auto const state =
          combine_lanes<typename reduction_facts<Program, k>::op, 32>(read_register<k>(f.row));
      if (threadIdx.x % 32 != 0) return;
      if (lanes == 32)
        of_all.template put<k>(unit, state);
      else
        warp_states<k>::put(unit_buffer, waiting * warps + static_cast<int>(threadIdx.x) / 32,
                            state);
    });
    if (lanes != 32 && ++waiting == most_waiting) leave_waiting<Phase>(unit);
  }
  // @pre the waiting units are the latest ones of the pass, the last of them is `last_unit`
  template <int Phase> __device__ __forceinline__ void leave_waiting(long long last_unit) {
    if (waiting == 0) return;
    __syncthreads();
    int const which = static_cast<int>(threadIdx.x) / warps,
              warp = static_cast<int>(threadIdx.x) % warps, before_last = waiting - 1 - which;
    long long const unit = Phase % 2 == 1 ? last_unit - before_last : last_unit + before_last;
    for_each_selected<Program, reductions<Phase>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using facts = reduction_facts<Program, k>;
      typename facts::state state = facts::identity();
      if (which < waiting) state = warp_states<k>::get(unit_buffer, which * warps + warp);
      state = combine_lanes<typename facts::op, 32>(state, warps);
      if (which < waiting && warp == 0) of_all.template put<k>(unit, state);
    });
    waiting = 0, unit_buffer ^= 1;
  }

  // Rows of a chunk are taken in one after the other; a chunk's rows are all one team's.
  template <int Phase>
  __device__ __forceinline__ void add_row(long long& chunk,
                                          long_chains<Program, totals<Phase>>& of_chunk) {
    long long const mine = a.grid.rows_per_chunk == 1 ? row : row / a.grid.rows_per_chunk;
    if (mine != chunk) {
      leave_total<Phase>(chunk, of_chunk);
      chunk = mine;
      of_chunk.clear();
      for_each_selected<Program, totals<Phase>>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        read_register<k>(f.total) = reduction_facts<Program, k>::identity();
      });
    }
    for_each_selected<Program, totals<Phase>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using facts = reduction_facts<Program, k>;
      auto value =
          static_cast<typename facts::operand>(value_of<facts::instruction::first_operand>(f));
      read_register<k>(f.total) =
          facts::op::combine(read_register<k>(f.total), facts::op::lift(value));
    });
    of_chunk.carry(f.total);
  }
  template <int Phase>
  __device__ __forceinline__ void leave_total(long long chunk,
                                              long_chains<Program, totals<Phase>> const& of_chunk) {
    if (chunk < 0 || lane != 0) return;
    of_chunk.finish(f.total);
    for_each_selected<Program, totals<Phase>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      of_all.template put<k>(chunk, read_register<k>(f.total));
    });
  }

  __device__ __forceinline__ void store_row() {
    for_each_instruction<Program>([&](auto index) {
      constexpr int k = decltype(index)::value;
      using I = typename program_traits<Program>::template at<k>;
      if constexpr (operands_at<Program, place::row>::stores(k))
        store_one<k>(f, a, offsets.stores[I::bits]);
    });
  }
};

}  // namespace tenon::detail
#endif
