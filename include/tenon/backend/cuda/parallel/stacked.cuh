// SPDX-License-Identifier: Apache-2.0
#pragma once
// Threads above each other: several threads that hold states of the same V rows or columns combine
// them through shared memory.

#include "tenon/backend/cuda/parts/long_chains.cuh"
#include "tenon/backend/cuda/parts/slots.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// Where a thread is among width x height threads of a block, number x + y * width.
struct stack_position {
  int x, y, width, height;
};

// One piece of shared memory for all reductions that need as much, one after the other.
template <int Words> __device__ __forceinline__ unsigned* stacked_words() {
  __shared__ __align__(16) unsigned all[Words];
  return all;
}

// V states as words, moved together.
template <class State, int V> struct state_vector {
  using one = state_words<State>;
  static constexpr int count = V * one::count;
  alignas(count % 4 == 0 ? 16 : 4) unsigned words[count];

  __device__ __forceinline__ void set(State const (&states)[V]) {
#pragma unroll
    for (int i = 0; i < V; ++i) {
      one const from(states[i]);
#pragma unroll
      for (int w = 0; w < one::count; ++w) words[i * one::count + w] = from.words[w];
    }
  }
  __device__ __forceinline__ State at(int i) const {
    one to;
#pragma unroll
    for (int w = 0; w < one::count; ++w) to.words[w] = words[i * one::count + w];
    return to.state();
  }
};

