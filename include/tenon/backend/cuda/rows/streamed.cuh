// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows that are read once and leave nothing but values per row: each passes by the threads that
// share it, tile by tile; a long one in segments, which several blocks share where there are few.

#include "tenon/backend/cuda/parts/long_chains.cuh"
#include "tenon/backend/cuda/parts/runs.cuh"
#include "tenon/backend/cuda/parts/slice_windows.cuh"
#include "tenon/backend/cuda/rows/kernel.cuh"
#include "tenon/backend/cuda/rows/streamed_facts.cuh"
#include "tenon/backend/cuda/rows/sweep_states.cuh"
#include "tenon/backend/cuda/rows/word_segments.cuh"

namespace tenon {
namespace detail {

#if defined(__CUDA_ARCH__)
// One thread's view of the row that it works on.
template <class Program, class C> struct streamed_worker {
  static constexpr bool is_ordered = C::group_dims == ordered_columns;
  static constexpr int v = C::vector_width, items = C::items;
  static constexpr bool is_sliced = C::group_dims == sliced_columns;
  static constexpr int dims = is_ordered || is_sliced ? contiguous_columns : C::group_dims;
  static constexpr int most_warps = C::threads_per_block / 32;
  using arguments = rows_arguments<Program, C>;
  using reductions = reductions_of<Program, place::row, 1>;
  static constexpr bool has_row_loads = has_selected<Program, row_loads<Program>>;
  // Whether the next kernel may come when the last of many blocks has begun. H200, in a graph, us,
  // sums of 300 x 1024 f32 1.68 (1.90), 1000 x 1000 2.35 (2.60), 4096 x 1024 5.22 (5.39), 16384 x
  // 256 5.31 (5.49), 10000 x 100 2.70 (2.65). Kernels that keep their rows win as much of most
  // shapes and lose of some: RMS norm of 16384 x 1024 bf16 20.7 (17.2). Sums by place of rows that
  // lie anywhere do in all types, and those of short calls.
  static constexpr bool may_leave =
      !has_large_states<Program> && !program_traits<Program>::has_total &&
      (has_whole_vectors<dims> ? program_traits<Program>::widest_element == 4
                               : sums_by_place<Program>);

  // Of a tile in flight large states take in 16 elements at a time, for whose values there are
  // registers.
  static constexpr int taken = has_large_states<Program> && v * items > 16 ? (v < 16 ? 16 / v : 1)
                                                                           : items;
  using running = running_states<Program, v, taken, 1>;
  using states = sweep_states<Program, v, running, is_ordered || dims == packed_columns>;

  arguments const& a;
  frame<Program> const& f;
  std::conditional_t<has_word_segments<Program, C>, word_segments<Program>, row_segments<Program>>
      segments;
  int const lanes = static_cast<int>(blockDim.x);
  int buffer = 0;  // of the shared states
  row_totals<Program> of_rows = {};

  __device__ __forceinline__ void finish_row(long long row) {
    bool const is_inside = row < a.row_count;
    operand_offsets<Program> offsets;
    find_row<Program>(offsets, a, is_inside ? row : 0);
    if constexpr (has_row_loads) await_operands<Program>();
    selected_registers<Program, row_loads<Program>> values;
    request_row_values<Program>(values, a, offsets, is_inside);
    find_gathered<Program>(offsets, a, f.launch, values, is_inside);
    auto const begin_row = [&] {
      take_row_values<Program>(f, values, a, offsets, is_inside);
      evaluate<place::row, 0, 0>(f);
    };
    if constexpr (sweeps_with_row_values<Program>) begin_row();
    if constexpr (has_word_segments<Program, C>)
      if (a.split.segments > 1) {
        await_operands<Program>();
        segments.begin();
      }
    int segment = segments.first();
#pragma unroll 1
    do {
      sweep(segment, offsets, is_inside);
      combine();
      if (a.split.segments > 1) segments.template put<reductions>(f.row, segment);
      segment += segments.step();
    } while (segment < a.split.segments);
    if (a.split.segments > 1) {
      if (!segments.is_last()) return;
      segments.template combine<reductions>(f.row);
    }
    if constexpr (!sweeps_with_row_values<Program>) begin_row();
    evaluate<place::row, 1, 1>(f);
    if (threadIdx.x == 0 && is_inside) {
      // Where its values go is found again rather than held over the sweep.
      if constexpr (dims > packed_columns && sums_by_place<Program>) {
        asm volatile("" : "+l"(row));
        find_row<Program>(offsets, a, row);
      }
      end_row<Program>(f, a, offsets, row, of_rows);
    }
  }

 private:
  // Of the vectors of a segment, whose number 32 bits hold: the first, and where they end.
  __device__ __forceinline__ int2 range_of(int segment, bool is_inside) const {
    int const size = static_cast<int>(a.split.tiles_per_segment) * lanes * items,
              all = is_inside ? static_cast<int>(a.vectors) : 0, first = segment * size;
    return {first, first + size < all ? first + size : all};
  }
  __device__ __forceinline__ void sweep(int segment, operand_offsets<Program> const& offsets,
                                        bool is_inside) {
    bool const is_one_turn = a.split.groups * a.split.blocks_per_row <= gridDim.x;
    bool const may_follow = has_word_segments<Program, C> || a.split.segments == 1;
    bool const is_short = may_ask_early<Program> && a.split.asks_early,
               leaves = (may_leave || is_short) && may_follow && is_one_turn;
    if constexpr (sums_by_place<Program>)
      place_sums<Program, C>{a, f, offsets}.sweep(segment, is_inside, leaves);
    else
      sweep_vectors(segment, offsets, is_inside, leaves);
  }
  __device__ __forceinline__ void sweep_vectors(int segment,
                                                operand_offsets<Program> const& offsets,
                                                bool is_inside, bool leaves) {
    states passing;
    int const step = lanes * items, thread = static_cast<int>(threadIdx.x);
    if constexpr (has_whole_vectors<dims> || is_ordered || is_sliced) {
      auto [first, end] = range_of(segment, is_inside);
      int const partial = (is_ordered || is_sliced) && end == a.vectors ? a.tail : 0,
                whole = end - (partial != 0);
      int sure = whole;
      if constexpr (is_sliced) {
        int const all = static_cast<int>(a.vectors) - a.slices.without;
        sure = all < whole ? all : whole;
      }
      await_operands<Program>(leaves);
      // Tiles that are all inside need no look at their vectors.
#pragma unroll 1
      for (; sure - first >= step; first += step) {
        take<items>(passing.states, offsets, positions_inside<is_ordered>{first + thread, lanes});
        passing.after_tile(f, a, offsets);
      }
      if (first < end) {
        take_rest(passing.states, offsets,
                  positions_at_end<is_ordered>{first + thread, lanes, whole, partial});
        passing.after_tile(f, a, offsets);
      }
    } else {
      // The segment begins at `origin` and has `vectors` before its end or the row's, the last of
      // which may be one in part.
      long long const size = a.split.tiles_per_segment * step, origin = segment * size,
                      left = a.vectors - origin;
      int const vectors = static_cast<int>(left < size ? left : size),
                partial = left <= size ? a.tail : 0, end = is_inside ? vectors - (partial != 0) : 0,
                rest = is_inside ? partial : 0;
      await_operands<Program>();
#pragma unroll 1
      for (int first = 0; first < vectors; first += step) {
        take_rest(passing.states, offsets,
                  far_positions{{first + thread, lanes, end, rest}, origin});
        passing.after_tile(f, a, offsets);
      }
    }
    passing.finish(f, a, offsets);
  }
  template <int Count> using tile_of = needed_loads<Program, v, Count, 1, false>;

  template <int Count, class Tile, class Positions>
  __device__ __forceinline__ void load_slices(Tile& tile, operand_offsets<Program> const& offsets,
                                              Positions const& positions) const {
    constexpr bool has_all = requires { Positions::has_all; };
    slices_of_row<Program, v, Positions> const places{offsets, positions,
                                                      static_cast<int>(a.vectors)};
    slice_items<Program, v, Count, false> all;
    all.template request<has_all>(a, places);
    all.template take<has_all>(tile, a, places);
  }
  // The first Count items of `positions`.
  template <int Count, class States, class Positions>
  __device__ __forceinline__ void take(States& states, operand_offsets<Program> const& offsets,
                                       Positions const& positions) const {
    selected_registers<Program, tile_of<Count>> tile;
    if constexpr (dims == run_columns)
      load_in_runs<Program, tile_of<Count>, v, Count>(tile, a, offsets, positions);
    else if constexpr (is_sliced)
      load_slices<Count>(tile, offsets, positions);
    else
      load_tile<Program, tile_of<Count>, v, Count, dims, false>(tile, a, offsets, positions, true);
    process<Count>(tile, states, offsets, positions);
  }
  // A tile of which much may be missing. In pieces it has more registers under way: a few items at
  // a time.
  template <class States, class Positions>
  __device__ __forceinline__ void take_rest(States& states, operand_offsets<Program> const& offsets,
                                            Positions const& positions) const {
    constexpr bool has_room = has_whole_vectors<dims> && v * items <= 64;
    constexpr int some = has_room || items < 4 ? items : 4;
#pragma unroll 1
    for (int u = 0; u < items && positions.is_live(u); u += some)
      take<some>(states, offsets, positions.from(u));
  }
  template <int Count, class Tile, class States, class Positions>
  __device__ __forceinline__ void process(Tile const& tile, States& states,
                                          operand_offsets<Program> const& offsets,
                                          Positions const& positions) const {
    constexpr int some = Count < taken ? Count : taken;
#pragma unroll
    for (int u = 0; u < Count; u += some) {
      selected_registers<Program, tile_of<some>> now;
      for_each_selected<Program, tile_of<Count>>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
#pragma unroll
        for (int i = 0; i < some; ++i)
          read_register<k>(now).at[i] = read_register<k>(tile).at[u + i];
      });
      selected_registers<Program, no_loads> none;
      if constexpr (dims == run_columns)
        process_runs<1, false, v, some, tile_of<some>>(now, states, f, a, offsets,
                                                       positions.from(u));
      else
        process_tile<1, false, v, some, dims, tile_of<some>, no_loads, no_loads>(
            now, none, states, f, a, offsets, positions.from(u), true);
    }
  }

