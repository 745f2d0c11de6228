// SPDX-License-Identifier: Apache-2.0
#pragma once
// A thread's states of its columns, to and from the part of the workspace that is its block's.

#include "tenon/backend/cuda/mixed_arguments.cuh"

namespace tenon::detail {

// Calls visit(reduction, its V states, where they lie) for the vectors of a tile that there are.
template <class Worker, class States, class Visit>
__device__ __forceinline__ void for_each_item(Worker const& worker, States& columns,
                                              typename Worker::column_index tile, Visit&& visit) {
  constexpr int v = Worker::v;
#pragma unroll
  for (int u = 0; u < Worker::items; ++u) {
    if (worker.count_of(tile, u) == 0) continue;
    unsigned* at = worker.left + worker.column_of(tile, u);
    for_each_selected<typename Worker::program, typename Worker::of_columns>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using state = typename reduction_facts<typename Worker::program, k>::state;
      state states[v];
#pragma unroll
      for (int i = 0; i < v; ++i) states[i] = read_register<k>(columns).at[u * v + i];
      visit(selected, states, at);
#pragma unroll
      for (int i = 0; i < v; ++i) read_register<k>(columns).at[u * v + i] = states[i];
      at += state_words<state>::count * worker.stride();
    });
  }
}

template <class Worker, class States>
__device__ __forceinline__ void leave_columns(Worker const& worker, States& columns,
                                              typename Worker::column_index tile) {
  for_each_item(worker, columns, tile, [&](auto, auto& states, unsigned* at) {
    leave_states(at, worker.stride(), states);
  });
}

// What the thread left for the rows before; before the first one there is nothing.
template <class Worker, class States>
__device__ __forceinline__ void bring_states(Worker const& worker, States& columns,
                                             typename Worker::column_index tile) {
  using program = typename Worker::program;
  constexpr int v = Worker::v;
  reset<program, typename Worker::of_columns>(columns);
  if (worker.is_first_row) return;
  for_each_item(worker, columns, tile, [&](auto selected, auto& states, unsigned* at) {
    using state = typename reduction_facts<program, decltype(selected)::value>::state;
    unsigned words[state_words<state>::count][v];
#pragma unroll
    for (int w = 0; w < state_words<state>::count; ++w)
      load_left(words[w], at + w * worker.stride());
#pragma unroll
    for (int i = 0; i < v; ++i) {
      state_words<state> one;
#pragma unroll
      for (int w = 0; w < one.count; ++w) one.words[w] = words[w][i];
      states[i] = one.state();
    }
  });
}

}  // namespace tenon::detail
