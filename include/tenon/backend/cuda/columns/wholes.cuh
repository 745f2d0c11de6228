// SPDX-License-Identifier: Apache-2.0
#pragma once
// The wholes of a block's columns, whose states are long chains over its rows: in shared memory,
// because registers hold the recent parts.

#include "tenon/backend/cuda/columns/slots.cuh"
#include "tenon/backend/cuda/parts/arrivals.cuh"
#include "tenon/backend/cuda/parts/opaque.cuh"

namespace tenon::detail {

// Columns are vectors of V in Items places. first: bytes of dynamic shared memory before the slots.
// IsShared: of rows that lie above each other most_chained share a whole, which they carry over to
// in turns: an eighth of the memory.
template <class Program, int V, int Items, bool IsShared> struct column_wholes {
  using slots =
      column_slots<Program, carried_reductions<Program, column_reductions<Program, 1>>, V, Items>;
  template <int K> using part = typename slots::template part<K>;
  static constexpr int bytes_per_lane = slots::bytes_per_lane;
  static constexpr int sharing = IsShared ? most_chained : 1;
  static constexpr int bytes(int lanes, int rows) {
    return bytes_per_lane * lanes * ((rows + sharing - 1) / sharing);
  }

#if defined(__CUDA_ARCH__)
  int first, lane, lanes;

  // @pre before a barrier behind which the first one carries
  __device__ __forceinline__ void clear() const {
    if (has_turns() && lane % 32 == 0) turns_of(thread_row()).init(32);
    if (thread_row() % sharing != 0) return;
    for_each_slot([&](auto selected, int, auto& slot) {
      constexpr int k = decltype(selected)::value;
      part<k> nothing;
#pragma unroll
      for (auto& one : nothing.at) one = reduction_facts<Program, k>::identity();
      store_whole(slot, nothing);
    });
  }
  // Carries the recent parts over before row number `next` of this y, once in most_chained rows.
  // Rows that share a warp are behind barriers of the block. Where warps have rows of their own
  // they carry in turns, the last y first: each waits for the warp of the same columns whose turn
  // is before its own. That one carries at an earlier `next`, and no warp comes to a later row
  // before it has carried, so that nobody waits for a warp that waits for it; and all warps of a
  // block are resident.
  // @pre all threads of the block call it, after each row
  template <class States> __device__ __forceinline__ void carry(States& columns, int next) const {
    if (IsShared && lanes < 32) __syncthreads();
    if ((next + thread_row() % sharing) % most_chained != 0) return;
    if (has_turns()) wait_for_turn((next - 1) / most_chained);
    for_each_slot([&](auto selected, int begin, auto& slot) {
      constexpr int k = decltype(selected)::value;
      part<k> whole;
      load_whole(whole, slot);
#pragma unroll
      for (int i = 0; i < slots::template together<k>; ++i)
        carry_over<typename reduction_facts<Program, k>::op>(
            whole.at[i], read_register<k>(columns).at[begin + i]);
      store_whole(slot, whole);
    });
    if (has_turns()) end_turn();
  }
  // @pre all have carried, before a barrier. @post the states have everything
  template <class States> __device__ __forceinline__ void finish(States& columns) const {
    if (thread_row() % sharing != 0) return;
    for_each_slot([&](auto selected, int begin, auto& slot) {
      constexpr int k = decltype(selected)::value;
      part<k> whole;
      load_whole(whole, slot);
#pragma unroll
      for (int i = 0; i < slots::template together<k>; ++i) {
        auto& recent = read_register<k>(columns).at[begin + i];
        recent = reduction_facts<Program, k>::op::combine(whole.at[i], recent);
      }
    });
  }

 private:
  static constexpr int most_warps = 8;
  __device__ __forceinline__ int rows() const { return static_cast<int>(blockDim.y); }
  __device__ __forceinline__ bool has_turns() const {
    return IsShared && lanes >= 32 && rows() > 1;
  }
  // Where the warp of row `of` waits, and whoever carries before it arrives, every lane by itself:
  // so compute-sanitizer's racecheck knows the order.
  __device__ __forceinline__ arrivals& turns_of(int of) const {
    __shared__ arrivals turns[most_warps];
    return turns[(of * lanes + lane) / 32];
  }
  // Turn `number` of the thread's row; the last row's first one is free.
  __device__ __forceinline__ void wait_for_turn(int number) const {
    int const y = thread_row();
    turns_of(y).wait((y == rows() - 1 ? number - 1 : number) & 1);
  }
  __device__ __forceinline__ void end_turn() const {
    int const y = thread_row();
    turns_of(y > 0 ? y - 1 : rows() - 1).arrive();
  }
  // Calls visit(reduction, which column of the thread's is the first of a slot's, the slot).
  template <class Visit> __device__ __forceinline__ void for_each_slot(Visit const& visit) const {
    slots::for_each(first + thread_row() / sharing * lanes * bytes_per_lane, lanes, lane, visit);
  }
#endif
};

}  // namespace tenon::detail