// Combines states of reduction K over y. @pre all Threads threads of the block call it; thread
// x + y * width is number x + y * width of the block; width * height == Threads, for combine_first
// at most Threads and whole warps, powers of two
// @post the memory may be used again
template <class Program, int K, int V, int Threads> struct stacked_states {
  using op = typename reduction_facts<Program, K>::op;
  using state = typename reduction_facts<Program, K>::state;
  using vector = state_vector<state, V>;
  using single = state_vector<state, 1>;

  // Lanes above each other by shuffles, then the warps in their order, each state by one thread:
  // all of them by every thread are 64 KB of shared memory to read. H200, sums of the columns of
  // 1000 x 8192 bf16: 8.9 us instead of 9.8.
  // @post all threads of an x hold the same
  // memory: of Threads vectors
  static __device__ __forceinline__ void combine_all(
      state (&states)[V], stack_position const& p,
      unsigned* memory = stacked_words<Threads * vector::count>()) {
    int thread;
    int const rows = combine_warps(states, p, memory, thread);
    if (rows == 1) return;
    int const count = p.width * V;
#pragma unroll 1
    for (int number = thread; number < count; number += Threads) {
      single* const first =
          reinterpret_cast<single*>(slot(memory, {0, 0, p.width, p.height}, 0)) + number;
      state all = first->at(0), four = all;
#pragma unroll
      for (int row = 1; row < Threads / 32; ++row)
        if (row < rows) take_in_fours(all, four, row, first[row * count].at(0));
      first->set({rows > 4 ? op::combine(all, four) : all});
    }
    __syncthreads();
    vector const whole = *slot(memory, p, 0);
#pragma unroll
    for (int i = 0; i < V; ++i) states[i] = whole.at(i);
    __syncthreads();
  }

  // The same for threads of y = 0 alone, which need no second trip through shared memory.
  static __device__ __forceinline__ void combine_first(
      state (&states)[V], stack_position const& p,
      unsigned* memory = stacked_words<Threads * vector::count>()) {
    int thread;
    int const rows = combine_warps(states, p, memory, thread);
    if (rows == 1) return;
    if (thread < p.width) {
      vector const* const first = slot(memory, p, 0);
      // Several at once: else each waits for shared memory.
      constexpr int most = Threads / 32, together = vector::count <= 4   ? most
                                                    : vector::count <= 8 ? 4
                                                                         : 1;
      state four[V];
#pragma unroll
      for (int from = 0; from < most; from += together) {
        vector next[together];
#pragma unroll
        for (int j = 0; j < together; ++j)
          if (from + j > 0) next[j] = first[(from + j < rows ? from + j : 0) * p.width];
#pragma unroll
        for (int j = 0; j < together; ++j)
          if (from + j < rows)
#pragma unroll
            for (int i = 0; i < V; ++i) take_in_fours(states[i], four[i], from + j, next[j].at(i));
      }
      if (rows > 4)
#pragma unroll
        for (int i = 0; i < V; ++i) states[i] = op::combine(states[i], four[i]);
    }
    __syncthreads();
  }

 private:
  // State number `row` of a chain, whose fours are added up: one chain of eight would round seven
  // times, and a sum of eight may six times (2 log2 n). `all` begins with number 0.
  static __device__ __forceinline__ void take_in_fours(state& all, state& four, int row,
                                                       state const& next) {
    if (row == 0) return;
    if (row < 4)
      all = op::combine(all, next);
    else if (row == 4)
      four = next;
    else if (row % 4 == 0)
      all = op::combine(all, four), four = next;
    else
      four = op::combine(four, next);
  }
  // Lanes above each other; what is left of several warps goes to shared memory. Returns of how
  // many.
  static __device__ __forceinline__ int combine_warps(state (&states)[V], stack_position const& p,
                                                      unsigned* memory, int& thread) {
#pragma unroll 1
    for (int distance = p.width; distance < 32; distance *= 2)
#pragma unroll
      for (int i = 0; i < V; ++i) states[i] = with_lane(states[i], distance, p);
    int const width = p.width < 32 ? 32 : p.width, shift = 31 - __clz(width),
              rows = (p.width * p.height) >> shift;
    thread = p.x + p.y * p.width;
    asm volatile("" : "+r"(thread));  // found again rather than held over the sweep
    if (rows == 1) return 1;
    if ((thread & (width - 1)) < p.width) slot(memory, p, thread >> shift)->set(states);
    __syncthreads();
    return rows;
  }
  static __device__ __forceinline__ vector* slot(unsigned* memory, stack_position const& p,
                                                 int row) {
    return reinterpret_cast<vector*>(memory) + row * p.width + p.x;
  }
  // In lane order, on both sides.
  static __device__ __forceinline__ state with_lane(state const& mine, int distance,
                                                    stack_position const& p) {
    state_words<state> other(mine);
#pragma unroll
    for (int w = 0; w < other.count; ++w)
      other.words[w] = __shfl_xor_sync(~0u, other.words[w], distance);
    state const theirs = other.state();
    if constexpr (std::is_class_v<state>)
      if (((p.x + p.y * p.width) & distance) != 0) return op::combine(theirs, mine);
    return op::combine(mine, theirs);
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

// Leaves states of V neighbours, word by word `stride` words apart. @pre aligned to V words
template <class State, int V>
__device__ __forceinline__ void leave_states(unsigned* to, long long stride,
                                             State const (&states)[V]) {
  constexpr int count = state_words<State>::count;
  unsigned words[count][V];
#pragma unroll
  for (int i = 0; i < V; ++i) {
    state_words<State> const mine(states[i]);
#pragma unroll
    for (int w = 0; w < count; ++w) words[w][i] = mine.words[w];
  }
#pragma unroll
  for (int w = 0; w < count; ++w, to += stride) {
    if constexpr (V % 4 == 0) {
#pragma unroll
      for (int i = 0; i < V; i += 4)
        __stcg(reinterpret_cast<uint4*>(to + i),
               make_uint4(words[w][i], words[w][i + 1], words[w][i + 2], words[w][i + 3]));
    } else {
#pragma unroll
      for (int i = 0; i < V; ++i) __stcg(to + i, words[w][i]);
    }
  }
}

// Combines what parts first, first + step, ... of `parts` left, in this order, as a long chain:
// word w of part p is at from + (p * words_per_part + w) * stride. One piece of code carries over
// for all of a round: where it ends a launch it is fetched by all multiprocessors at once. H200,
// sums of rows and columns of 100 x 96 f32 9.6 us instead of 11.2, of 1024 x 4096 13.5 (13.9).
template <class Program, int K, int V>
__device__ __forceinline__ void combine_left(
    typename reduction_facts<Program, K>::state (&states)[V], unsigned const* from,
    long long stride, int words_per_part, int first, int step, int parts) {
  using facts = reduction_facts<Program, K>;
  using words = state_words<typename facts::state>;
  constexpr bool is_carried = ops::rounded_reduction<typename facts::op, typename facts::state>;
  typename facts::state whole[V];
#pragma unroll
  for (int i = 0; i < V; ++i) states[i] = whole[i] = facts::identity();
  // Several at once: what one after the other would wait for is the latency of the cache.
  constexpr int at_once = words::count * V <= 4 ? 8 : words::count * V <= 8 ? 4 : 2;
  [[maybe_unused]] constexpr int rounds_of_chain = most_chained / at_once;
  [[maybe_unused]] int rounds = 0;
  long long const part = words_per_part * stride, apart = step * part;
  from += first * part;
#pragma unroll 1
  for (int p = first; p < parts; p += at_once * step) {
    unsigned left[at_once][words::count][V];
#pragma unroll
    for (int j = 0; j < at_once; ++j, from += apart)
      if (p + j * step < parts)
#pragma unroll
        for (int w = 0; w < words::count; ++w) load_left(left[j][w], from + w * stride);
#pragma unroll
    for (int j = 0; j < at_once; ++j) {
      if (p + j * step >= parts) break;
#pragma unroll
      for (int i = 0; i < V; ++i) {
        words theirs;
#pragma unroll
        for (int w = 0; w < words::count; ++w) theirs.words[w] = left[j][w][i];
        states[i] = facts::op::combine(states[i], theirs.state());
      }
    }
    if constexpr (is_carried)
      if (++rounds % rounds_of_chain == 0)
#pragma unroll
        for (int i = 0; i < V; ++i) carry_over<typename facts::op>(whole[i], states[i]);
  }
  if constexpr (is_carried)
#pragma unroll
    for (int i = 0; i < V; ++i) states[i] = facts::op::combine(whole[i], states[i]);
}

// The same of words that few parts leave in slots, which a thread waits for, and makes 0 again.
// Pair i of part p is at slots + p * of_part + 2 * i * width. @pre no chain is long
template <class Program, int K, int V>
__device__ __forceinline__ void combine_filled(
    typename reduction_facts<Program, K>::state (&states)[V], unsigned long long* slots,
    int of_part, int width, int first, int step, int parts) {
  using facts = reduction_facts<Program, K>;
  using state = typename facts::state;
  constexpr int pairs = V / 2;
#pragma unroll
  for (int i = 0; i < V; ++i) states[i] = facts::identity();
  slots += first * of_part;
#pragma unroll 1
  for (int p = first; p < parts; p += step, slots += step * of_part) {
    slot_pair found[pairs];
    unsigned long long marks;
    do {
      marks = ~0ull;
#pragma unroll
      for (int i = 0; i < pairs; ++i) {
        look_at_slots(found[i], slots + 2 * i * width, true);
        marks &= found[i].first & found[i].second;
      }
    } while (!is_filled(marks));
#pragma unroll
    for (int i = 0; i < pairs; ++i) {
      states[2 * i] = facts::op::combine(states[2 * i], word_of<state>(found[i].first));
      states[2 * i + 1] = facts::op::combine(states[2 * i + 1], word_of<state>(found[i].second));
      clear_slots(slots + 2 * i * width);
    }
  }
}

}  // namespace tenon::detail
#endif
