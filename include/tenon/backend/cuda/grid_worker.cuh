// SPDX-License-Identifier: Apache-2.0
#pragma once
// One team's share of the rows, phase by phase: what a thread of the grid skeleton does between two
// meetings of all blocks.

#include "tenon/backend/cuda/kept_tiles.cuh"
#include "tenon/backend/cuda/ticket.cuh"

namespace tenon::detail {

// How the blocks share the work; the segments and chunks follow from the shape alone.
struct grid_split {
  int segments = 1;  // of each row
  int warps_per_team = 1;
  long long vectors_per_segment = 0, tiles_per_segment = 0;
  long long units_per_team = 1;              // consecutive segments
  long long rows_per_chunk = 1, chunks = 0;  // rows whose part of a total one team finds
  long long kept_tiles = 0;                  // per team
};

template <class Program> struct grid_arguments : kernel_arguments<Program, max_rank, max_rank, 64> {
  grid_split grid;
};

// Words of the workspace behind the tickets: the barrier's generation, then the partial results.
inline constexpr int first_grid_word = first_partial + 32;

// Words of the states of Where's reductions before instruction Count; of all of them.
template <class Program, place Where, int Count = program_traits<Program>::size>
inline constexpr int state_words_before = [] {
  return []<int... K>(std::integer_sequence<int, K...>) {
    using traits = program_traits<Program>;
    return (0 + ... +
            (traits::template at<K>::is_reduction && traits::template at<K>::where == Where
                 ? static_cast<int>(sizeof(typename traits::template at<K>::value_type) + 3) / 4
                 : 0));
  }
  (std::make_integer_sequence<int, Count>{});
}();

// One thread's view of the units that its team works on: a unit is a segment of a row, a team one
// warp or the block.
template <class Program, class C> struct grid_worker {
  static constexpr int v = C::vector_width, items = C::items, threads = C::threads_per_block;
  using all = sweeps<Program>;
  using kept_type = kept_tiles<Program, v, items, threads>;
  using arguments = grid_arguments<Program>;
  template <int Phase> using reductions = reductions_ending<Program, place::row, Phase>;
  template <int Phase> using totals = reductions_ending<Program, place::total, Phase>;

  arguments const& a;
  frame<Program> const& f;
  kept_type kept;
  int lane, lanes;               // this thread among those of its team
  long long begin = 0, end = 0;  // units of the team
  int buffer = 0;                // of the shared states
  long long row = -1;
  operand_offsets<Program> offsets;

  __device__ __forceinline__ void take_share() {
    long long team = static_cast<long long>(blockIdx.x) * (threads / lanes) + threadIdx.x / lanes;
    long long stop = a.rows.size * a.grid.segments;
    begin = team * a.grid.units_per_team;
    end = begin + a.grid.units_per_team;
    if (begin > stop) begin = stop;
    if (end > stop) end = stop;
  }

  // Odd passes go forwards and even ones backwards, so that each begins with what the one before
  // read last.
  template <int Phase> __device__ __forceinline__ void pass() {
    row = -1;
    long long chunk = -1;
    for (long long i = begin; i < end; ++i) {
      long long unit = Phase % 2 == 1 ? i : end - 1 - (i - begin);
      // There are 2^10 vectors for each of several segments of a row: 32 bits hold their number.
      int const segments = a.grid.segments;
      long long const next_row =
          segments == 1 ? unit : static_cast<unsigned>(unit) / static_cast<unsigned>(segments);
      int const segment = static_cast<int>(unit - next_row * segments);
      if (!all::template has<Phase> && segment != 0) continue;
      if (next_row != row) enter<Phase>(next_row);
      if constexpr (is_any<Program, totals<Phase>>)
        if (segment == 0) add_row<Phase>(chunk);
      if constexpr (all::template has<Phase>) {
        long long const first_tile = (unit - begin) * a.grid.tiles_per_segment;
        if (a.is_packed)
          sweep<Phase, 1>(segment, first_tile);
        else
          sweep<Phase, max_rank>(segment, first_tile);
      }
      if constexpr (all::template reduces<Phase>) leave_part<Phase>(unit);
      if constexpr (Phase == all::last)
        if (segment == 0 && lane == 0) store_row();
    }
    if constexpr (is_any<Program, totals<Phase>>) leave_total<Phase>(chunk);
  }

  // The totals of a phase from the chunks' parts, and what follows from them.
  // @pre all blocks have done the phase
  template <int Phase> __device__ __forceinline__ void finish_totals() {
    if constexpr (is_any<Program, totals<Phase>>) {
      long long const chunks = a.grid.chunks;
      for_each_selected<Program, totals<Phase>>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        using facts = reduction_facts<Program, k>;
        typename facts::state state = facts::identity();
#pragma unroll 4
        for (long long chunk = threadIdx.x; chunk < chunks; chunk += threads)
          state = facts::op::combine(state, read_state<k>(total_words<k>(chunk)));
        read_register<k>(f.total) = state;
      });
      combine_block<Program, totals<Phase>, threads>(f.total, buffer);
    }
    evaluate<place::total, Phase, Phase>(f);
  }

 private:
  // The row's values as far as the phases before this one have made them known.
  template <int Phase> __device__ __forceinline__ void enter(long long next_row) {
    row = next_row;
    find_row<Program>(offsets, a, row);
    for_each_instruction<Program>([&](auto index) {
      constexpr int k = decltype(index)::value;
      using I = typename program_traits<Program>::template at<k>;
      if constexpr (operands_at<Program, place::row>::template loads<k>)
        read_register<k>(f.row) = load_one<Program, k>(a, offsets.loads[I::bits]);
    });
    evaluate<place::row, 0, 0>(f);
    finish_phases(std::make_integer_sequence<int, Phase - 1>{});
  }
  template <int... Before>
  __device__ __forceinline__ void finish_phases(std::integer_sequence<int, Before...>) {
    (finish_phase<Before + 1>(), ...);
  }
  // @post the same bits in all threads of all teams of the row
  template <int Phase> __device__ __forceinline__ void finish_phase() {
    for_each_selected<Program, reductions<Phase>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using facts = reduction_facts<Program, k>;
      int const segments = a.grid.segments;
      long long const first = row * segments;
      if (segments == 1) {
        read_register<k>(f.row) = read_state<k>(part_words<k>(first));
        return;
      }
      typename facts::state state = facts::identity();
#pragma unroll 8
      for (int segment = static_cast<int>(threadIdx.x % 32); segment < segments; segment += 32)
        state = facts::op::combine(state, read_state<k>(part_words<k>(first + segment)));
      read_register<k>(f.row) = combine_lanes<typename facts::op, 32>(state);
    });
    evaluate<place::row, Phase, Phase>(f);
  }

  template <int Phase, int Dims>
  __device__ __forceinline__ void sweep(int segment, long long first_tile) {
    using loads = loads_of_sweep<Program, v, items, Phase>;
    using here = loads_by_keeping<Program, v, items, Phase, true>;
    using others = loads_by_keeping<Program, v, items, Phase, false>;
    using running = running_states<Program, v, items, Phase>;
    constexpr bool is_last = Phase == all::last;
    selected_registers<Program, running> states;
    reset<Program, running>(states);
    cascade<Program, running> levels;
    long long const first = segment * a.grid.vectors_per_segment,
                    beyond = first + a.grid.vectors_per_segment,
                    stop = beyond < a.vectors ? beyond : a.vectors,
                    whole = a.tail != 0 ? a.vectors - 1 : a.vectors;
    long long const step = static_cast<long long>(lanes) * items;
    int const tiles = stop > first ? static_cast<int>((stop - first + step - 1) / step) : 0;
#pragma unroll 1
    for (int t = 0; t < tiles; ++t) {
      int const tile_in_segment = Phase % 2 == 1 ? t : tiles - 1 - t;
      long long const number = first_tile + tile_in_segment;
      item_positions<long long> positions{first + tile_in_segment * step + lane, lanes,
                                          stop < whole ? stop : whole, stop > whole ? a.tail : 0};
      selected_registers<Program, loads> tile;
      if (Phase != all::first && number < a.grid.kept_tiles)
        kept.template get<here>(number, tile);
      else
        load_tile<Program, here, v, items, Dims, true>(tile, a, offsets, positions, true);
      load_tile<Program, others, v, items, Dims, true>(tile, a, offsets, positions, true);
      if constexpr (Phase == all::first && is_any<Program, here>)
        if (number < a.grid.kept_tiles) kept.template put<here>(number, tile);
      selected_registers<Program, no_loads> none;
      process_tile<Phase, is_last, v, items, Dims, loads, no_loads, no_loads>(
          tile, none, states, f, a, offsets, positions, true);
      if constexpr (!is_last) levels.after_tile(states);
    }
    if constexpr (!is_last) levels.finish(f.row, states);
  }

  // Combines the team's states into the unit's part of the row.
  template <int Phase> __device__ __forceinline__ void leave_part(long long unit) {
    if (lanes == 32) {
      for_each_selected<Program, reductions<Phase>>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        read_register<k>(f.row) =
            combine_lanes<typename reduction_facts<Program, k>::op, 32>(read_register<k>(f.row));
      });
    } else {
      combine_block<Program, reductions<Phase>, threads>(f.row, buffer);
    }
    if (lane != 0) return;
    for_each_selected<Program, reductions<Phase>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      write_state<k>(part_words<k>(unit), read_register<k>(f.row));
    });
  }

  // Rows of a chunk are taken in one after the other; a chunk's rows are all one team's.
  template <int Phase> __device__ __forceinline__ void add_row(long long& chunk) {
    long long const mine = a.grid.rows_per_chunk == 1 ? row : row / a.grid.rows_per_chunk;
    if (mine != chunk) {
      leave_total<Phase>(chunk);
      chunk = mine;
      for_each_selected<Program, totals<Phase>>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        read_register<k>(f.total) = reduction_facts<Program, k>::identity();
      });
    }
    for_each_selected<Program, totals<Phase>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using facts = reduction_facts<Program, k>;
      auto value =
          static_cast<typename facts::number>(value_of<facts::instruction::first_operand>(f));
      read_register<k>(f.total) =
          facts::op::combine(read_register<k>(f.total), facts::op::lift(value));
    });
  }
  template <int Phase> __device__ __forceinline__ void leave_total(long long chunk) {
    if (chunk < 0 || lane != 0) return;
    for_each_selected<Program, totals<Phase>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      write_state<k>(total_words<k>(chunk), read_register<k>(f.total));
    });
  }

  __device__ __forceinline__ void store_row() {
    for_each_instruction<Program>([&](auto index) {
      constexpr int k = decltype(index)::value;
      using I = typename program_traits<Program>::template at<k>;
      if constexpr (operands_at<Program, place::row>::template stores<k>)
        store_one<k>(f, a, offsets.stores[I::bits]);
    });
  }

  template <int K> __device__ __forceinline__ unsigned* part_words(long long unit) const {
    return a.workspace + first_grid_word + unit * state_words_before<Program, place::row> +
           state_words_before<Program, place::row, K>;
  }
  template <int K> __device__ __forceinline__ unsigned* total_words(long long chunk) const {
    long long parts = a.rows.size * a.grid.segments * state_words_before<Program, place::row>;
    return a.workspace + first_grid_word + parts +
           chunk * state_words_before<Program, place::total> +
           state_words_before<Program, place::total, K>;
  }
  template <int K> __device__ __forceinline__ static auto read_state(unsigned const* from) {
    state_words<typename reduction_facts<Program, K>::state> words;
#pragma unroll
    for (int w = 0; w < words.count; ++w) words.words[w] = __ldcg(from + w);
    return words.state();
  }
  template <int K, class State>
  __device__ __forceinline__ static void write_state(unsigned* to, State const& state) {
    state_words<State> words(state);
#pragma unroll
    for (int w = 0; w < words.count; ++w) __stcg(to + w, words.words[w]);
  }
};

}  // namespace tenon::detail
