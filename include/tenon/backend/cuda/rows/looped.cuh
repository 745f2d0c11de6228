// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows longer than registers: kept in the shared memory of as many blocks as it takes, or read
// again in each phase, by one block or, where there are few rows, by several.

#include "tenon/backend/cuda/parts/turns.cuh"
#include "tenon/backend/cuda/rows/kernel.cuh"
#include "tenon/backend/cuda/rows/looped_share.cuh"
#include "tenon/backend/cuda/rows/meeting.cuh"
#include "tenon/backend/cuda/rows/values.cuh"
#include "tenon/backend/cuda/rows/waiting_states.cuh"

namespace tenon {
namespace detail {

// Blocks of a multiprocessor at once. What is kept of a row waits for a block's registers as for
// its shared memory: where they left room for two instead of three, softmax(x * y) * w + y of 40 x
// 800000 bf16 took 199 us instead of 145 on an H200.
template <class Program, class C>
inline constexpr int looped_blocks_held = [] {
  constexpr int words = row_state_words<Program>, of_phase = words_of_row_phase<Program>;
  // Six index reductions beside each other spilled 236 bytes where two blocks were held, eight keys
  // of topk 80.
  if (!is_any_kept<Program, C::vector_width> || of_phase >= 16) return 1;
  // Fetches beside what is kept, in a softmax of bf16, spilled 124 bytes where three were.
  if (words > 3 || program_traits<Program>::has_total || program_traits<Program>::has_fetches)
    return 2;
  // What some rows share has an address of its own beside theirs.
  bool has_shared = false;
  for (instruction_facts const& i : program_traits<Program>::all)
    has_shared = has_shared || (i.moves_elements && i.varies_over_rows && i.is_of_some_rows);
  return program_traits<Program>::widest_element <= 4 && element_operands<Program>::loads <= 3 &&
                 !program_traits<Program>::has_positions && !has_shared
             ? 3
             : kept_blocks_held<Program, 0>;
}();

#if defined(__CUDA_ARCH__)
// One thread's view of the row that its block works on. A row is cut into segments, whose number is
// a function of its length: each is reduced by one block, and their states are combined in one
// order, whether one block had them all or several had some.
template <class Program, class C> struct looped_worker : looped_share<Program, C> {
  using share = looped_share<Program, C>;
  using share::a, share::own, share::is_whole, share::rank;
  using share::v, share::items, share::dims, share::threads, share::may_keep, share::most_sent;
  static constexpr int phases = program_traits<Program>::row_phases;
  // Whether what is kept of the next row comes while this one is stored: of one operand, for which
  // it was seen to gain (H200, softmax of 64 x 1048576 f32 216 us, 234 without).
  static constexpr bool is_ahead =
      may_keep && has_element_stores<Program> && element_operands<Program>::loads <= 1;
  static_assert(most_shared_segments <= threads);
  // Vectors of a turn: what positions and elements of eight bytes leave registers for.
  static constexpr int at_once =
      (program_traits<Program>::has_positions || program_traits<Program>::widest_element > 4) &&
              items > 2
          ? 2
          : items;

  frame<Program> const& f;
  row_meeting<Program> meeting;
  waiting_states<Program, threads> waiting = {};
  operand_offsets<Program> offsets;
  row_totals<Program> of_rows = {};
  bool is_brought = false;          // or on its way: what is kept of the next row
  operand_offsets<Program> coming;  // of the next row, if so

  __device__ __forceinline__ void begin() const {
    if (!meeting.is_to_begin()) return;
    await_operands<Program>();
    meeting.begin();
  }
  // next_row: which one the block works on afterwards.
  template <int... Phase>
  __device__ __forceinline__ void finish_row(long long row, long long next_row,
                                             std::integer_sequence<int, Phase...>) {
    bool is_inside = row < a.row_count;
    find_row<Program>(offsets, a, is_inside ? row : 0);
    await_operands<Program>();
    selected_registers<Program, row_loads<Program>> values;
    request_row_values<Program>(values, a, offsets, is_inside);
    find_gathered<Program>(offsets, a, f.launch, values, is_inside);
    if constexpr (may_keep)
      if (is_inside && is_whole && !is_brought) share::bring_all(offsets);
    take_row_values<Program>(f, values, a, offsets, is_inside);
    evaluate<place::row, 0, 0>(f);
    if constexpr (may_keep)
      if (is_brought) wait_for_sent();
    (reduce<Phase + 1>(is_inside), ...);
    if (a.split.segments > 1 && next_row >= a.row_count) meeting.leave();
    if constexpr (has_element_stores<Program>) {
      if constexpr (is_ahead) {
        is_brought = next_row < a.row_count && is_whole && a.is_packed;
        if (is_brought) find_row<Program>(coming, a, next_row);
        if constexpr (program_traits<Program>::has_gathered) {
          request_row_values<Program>(values, a, coming, is_brought);
          find_gathered<Program>(coming, a, f.launch, values, is_brought);
        }
      }
      selected_registers<Program, no_loads> none;
      for (int turn = 0; turn < own; ++turn)
        sweep<phases + 1, true>(share::template place_of<phases + 1>(turn), none, is_inside);
    }
    if (threadIdx.x == 0 && rank == 0 && is_inside) end_row<Program>(f, a, offsets, row, of_rows);
  }

  // @pre all rows are finished
  __device__ __forceinline__ void end() {
    if (a.split.segments > 1) meeting.end();
  }

 private:
  // The last turn takes in the states of all segments.
  template <int Phase> __device__ __forceinline__ void reduce(bool is_inside) {
    using reductions = reductions_of<Program, place::row, Phase>;
    using running = running_states<Program, v, items, Phase>;
#pragma unroll 1
    for (int turn = 0;; ++turn) {
      bool const is_over = turn == own;
      if (is_over) {
        meeting.template take<reductions>(f.row);
      } else {
        selected_registers<Program, running> states;
        reset<Program, running>(states);
        sweep<Phase, false>(share::template place_of<Phase>(turn), states, is_inside);
      }
      waiting.template leave<reductions>(f.row);
      if (!waiting.is_full() && turn + 1 < own) continue;
      int const before_last = waiting.template combine<reductions>(f.row);
      if (is_over || a.split.segments == 1) break;
      if (threadIdx.x % 32 == 0 && before_last >= 0)
        meeting.template put<reductions>(
            f.row, share::segment_at(share::template place_of<Phase>(turn - before_last)));
    }
    evaluate<place::row, Phase, Phase>(f);
  }

  // Whole tiles have a body of their own, where nothing is asked of a vector: of rows of any kind
  // where all comes from shared memory, else of aligned ones. H200, us, against one for aligned
  // rows and one for others, which both ask: softmax of 100 x 600011 f32 260 (310), of 64 x 1048576
  // 216 (229), misaligned 291 (341); RMS norm of these 194 (200), 278 (310). Batches say how much
  // of them is there. What several sweeps do not need is on its way together: with one vector a
  // turn layer norm of 64 x 1048576 f32 takes 310 us instead of 251, softmax, which stores what it
  // has in shared memory, 232 instead of 240.
  template <int Phase, bool Stores, class States>
  __device__ __forceinline__ void sweep(int place, States& states, bool is_inside) {
    using running = running_states<Program, v, items, Phase>;
    using loads = item_loads<Program, v, Phase, Stores>;
    constexpr bool is_of_memory =
        has_selected<Program, selected_by_keeping<Program, v, loads, false>>;
    constexpr int together = Stores && !is_of_memory ? 1 : at_once;
    cascade<Program, running> levels;
    int const segment = share::segment_at(place);
    far_positions positions = share::positions_of(segment);
    int left = is_inside ? share::tiles_of(segment) * items : 0;
#pragma unroll 1
    while (left > 0) {
      int step = 0, last = left;
      if constexpr (has_selected<Program, selected_by_keeping<Program, v, loads, true>>) {
        if (is_whole) {
          step = share::step_of(place), last += step;
        } else {
          int const most = a.split.kept_tiles * items;
          last = left < most ? left : most;
          share::bring(0, positions, last, offsets);
          wait_for_sent();
        }
      }
      left -= last - step;
      int const begin = step;
      far_positions const stretch = positions;
      if constexpr (has_batches<Program, running>) {
        take<Phase, Stores, dims, items>(states, levels, positions, step, last);
      } else {
        if (a.is_packed || !(Stores || is_of_memory)) {
          int const vectors = positions.end - positions.first + static_cast<int>(threadIdx.x),
                    whole = step + vectors / (items * threads) * items;
          whole_positions<long long> all{positions.at(0), threads};
          int const from = step;
          take<Phase, Stores, packed_columns, together>(states, levels, all, step,
                                                        whole < last ? whole : last);
          positions.first += (step - from) * threads;
        }
        take<Phase, Stores, dims, 1>(states, levels, positions, step, last);
      }
      if constexpr (Stores && may_keep && has_kept_places<Program, v>)
        if (!a.is_packed) share::send(begin, stretch, last - begin, offsets);
    }
    if constexpr (!Stores) levels.finish(f.row, states);
  }
  // Takes in the steps up to `last`, of which `positions` says where they are.
  template <int Phase, bool Stores, int Dims, int Together, class States, class Levels,
            class Positions>
  __device__ __forceinline__ void take(States& states, Levels& levels, Positions& positions,
                                       int& step, int last) {
    using turn = turns<Program, v, items, Phase, Stores, Dims, Together>;
    turn taken;
#pragma unroll 1
    for (; step < last; step += Together, positions.first += Together * threads) {
      if constexpr (may_keep && Phase == 1 && !Stores)
        if (Together == items || step % items == 0)
          wait_for_copies<most_sent - 1>(), end_of_copies();
      selected_registers<Program, typename turn::loads> tile;
      share::template load<Dims, Together>(tile, step, positions, offsets);
      // The sweep that stores is the last one: the next row takes the place of what it has taken.
      if constexpr (is_ahead && Stores)
        if (is_brought) share::template send_items<Together>(step, positions, coming);
      if constexpr (Stores && may_keep && has_kept_places<Program, v> && Dims > packed_columns)
        taken.process(tile, states, f, a, offsets,
                      result_positions<Program, v, threads>{positions, step}, step, true);
      else
        taken.process(tile, states, f, a, offsets, positions, step, true);
      if constexpr (!Stores)
        if ((step + Together) % items == 0) levels.after_tile(states);
    }
  }
};
#endif

}  // namespace detail

// Owners: blocks_per_row blocks share a row, and the groups of blocks take the rows in turn; thread
// t of a block takes vectors t, t + threads, ... of a tile, a segment is some tiles. Registers:
// items vectors of each operand; up to four running states per reduction. Shared memory: what is
// kept of the block's part of the row, and one state per warp, reduction and segment that waits,
// twice; global memory beside the operands: one state per segment and reduction, twice. Each
// operand is read once (what is not kept: once per phase that needs it), each element store written
// once.
// @pre no more groups of blocks than rows; all blocks are resident if several share a row
// @post every store is written once per position; a row's bits depend on its elements and their
// number alone; the tickets and the slots are 0 again
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
  start_early(f, a);
  start_totals(f);
  int blocks = a.split.blocks_per_row;
  long long group = blockIdx.x / blocks, groups = gridDim.x / blocks;
  looped_worker<Program, C> worker{
      {a, blocks, static_cast<int>(blockIdx.x % blocks)},
      f,
      {a.workspace, static_cast<int>(group), a.split.segments, blocks}};
  worker.begin();
  do {
    worker.finish_row(group, group + groups,
                      std::make_integer_sequence<int, program_traits<Program>::row_phases>{});
    group += groups;
  } while (group < a.split.groups);
  worker.end();
  int buffer = 0;
  end_launch<C::threads_per_block>(f, a, worker.of_rows, buffer);
#endif
}

}  // namespace tenon
