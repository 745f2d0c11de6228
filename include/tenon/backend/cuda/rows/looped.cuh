// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows longer than registers: kept in the shared memory of as many blocks as it takes, or read
// again in each phase, by one block or, where there are few rows, by several.

#include "tenon/backend/cuda/parts/kept_vectors.cuh"
#include "tenon/backend/cuda/parts/single_vector.cuh"
#include "tenon/backend/cuda/parts/turns.cuh"
#include "tenon/backend/cuda/rows/kernel.cuh"
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
  constexpr int words = row_state_words<Program>;
  if (!is_any_kept<Program, C::vector_width>) return 1;
  if (words > 3 || program_traits<Program>::has_total) return 2;
  return program_traits<Program>::widest_element <= 4 && element_operands<Program>::loads <= 3 &&
                 !program_traits<Program>::has_positions
             ? 3
             : kept_blocks_held<Program, 0>;
}();

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
  static constexpr bool is_ahead =
      may_keep && has_element_stores<Program> && element_operands<Program>::loads <= 1;
  using arguments = rows_arguments<Program, C>;
  using kept = kept_vectors<Program, v, threads>;
  // Tiles that are brought at once.
  static constexpr int most_sent =
      may_keep ? static_cast<int>(most_kept_bytes / (kept::bytes_per_step * items)) : 0;
  static_assert(most_shared_segments <= threads);

  arguments const& a;
  frame<Program> const& f;
  int blocks, rank;  // blocks that share a row, and which of them this is
  row_meeting<Program> meeting;
  int const own = (a.split.segments - 1 - rank) / blocks + 1;  // segments that this block has
  waiting_states<Program, threads> waiting = {};
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
    if constexpr (may_keep)
      if (is_brought || !a.is_packed) wait_for_sent();
    (reduce<Phase + 1>(is_inside), ...);
    if (a.split.segments > 1 && next_row >= a.rows.size) meeting.leave();
    if constexpr (has_element_stores<Program>) {
      if constexpr (is_ahead) {
        is_brought = next_row < a.rows.size && a.is_packed;
        if (is_brought) find_row<Program>(coming, a, next_row);
      }
      selected_registers<Program, no_loads> none;
      for (int turn = 0; turn < own; ++turn)
        sweep<phases + 1, true>(place_of<phases + 1>(turn), none, is_inside);
    }
    if (threadIdx.x == 0 && rank == 0 && is_inside) end_row<Program>(f, a, offsets, row, of_rows);
  }

  // @pre all rows are finished
  __device__ __forceinline__ void end() {
    if (a.split.segments > 1) meeting.end();
  }

 private:
  // Odd sweeps go forwards and even ones backwards, so that each begins with what the one before
  // read last.
  template <int Sweep> __device__ __forceinline__ int place_of(int turn) const {
    return Sweep % 2 == 1 ? turn : own - 1 - turn;
  }
  // Number `place` of the block's segments.
  __device__ __forceinline__ int segment_at(int place) const { return rank + place * blocks; }

  // Tiles that a segment has.
  __device__ __forceinline__ int tiles_of(int segment) const {
    long long const most = a.split.tiles_per_segment,
                    left = divide_up(a.vectors - segment * most * tile_size, tile_size);
    return static_cast<int>(left < most ? left : most);
  }
  // This thread's vectors of a segment.
  __device__ __forceinline__ far_positions positions_of(int segment) const {
    long long const size = a.split.tiles_per_segment * tile_size, origin = segment * size,
                    left = a.vectors - origin;
    // 32 bits hold the number of a segment's vectors, the last of which may be one in part.
    int const vectors = static_cast<int>(left < size ? left : size),
              partial = left <= size ? a.tail : 0;
    return {{static_cast<int>(threadIdx.x), threads, vectors - (partial != 0), partial}, origin};
  }

  // Brings all that is kept of the row.
  __device__ __forceinline__ void bring_kept() const {
    int sent = 0;
    for (int place = 0; place < own; ++place) {
      int const segment = segment_at(place);
      far_positions positions = positions_of(segment);
      int step = place * a.split.tiles_per_segment * items;
      int const whole = step + tiles_of(segment) * items, most = a.split.kept_tiles * items,
                last = whole < most ? whole : most;
      if (a.is_packed) {
#pragma unroll 1
        for (; step < last; step += items, positions.first += items * threads, ++sent) {
          send_items<items>(step, positions, offsets);
          end_of_copies();
        }
      } else {
#pragma unroll 1
        for (; step < last; ++step, positions.first += threads) put_item(step, positions);
      }
    }
    // They always count as most_sent tiles: what the first sweep waits for is a constant.
#pragma unroll 1
    for (; sent < most_sent; ++sent) end_of_copies();
  }
  // @pre every operand is packed
  template <int Count>
  __device__ __forceinline__ void send_items(int step, far_positions const& positions,
                                             operand_offsets<Program> const& row) const {
    for_each_selected<Program, kept_loads<Program, v>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename program_traits<Program>::template at<k>;
      auto const* from = load_address<Program, k>(a, row.loads[I::bits]) + positions.at(0) * v;
#pragma unroll
      for (int u = 0; u < Count; ++u)
        if (positions.is_whole(u)) kept::template bring<k>(step + u, from + u * threads * v);
    });
  }
  __device__ __forceinline__ void put_item(int step, far_positions const& positions) const {
    int const count = positions.template count<v>(0);
    for_each_selected<Program, kept_loads<Program, v>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      if (!kept::template bring_elements<k>(step, a, offsets, positions.at(0), count))
        kept::template put<k>(step,
                              load_vector<Program, k, v, dims>(a, offsets, positions.at(0), count));
    });
  }
  // The first items of `positions`, from shared memory as far as they were kept there as number
  // `step` and so on.
  template <int Dims, int K, int Count, class Vector>
  __device__ __forceinline__ void load_operand(Vector (&vectors)[Count], int step,
                                               far_positions const& positions) const {
    if constexpr (is_held<Program, kept_loads<Program, v>>(K))
      if (step < a.split.kept_tiles * items) {
#pragma unroll
        for (int u = 0; u < Count; ++u) kept::template take<K>(vectors[u], step + u);
        return;
      }
    load_vectors<Program, K, v, Count, Dims, false>(vectors, a, offsets, positions);
  }
  template <int Dims, class Loads, int... K>
  __device__ __forceinline__ void load(register_file<Loads, std::integer_sequence<int, K...>>& tile,
                                       int step, far_positions const& positions) const {
    (load_operand<Dims, K>(read_register<K>(tile).at, step, positions), ...);
  }

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
        sweep<Phase, false>(place_of<Phase>(turn), states, is_inside);
      }
      waiting.template leave<reductions>(f.row);
      if (!waiting.is_full() && turn + 1 < own) continue;
      int const before_last = waiting.template combine<reductions>(f.row);
      if (is_over || a.split.segments == 1) break;
      if (threadIdx.x % 32 == 0 && before_last >= 0)
        meeting.template put<reductions>(f.row, segment_at(place_of<Phase>(turn - before_last)));
    }
    evaluate<place::row, Phase, Phase>(f);
  }

  // Whole aligned vectors have a path of their own but where reductions take in batches, in the
  // same way however these were loaded; what several come from memory for is on its way together.
  // H200, of 64 x 1048576 f32 with one vector a turn instead: layer norm 310 us (251). Softmax,
  // which stores what it has in shared memory, 232 us (240). With one path for all, softmax takes
  // 233 us instead of 215.
  template <int Phase, bool Stores, class States>
  __device__ __forceinline__ void sweep(int place, States& states, bool is_inside) {
    using loads = item_loads<Program, v, Phase, Stores>;
    constexpr bool is_of_memory =
        has_selected<Program, selected_by_keeping<Program, v, loads, false>>;
    constexpr int together = Stores && !is_of_memory ? 1 : items;
    if constexpr (has_batches<Program, running_states<Program, v, items, Phase>>)
      sweep_in_turns<Phase, Stores, dims, together>(place, states, is_inside);
    else if (a.is_packed)
      sweep_in_turns<Phase, Stores, packed_columns, together>(place, states, is_inside);
    else
      sweep_in_turns<Phase, Stores, dims, 1>(place, states, is_inside);
  }
  template <int Phase, bool Stores, int Dims, int Together, class States>
  __device__ __forceinline__ void sweep_in_turns(int place, States& states, bool is_inside) {
    using running = running_states<Program, v, items, Phase>;
    using turn = turns<Program, v, items, Phase, Stores, Dims, Together>;
    using loads = typename turn::loads;
    cascade<Program, running> levels;
    turn taken;
    int const segment = segment_at(place);
    far_positions positions = positions_of(segment);
    int step = place * a.split.tiles_per_segment * items;
    int const last = is_inside ? step + tiles_of(segment) * items : 0;
#pragma unroll 1
    for (; step < last; step += Together, positions.first += Together * threads) {
      if constexpr (may_keep && Phase == 1)
        if (Together == items || step % items == 0)
          wait_for_copies<most_sent - 1>(), end_of_copies();
      selected_registers<Program, loads> tile;
      load<Dims>(tile, step, positions);
      // The sweep that stores is the last one: the next row takes the place of what it has taken.
      if constexpr (is_ahead && Stores && Dims == packed_columns)
        if (is_brought && step < a.split.kept_tiles * items)
          send_items<Together>(step, positions, coming);
      taken.process(tile, states, f, a, offsets, positions, step, is_inside);
      if constexpr (!Stores)
        if ((step + Together) % items == 0) levels.after_tile(states);
    }
    if constexpr (!Stores) levels.finish(f.row, states);
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
// @pre all blocks are resident if several share a row
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
  start(f, a);
  start_totals(f);
  int blocks = a.split.blocks_per_row;
  long long group = blockIdx.x / blocks, groups = gridDim.x / blocks;
  looped_worker<Program, C> worker{
      a,
      f,
      blocks,
      static_cast<int>(blockIdx.x % blocks),
      {a.workspace, static_cast<int>(group), a.split.segments, blocks}};
  for (; group < a.split.groups; group += groups)
    worker.finish_row(group, group + groups,
                      std::make_integer_sequence<int, program_traits<Program>::row_phases>{});
  worker.end();
  int buffer = 0;
  end_launch<C::threads_per_block>(f, a, worker.of_rows, buffer);
#endif
}

}  // namespace tenon
