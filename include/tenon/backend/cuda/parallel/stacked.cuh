// SPDX-License-Identifier: Apache-2.0
#pragma once
// Threads above each other: several threads that hold states of the same V rows or columns combine
// them through shared memory.

#include "tenon/backend/cuda/parts/long_chains.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// Where a thread is among width x height threads of a block, number x + y * width.
struct stack_position {
  int x, y, width, height;
};

// One piece of shared memory for all reductions that need as much, one after the other.
template <int Words> __device__ __forceinline__ unsigned* stacked_words() {
  __shared__ unsigned all[Words];
  return all;
}

// Combines states of reduction K over y, in a tree. @pre all Threads threads of the block call it;
// width * height == Threads; height is a power of two
// @post the threads of y == 0 have the result; the memory may be used again
template <class Program, int K, int V, int Threads> struct stacked_states {
  using facts = reduction_facts<Program, K>;
  using state = typename facts::state;
  using words = state_words<state>;

  static __device__ __forceinline__ void combine(state (&states)[V], stack_position const& p) {
    for (int half = p.height / 2; half > 0; half /= 2) {
      if (p.y >= half && p.y < 2 * half) put(states, p);
      __syncthreads();
      if (p.y < half)
#pragma unroll
        for (int i = 0; i < V; ++i)
          states[i] = facts::op::combine(states[i], get(p, p.y + half, i));
      __syncthreads();
    }
  }
  // @post all threads have the result
  static __device__ __forceinline__ void combine_all(state (&states)[V], stack_position const& p) {
    if (p.height == 1) return;
    combine(states, p);
    if (p.y == 0) put(states, p);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < V; ++i) states[i] = get(p, 0, i);
    __syncthreads();
  }

 private:
  // Rows are not neighbours: neighbouring threads would use the same banks.
  static __device__ __forceinline__ unsigned* slot(stack_position const& p, int y, int i, int w) {
    return stacked_words<Threads * V * words::count>() + (w * V + i) * Threads + y * p.width + p.x;
  }
  static __device__ __forceinline__ void put(state const (&states)[V], stack_position const& p) {
#pragma unroll
    for (int i = 0; i < V; ++i) {
      words from(states[i]);
#pragma unroll
      for (int w = 0; w < from.count; ++w) *slot(p, p.y, i, w) = from.words[w];
    }
  }
  static __device__ __forceinline__ state get(stack_position const& p, int y, int i) {
    words to;
#pragma unroll
    for (int w = 0; w < to.count; ++w) to.words[w] = *slot(p, y, i, w);
    return to.state();
  }
};

// V neighbouring words that another block left, past the first-level cache. @pre aligned to V words
template <int V>
__device__ __forceinline__ void load_left(unsigned (&to)[V], unsigned const* from) {
  if constexpr (V % 4 == 0) {
#pragma unroll
    for (int i = 0; i < V; i += 4) {
      uint4 four = __ldcg(reinterpret_cast<uint4 const*>(from + i));
      to[i] = four.x, to[i + 1] = four.y, to[i + 2] = four.z, to[i + 3] = four.w;
    }
  } else {
#pragma unroll
    for (int i = 0; i < V; ++i) to[i] = __ldcg(from + i);
  }
}

// Leaves states of V neighbours, word by word `stride` words apart.
template <class State, int V>
__device__ __forceinline__ void leave_states(unsigned* to, long long stride,
                                             State const (&states)[V]) {
#pragma unroll
  for (int i = 0; i < V; ++i) {
    state_words<State> mine(states[i]);
#pragma unroll
    for (int w = 0; w < mine.count; ++w) to[w * stride + i] = mine.words[w];
  }
}

// Combines what parts first, first + step, ... of `parts` left, in this order, as a long chain:
// word w of part p is at from + (p * words_per_part + w) * stride.
template <class Program, int K, int V>
__device__ __forceinline__ void combine_left(
    typename reduction_facts<Program, K>::state (&states)[V], unsigned const* from,
    long long stride, int words_per_part, long long first, long long step, long long parts) {
  using facts = reduction_facts<Program, K>;
  using words = state_words<typename facts::state>;
  constexpr bool is_carried = ops::rounded_reduction<typename facts::op, typename facts::state>;
  typename facts::state whole[V];
  [[maybe_unused]] int taken = 0;
#pragma unroll
  for (int i = 0; i < V; ++i) states[i] = whole[i] = facts::identity();
  // Several at once: what one after the other would wait for is the latency of the cache.
  constexpr int at_once = words::count * V <= 4 ? 8 : words::count * V <= 8 ? 4 : 2;
#pragma unroll at_once
  for (long long p = first; p < parts; p += step) {
    unsigned left[words::count][V];
#pragma unroll
    for (int w = 0; w < words::count; ++w)
      load_left(left[w], from + (p * words_per_part + w) * stride);
#pragma unroll
    for (int i = 0; i < V; ++i) {
      words theirs;
#pragma unroll
      for (int w = 0; w < words::count; ++w) theirs.words[w] = left[w][i];
      states[i] = facts::op::combine(states[i], theirs.state());
    }
    if constexpr (is_carried)
      if (++taken % most_chained == 0)
#pragma unroll
        for (int i = 0; i < V; ++i) carry_over<typename facts::op>(whole[i], states[i]);
  }
  if constexpr (is_carried)
#pragma unroll
    for (int i = 0; i < V; ++i) states[i] = facts::op::combine(whole[i], states[i]);
}

}  // namespace tenon::detail
#endif
