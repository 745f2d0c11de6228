// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rows skeleton: a group of threads finishes each row, phase by phase; totals over the rows end
// the launch.

#include "tenon/backend/cuda/sweep.cuh"
#include "tenon/backend/cuda/ticket.cuh"

namespace tenon {
namespace detail {

template <class Program, class C>
using rows_arguments = kernel_arguments<Program, max_rank, C::group_dims, 64>;

// What stays in registers over the phases: all that a reduction needs, what no cache would keep
// until the stores, and everything while it is little. The rest comes from a cache, item by item,
// when the elements are stored.
template <class Program> struct residency {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  static constexpr int phases = program_traits<Program>::row_phases;
  template <int K>
  static constexpr bool is_element_load = at<K>::is_load&& at<K>::where == place::element;
  template <int K, int... Phase>
  static constexpr bool is_reduced(std::integer_sequence<int, Phase...>) {
    return (false || ... || element_needs<Program>::template at<Phase + 1, false>.needed[K]);
  }
  template <int K>
  static constexpr bool must_stay = is_element_load<K> &&
                                    (is_reduced<K>(std::make_integer_sequence<int, phases>{}) ||
                                     at<K>::varies_over_rows);

  // Bytes per element of what must stay, and registers of a whole row share of everything.
  template <int... K> static constexpr int sum_of_kept_bytes(std::integer_sequence<int, K...>) {
    return (0 + ... + (must_stay<K> ? size_of(at<K>::type) : 0));
  }
  template <int V, int Items, int... K>
  static constexpr int words_of_all(std::integer_sequence<int, K...>) {
    return (0 + ... + (is_element_load<K> ? (size_of(at<K>::type) * V + 3) / 4 * Items : 0));
  }
  using sequence = typename program_traits<Program>::sequence;
  static constexpr int kept_bytes = sum_of_kept_bytes(sequence{});
};

template <class Program, class C>
struct resident_loads : needed_loads<Program, C::vector_width, C::items,
                                     program_traits<Program>::row_phases + 1, true> {
  static constexpr int words = residency<Program>::template words_of_all<C::vector_width, C::items>(
      typename program_traits<Program>::sequence{});
  template <int K>
  static constexpr bool holds = residency<Program>::template must_stay<K> ||
                                (residency<Program>::template is_element_load<K> && words <= 64);
};
template <class Program, class C>
struct late_loads
    : needed_loads<Program, C::vector_width, 1, program_traits<Program>::row_phases + 1, true> {
  template <int K>
  static constexpr bool holds = residency<Program>::template is_element_load<K> &&
                                !resident_loads<Program, C>::template holds<K>;
};

// One thread's view of the row that it works on.
template <class Program, class C> struct row_worker {
  static constexpr int v = C::vector_width, items = C::items, dims = C::group_dims;
  static constexpr int phases = program_traits<Program>::row_phases;
  using arguments = rows_arguments<Program, C>;
  using resident = resident_loads<Program, C>;
  using late = late_loads<Program, C>;

  arguments const& a;
  frame<Program> const& f;
  int lane, lanes;  // this thread among those of its row
  int row_in_block;
  int buffer = 0;  // of the shared states
  long long row = 0;
  bool is_inside = false;
  operand_offsets<Program> offsets;

  __device__ __forceinline__ item_positions<int> resident_positions() const {
    return {lane, lanes, static_cast<int>(a.columns.size)};
  }
  // Odd sweeps go forwards and even ones backwards, so that each begins with what the one before
  // read last.
  template <int Sweep>
  __device__ __forceinline__ item_positions<long long> looped_positions(long long tile) const {
    long long at = Sweep % 2 == 1 ? tile : a.split.column_tiles - 1 - tile;
    return {at * (lanes * items) + lane, lanes, a.columns.size};
  }

  __device__ __forceinline__ void begin(long long next_row) {
    row = next_row;
    is_inside = row < a.rows.size;
    find_row<Program>(offsets, a, is_inside ? row : 0);
    for_each_instruction<Program>([&](auto index) {
      constexpr int k = decltype(index)::value;
      using I = typename program_traits<Program>::template at<k>;
      if constexpr (operands_at<Program, place::row>::template loads<k>) {
        read_register<k>(f.row) = typename I::value_type{};
        if (is_inside) read_register<k>(f.row) = load_one<Program, k>(a, offsets.loads[I::bits]);
      }
    });
    evaluate<place::row, 0, 0>(f);
  }

  template <class Tile> __device__ __forceinline__ void load_resident(Tile& tile) {
    if constexpr (!C::is_looped)
      load_tile<Program, resident, v, items, dims, false>(tile, a, offsets, resident_positions(),
                                                          is_inside);
  }

  // Sweeps the columns for the reductions of phase Phase and combines them over the threads of the
  // row.
  template <int Phase, class Tile> __device__ __forceinline__ void reduce(Tile const& tile) {
    using running = running_states<Program, v, items, Phase>;
    selected_registers<Program, running> states;
    reset<Program, running>(states);
    if constexpr (C::is_looped) {
      cascade<Program, running> levels;
      sweep<Phase, false>(tile, states, levels);
      levels.finish(f.row, states);
    } else {
      no_levels none;
      sweep<Phase, false>(tile, states, none);
      join_chains<Program, running>(f.row, states);
    }
    combine<Phase>();
    evaluate<place::row, Phase, Phase>(f);
  }

  // What is done after each tile when there is nothing to keep.
  struct no_levels {
    template <class States> __device__ __forceinline__ void after_tile(States&) {}
  };

  template <int Phase, bool Stores, class Tile, class States, class Levels>
  __device__ __forceinline__ void sweep(Tile const& tile, States& states, Levels& levels) {
    if constexpr (C::is_looped) {
      using loads = needed_loads<Program, v, items, Phase, Stores>;
      for (long long t = 0; t < a.split.column_tiles; ++t) {
        auto positions = looped_positions<Phase>(t);
        selected_registers<Program, loads> loaded;
        load_tile<Program, loads, v, items, dims, false>(loaded, a, offsets, positions, is_inside);
        process_tile<Phase, Stores, v, items, dims, loads, no_loads>(loaded, states, f, a, offsets,
                                                                     positions, is_inside);
        levels.after_tile(states);
      }
    } else {
      using late_here = std::conditional_t<Stores, late, no_loads>;
      process_tile<Phase, Stores, v, items, dims, resident, late_here>(
          tile, states, f, a, offsets, resident_positions(), is_inside);
    }
  }

  template <int Phase> __device__ __forceinline__ void combine() {
    using reductions = reductions_of<Program, place::row, Phase>;
    if constexpr (C::is_rows_fastest) {
      combine_strided<reductions>();
    } else {
      constexpr int width = C::lanes_per_row > 0 ? C::lanes_per_row : 32;
      for_each_selected<Program, reductions>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        read_register<k>(f.row) =
            combine_lanes<typename reduction_facts<Program, k>::op, width>(read_register<k>(f.row));
      });
      if constexpr (C::lanes_per_row == 0) {
        int warps = a.split.warps_per_row;
        if (warps > 1)
          combine_warps<Program, reductions, C::threads_per_block / 32>(f.row, row_in_block * warps,
                                                                        warps, buffer);
      }
    }
  }