  // Lanes by shuffles; then one barrier, after which each warp combines the states of all.
  __device__ __forceinline__ void combine() {
    for_each_selected<Program, reductions>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using op = typename reduction_facts<Program, k>::op;
      auto& state = read_register<k>(f.row);
      state = combine_lanes<op, 32>(state, lanes < 32 ? lanes : 32);
    });
    if (lanes <= 32) return;
    int const warps = lanes / 32, first = static_cast<int>(threadIdx.y) * warps;
    for_each_selected<Program, reductions>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      if (threadIdx.x % 32 == 0)
        shared_states<Program, k, most_warps>::put(
            buffer, first + static_cast<int>(threadIdx.x) / 32, read_register<k>(f.row));
    });
    __syncthreads();
    for_each_selected<Program, reductions>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      read_register<k>(f.row) = combine_shared<Program, k, most_warps>(buffer, first, warps);
    });
    buffer ^= 1;
  }
};
#endif

}  // namespace detail

// Owners: blockDim.x threads share a row, blockDim.y rows are a group, and the blocks take the
// groups in turn; thread `lane` of a row takes vectors lane, lane + lanes, ... of a tile, or, in
// place_sums, neighbours of its warp's. A row in several segments is a group, which blocks_per_row
// blocks share. A row beyond the end is swept by its threads but not read; the block that comes
// last combines the segments. Registers: items vectors of each operand; up to four running states
// per reduction, and two more. Shared memory: one state per warp and reduction, twice, and in
// word_segments one per lane. Global memory: each operand is read once; one state per segment and
// reduction, twice.
// @pre nothing of a row is needed twice; no more groups of blocks than of rows; the grid is a
// function of the shape if there are totals; if several blocks share a row, there is a group for
// each row, and the slots and tickets are 0
// @post every store is written once per position; a row's bits depend on its elements and their
// number alone; the slots and the tickets are 0 again
template <class Program, class C, unsigned long long Build, class Arguments>
__global__ void __launch_bounds__(C::threads_per_block, detail::streamed_blocks_held<Program, C>)
    streamed_rows_kernel(const __grid_constant__ Arguments a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  registers<Program, place::launch> launch;
  registers<Program, place::row> row;
  registers<Program, place::element> element;
  registers<Program, place::total> total;
  frame<Program> f{launch, row, element, total};
  start_early(f, a);
  start_totals(f);
  int const blocks = a.split.blocks_per_row;
  unsigned first = blockIdx.x, rank = 0, groups = gridDim.x;
  // Divisions are a sixth of what a block of short rows does.
  if (blocks > 1) rank = first % blocks, first /= blocks, groups /= blocks;
  streamed_worker<Program, C> worker{
      a,
      f,
      {a.workspace, static_cast<int>(first), static_cast<int>(rank), blocks, a.split.segments}};
  long long group = first;
  do {
    worker.finish_row(group * blockDim.y + threadIdx.y);
    group += groups;
  } while (group < a.split.groups);
  end_launch<C::threads_per_block>(f, a, worker.of_rows, worker.buffer);
#endif
}

}  // namespace tenon
