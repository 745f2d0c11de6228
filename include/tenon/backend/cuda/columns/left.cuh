// SPDX-License-Identifier: Apache-2.0
#pragma once
// A thread's states of its columns, to and from the part of the workspace that is its block's.

#include "tenon/backend/cuda/mixed/arguments.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// Calls visit(reduction, its V states, where they lie) for the vectors of a tile that there are.
template <class Worker, class States, class Visit>
__device__ __forceinline__ void for_each_item(Worker const& worker, States& columns,
                                              typename Worker::column_index tile, Visit&& visit) {
  constexpr int v = Worker::v;
#pragma unroll
  for (int u = 0; u < Worker::items; ++u) {
    if (worker.part_of(tile, u).is_empty()) continue;
    unsigned* at = worker.left() + worker.column_of(tile, u);
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

// V states of reduction K that the thread left.
template <class Program, int K, int V>
__device__ __forceinline__ void bring_left(typename reduction_facts<Program, K>::state (&states)[V],
                                           unsigned const* from, long long stride) {
  using state = typename reduction_facts<Program, K>::state;
  unsigned words[state_words<state>::count][V];
#pragma unroll
  for (int w = 0; w < state_words<state>::count; ++w) load_left(words[w], from + w * stride);
#pragma unroll
  for (int i = 0; i < V; ++i) {
    state_words<state> one;
#pragma unroll
    for (int w = 0; w < one.count; ++w) one.words[w] = words[w][i];
    states[i] = one.state();
  }
}

// What the thread left for the rows before; before the first one there is nothing.
template <class Worker, class States>
__device__ __forceinline__ void bring_states(Worker const& worker, States& columns,
                                             typename Worker::column_index tile) {
  using program = typename Worker::program;
  reset<program, typename Worker::of_columns>(columns);
  if (worker.rows_taken == 0) return;
  for_each_item(worker, columns, tile, [&](auto selected, auto& states, unsigned* at) {
    bring_left<program, decltype(selected)::value>(states, at, worker.stride());
  });
}

// Calls visit(reduction, wholes, recent parts) for the columns of a tile whose chains are long. The
// wholes come from behind the states if there are any, and go back there.
template <class Worker, class States, class Visit>
__device__ __forceinline__ void for_each_whole(Worker const& worker, States& columns,
                                               typename Worker::column_index tile, bool is_first,
                                               Visit const& visit) {
  using program = typename Worker::program;
  for_each_item(worker, columns, tile, [&](auto selected, auto& recent, unsigned* at) {
    constexpr int k = decltype(selected)::value;
    using facts = reduction_facts<program, k>;
    if constexpr (ops::rounded_reduction<typename facts::op, typename facts::state>) {
      unsigned* const behind = at + Worker::state_words_per_column * worker.stride();
      typename facts::state whole[Worker::v];
#pragma unroll
      for (auto& one : whole) one = facts::identity();
      if (!is_first) bring_left<program, k>(whole, behind, worker.stride());
#pragma unroll
      for (int i = 0; i < Worker::v; ++i) visit(selected, whole[i], recent[i]);
      leave_states(behind, worker.stride(), whole);
    }
  });
}
template <class Worker, class States>
__device__ __forceinline__ void carry_left(Worker const& worker, States& columns,
                                           typename Worker::column_index tile, bool is_first) {
  for_each_whole(worker, columns, tile, is_first, [](auto selected, auto& whole, auto& recent) {
    using facts = reduction_facts<typename Worker::program, decltype(selected)::value>;
    carry_over<typename facts::op>(whole, recent);
  });
}
template <class Worker, class States>
__device__ __forceinline__ void finish_left(Worker const& worker, States& columns,
                                            typename Worker::column_index tile) {
  for_each_whole(worker, columns, tile, false, [](auto selected, auto& whole, auto& recent) {
    using facts = reduction_facts<typename Worker::program, decltype(selected)::value>;
    recent = facts::op::combine(whole, recent);
  });
}

}  // namespace tenon::detail
#endif