  // Rows fastest: the threads of a row are 32 apart. All of them combine the same states in the
  // same order.
  template <class Reductions> __device__ __forceinline__ void combine_strided() {
    for_each_selected<Program, Reductions>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      shared_states<Program, k, C::threads_per_block>(buffer)[lane * 32 + row_in_block] =
          read_register<k>(f.row);
    });
    __syncthreads();
    for_each_selected<Program, Reductions>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using facts = reduction_facts<Program, k>;
      auto const* all = shared_states<Program, k, C::threads_per_block>(buffer) + row_in_block;
      typename facts::state state = all[0];
      for (int other = 1; other < lanes; ++other)
        state = facts::op::combine(state, all[other * 32]);
      read_register<k>(f.row) = state;
    });
    buffer ^= 1;
  }

  template <int... Phase>
  __device__ __forceinline__ void finish_row(long long next_row,
                                             std::integer_sequence<int, Phase...>) {
    begin(next_row);
    selected_registers<Program, std::conditional_t<C::is_looped, no_loads, resident>> tile;
    load_resident(tile);
    (reduce<Phase + 1>(tile), ...);
    selected_registers<Program, no_loads> none;
    no_levels nothing;
    if constexpr (has_element_stores) sweep<phases + 1, true>(tile, none, nothing);
    if (lane == 0 && is_inside) end();
  }

  // One thread writes the row's values and takes them into the totals.
  __device__ __forceinline__ void end() {
    for_each_instruction<Program>([&](auto index) {
      constexpr int k = decltype(index)::value;
      using I = typename program_traits<Program>::template at<k>;
      if constexpr (operands_at<Program, place::row>::template stores<k>)
        store_one<k>(f, a, offsets.stores[I::bits]);
    });
    for_each_selected<Program, reductions_of<Program, place::total, 0>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using facts = reduction_facts<Program, k>;
      auto value =
          static_cast<typename facts::number>(value_of<facts::instruction::first_operand>(f));
      read_register<k>(f.total) =
          facts::op::combine(read_register<k>(f.total), facts::op::lift(value));
    });
  }

 private:
  template <int... K> static constexpr bool any_element_store(std::integer_sequence<int, K...>) {
    return (false || ... || element_stores<Program, v>::template holds<K>);
  }
  static constexpr bool has_element_stores =
      any_element_store(typename program_traits<Program>::sequence{});
};

}  // namespace detail

