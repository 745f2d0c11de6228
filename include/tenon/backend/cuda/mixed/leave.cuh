// SPDX-License-Identifier: Apache-2.0
#pragma once
// A block's states of its columns → the workspace: those of the threads above each other become one
// in the shared memory that its rows have left.

#include "tenon/backend/cuda/columns/slots.cuh"
#include "tenon/backend/cuda/parallel/stacked.cuh"
#include "tenon/backend/cuda/parts/opaque.cuh"

namespace tenon::detail {

template <class Program, int V, int Items>
using left_slots = column_slots<Program, column_reductions<Program, 1>, V, Items>;

#if defined(__CUDA_ARCH__)
// The thread's columns of reduction K, of `count` rows above each other, one after the other.
template <class Slots, class Op, int K>
__device__ __forceinline__ typename Slots::template part<K> combine_chain(
    typename Slots::template part<K> const* from, int lanes, int count) {
  typename Slots::template part<K> result;
  load_whole(result, *from);
#pragma unroll 4
  for (int row = 1; row < count; ++row) {
    typename Slots::template part<K> next;
    load_whole(next, from[row * lanes]);
#pragma unroll
    for (int i = 0; i < Slots::template together<K>; ++i)
      result.at[i] = Op::combine(result.at[i], next.at[i]);
  }
  return result;
}
// Those of many rows, in fours: one chain of eight would round seven times, and a sum of eight may
// six times (2 log2 n).
template <class Slots, class Op, int K>
__device__ __forceinline__ typename Slots::template part<K> combine_rows(
    typename Slots::template part<K> const* from, int lanes, int count) {
  auto result = combine_chain<Slots, Op, K>(from, lanes, count < 4 ? count : 4);
#pragma unroll 1
  for (int row = 4; row < count; row += 4) {
    auto const next = combine_chain<Slots, Op, K>(from + row * lanes, lanes, 4);
#pragma unroll
    for (int i = 0; i < Slots::template together<K>; ++i)
      result.at[i] = Op::combine(result.at[i], next.at[i]);
  }
  return result;
}

// All threads put down what they have; then a thread takes the same columns of all rows above each
// other, or of some of them where there are more rows than parts of a lane.
// @pre all threads of the block call it; there are slots for all of them; lanes and rows are powers
// of two
template <class Worker, class States>
__device__ __forceinline__ void leave_block(Worker const& worker, States const& columns) {
  using program = typename Worker::program;
  constexpr int v = Worker::v, items = Worker::items, threads = Worker::threads;
  using slots = left_slots<program, v, items>;
  int const lanes = worker.lanes, lane = worker.lane, y = thread_row(), height = threads / lanes;
  __syncthreads();  // nobody reads a row any more
  slots::for_each(0, threads, y * lanes + lane, [&](auto selected, int begin, auto& slot) {
    constexpr int k = decltype(selected)::value;
    typename slots::template part<k> part;
#pragma unroll
    for (int i = 0; i < slots::template together<k>; ++i)
      part.at[i] = read_register<k>(columns).at[begin + i];
    store_whole(slot, part);
  });
  __syncthreads();
  unsigned* left = worker.left();
  for_each_selected<program, column_reductions<program, 1>>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using op = typename reduction_facts<program, k>::op;
    constexpr int parts = slots::template parts<k>, together = slots::template together<k>,
                  rows_at_once = parts > most_chained ? parts : most_chained;
    auto* const all = slots::template begin<k>(0, threads) + lane;
    int rows = height;
    for (; rows > rows_at_once; rows /= rows_at_once) {
      auto* const own = all + y % parts * threads;
      int const group = y / parts;
      bool const is_wanted = group < rows / rows_at_once;
      typename slots::template part<k> sum;
      if (is_wanted)
        sum = combine_rows<slots, op, k>(own + group * rows_at_once * lanes, lanes, rows_at_once);
      __syncthreads();
      if (is_wanted) store_whole(own[group * lanes], sum);
      __syncthreads();
    }
#pragma unroll 1
    for (int part = y; part < parts; part += height) {
      int const u = part * together / v;
      if (worker.part_of(0, u).is_empty()) continue;
      auto const sum = combine_rows<slots, op, k>(all + part * threads, lanes, rows);
      leave_states(left + worker.column_of(0, u) + part * together % v, worker.stride(), sum.at);
    }
    left += state_words<typename reduction_facts<program, k>::state>::count * worker.stride();
  });
}
#endif

}  // namespace tenon::detail