// Owners: block b finishes groups_per_block consecutive groups of blockDim.y rows (blockDim.x, rows
// fastest); a thread of a row takes its vectors lane, lane + lanes, ... A row beyond the end is
// swept by its threads but neither read nor stored. Registers: the row as it lies in memory, unless
// the configuration is looped; up to four running states per reduction. Shared memory: one state
// per warp (rows fastest: per thread) and reduction, twice. Global memory: each operand is read
// once (looped: once per phase that needs it) and each element store written once.
// @pre columns.size <= lanes * items vectors unless looped; the grid is a function of the shape if
// there are totals, and then the slots in the workspace are 0
// @post every store is written once per position; a row's bits do not depend on the other rows; the
// slots are 0 again
template <class Program, class C, unsigned long long Build, class Arguments>
__global__ void __launch_bounds__(C::threads_per_block, 1)
    rows_kernel(const __grid_constant__ Arguments a) {
  using namespace detail;
  using totals = reductions_of<Program, place::total, 0>;
  registers<Program, place::launch> launch;
  registers<Program, place::row> row;
  registers<Program, place::element> element;
  registers<Program, place::total> total;
  frame<Program> f{launch, row, element, total};
  start(f, a);
  for_each_selected<Program, totals>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    read_register<k>(total) = reduction_facts<Program, k>::identity();
  });

  constexpr bool rows_fastest = C::is_rows_fastest;
  int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  int width = C::lanes_per_row > 0 ? C::lanes_per_row : static_cast<int>(blockDim.x),
      height = static_cast<int>(blockDim.y);
  row_worker<Program, C> worker{a, f, rows_fastest ? y : x, rows_fastest ? height : width,
                                rows_fastest ? x : y};
  int rows_per_group = rows_fastest ? 32 : height;
  long long group = blockIdx.x * a.split.groups_per_block, last = group + a.split.groups_per_block;
  do {  // at least once: values that no row enters are wanted even when there are no rows
    worker.finish_row(group * rows_per_group + worker.row_in_block,
                      std::make_integer_sequence<int, program_traits<Program>::row_phases>{});
    ++group;
  } while (group < last && group * rows_per_group < a.rows.size);

  bool is_writer = x == 0 && y == 0;
  if constexpr (program_traits<Program>::has_total) {
    if (!combine_grid<Program, totals, C::threads_per_block>(total, a.workspace, worker.buffer))
      return;
    evaluate<place::total, 0, max_nodes>(f);
    if (is_writer) store_all<place::total>(f, a);
  } else {
    is_writer = is_writer && blockIdx.x == 0;
  }
  if (is_writer) store_all<place::launch>(f, a);
}

}  // namespace tenon
