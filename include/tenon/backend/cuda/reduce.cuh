// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reductions in registers, over the lanes of a warp, over the warps of a row and over a block.

#include <type_traits>

#include "tenon/backend/cuda/element_tile.cuh"

namespace tenon::detail {

// Reductions at one place; for place::row those of one phase.
template <class Program, place Where, int Phase> struct reductions_of {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  template <int K>
  static constexpr bool holds = at<K>::is_reduction&& at<K>::where == Where &&
                                (Where != place::row || at<K>::phase == Phase);
};

// Number, operand type and state of reduction K.
template <class Program, int K> struct reduction_facts {
  using traits = program_traits<Program>;
  using instruction = typename traits::template at<K>;
  static_assert(instruction::operand_count == 1,
                "tenon: reduction: it has one operand; reduce a value made of several");
  using op = typename instruction::op;
  using number = arithmetic_t<instruction::type>;
  using state = typename instruction::value_type;
  static __device__ __forceinline__ state identity() { return op::template identity<number>(); }
};

// A thread's running states. Several, because one chain of dependent additions would wait for
// itself; an operator that reduces many elements better than one after the other gets all of a tile
// at once.
template <class Op, class Number, int Count>
inline constexpr bool takes_many = requires(Number const (&x)[Count], int valid) {
  Op::lift_many(x, valid);
};

template <class Program, int V, int Items, int Phase>
struct running_states : reductions_of<Program, place::row, Phase> {
  static constexpr int chains = Items < 4 ? Items : 4;
  template <int K> using facts = reduction_facts<Program, K>;
  template <int K>
  static constexpr bool is_batch =
      takes_many<typename facts<K>::op, typename facts<K>::number, V * Items>;
  template <int K> using type = value_list<typename facts<K>::state, is_batch<K> ? 1 : chains>;
};
// The elements of one tile (for a batch), or of one vector, that a reduction is to take in.
template <class Program, int V, int Items, int Phase>
struct collected_values : reductions_of<Program, place::row, Phase> {
  template <int K>
  using type =
      value_list<typename reduction_facts<Program, K>::number,
                 running_states<Program, V, Items, Phase>::template is_batch<K> ? V * Items : V>;
};

template <class Program, class Running, class States>
__device__ __forceinline__ void reset(States& states) {
  for_each_selected<Program, Running>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    for (auto& state : read_register<k>(states).at) state = reduction_facts<Program, k>::identity();
  });
}

// Combines neighbours pairwise.
template <class Op, class State, int N>
__device__ __forceinline__ State fold(State const (&states)[N]) {
  if constexpr (N == 1) {
    return states[0];
  } else {
    State half_as_many[(N + 1) / 2];
#pragma unroll
    for (int i = 0; i < N / 2; ++i) half_as_many[i] = Op::combine(states[2 * i], states[2 * i + 1]);
    if constexpr (N % 2 == 1) half_as_many[N / 2] = states[N - 1];
    return fold<Op>(half_as_many);
  }
}

// Takes in the vector just collected; a vector that is not live changes nothing.
template <class Program, int V, int Items, int Phase, class States, class Values>
__device__ __forceinline__ void accumulate_item(States& states, Values const& values, int u,
                                                bool is_live) {
  using running = running_states<Program, V, Items, Phase>;
  for_each_selected<Program, running>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    if constexpr (!running::template is_batch<k>) {
      using facts = reduction_facts<Program, k>;
      using op = typename facts::op;
      typename facts::state lifted[V];
#pragma unroll
      for (int i = 0; i < V; ++i) lifted[i] = op::lift(read_register<k>(values).at[i]);
      auto& state = read_register<k>(states).at[u % running::chains];
      typename facts::state next = op::combine(state, fold<op>(lifted));
      if (is_live) state = next;
    }
  });
}
// Takes in a whole tile for the operators that want it so. @pre the first `valid` elements are live
template <class Program, int V, int Items, int Phase, class States, class Values>
__device__ __forceinline__ void accumulate_tile(States& states, Values const& values, int valid) {
  using running = running_states<Program, V, Items, Phase>;
  for_each_selected<Program, running>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    if constexpr (running::template is_batch<k>) {
      using op = typename reduction_facts<Program, k>::op;
      auto& state = read_register<k>(states).at[0];
      state = op::combine(state, op::lift_many(read_register<k>(values).at, valid));
    }
  });
}

// A state as 32-bit words: what shuffles and partial results are made of.
template <class State> struct state_words {
  static constexpr int count = (sizeof(State) + 3) / 4;
  unsigned words[count] = {};

  __device__ __forceinline__ explicit state_words(State const& state) {
    __builtin_memcpy(words, &state, sizeof(State));
  }
  __device__ __forceinline__ state_words() {}
  __device__ __forceinline__ State state() const {
    State result;
    __builtin_memcpy(&result, words, sizeof(State));
    return result;
  }
};

// Combines the states of neighbouring groups of Lanes lanes. @pre all 32 lanes call it
// @post every lane of a group holds the same bits: a pair combines in lane order on both sides
template <class Op, int Lanes, class State>
__device__ __forceinline__ State combine_lanes(State state) {
  unsigned lane = threadIdx.x + threadIdx.y * blockDim.x;
#pragma unroll
  for (int distance = Lanes / 2; distance > 0; distance /= 2) {
    state_words<State> other(state);
#pragma unroll
    for (int w = 0; w < state_words<State>::count; ++w)
      other.words[w] = __shfl_xor_sync(~0u, other.words[w], distance);
    if constexpr (std::is_class_v<State>) {
      bool is_later = (lane & distance) != 0;
      State theirs = other.state(), first = state, second = theirs;
      if (is_later) first = theirs, second = state;
      state = Op::combine(first, second);
    } else {
      state = Op::combine(state, other.state());
    }
  }
  return state;
}

// Shared memory for `Count` states of reduction K in each of two buffers: one barrier per use,
// because whoever writes a buffer again has passed the barrier of the other one, behind which all
// have read this one.
template <class Program, int K, int Count>
__device__ __forceinline__ auto shared_states(int buffer) {
  using state = typename reduction_facts<Program, K>::state;
  __shared__ state all[2][Count];
  return all[buffer];
}

// Combines over `warps` neighbouring warps that begin at warp `first`, of MaxWarps in the block.
// @pre all threads of the block call it with states already combined over their warps
template <class Program, class Selected, int MaxWarps, class Registers>
__device__ __forceinline__ void combine_warps(Registers& registers_held, int first, int warps,
                                              int& buffer) {
  int thread = static_cast<int>(threadIdx.x + threadIdx.y * blockDim.x);
  for_each_selected<Program, Selected>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    if (thread % 32 == 0)
      shared_states<Program, k, MaxWarps>(buffer)[thread / 32] = read_register<k>(registers_held);
  });
  __syncthreads();
  for_each_selected<Program, Selected>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using facts = reduction_facts<Program, k>;
    int mine = thread % MaxWarps;
    typename facts::state state = facts::identity();
    if (mine < warps) state = shared_states<Program, k, MaxWarps>(buffer)[first + mine];
    read_register<k>(registers_held) = combine_lanes<typename facts::op, MaxWarps>(state);
  });
  buffer ^= 1;
}

// Combines over all threads of the block. @pre all threads call it; blocks are whole warps
template <class Program, class Selected, int MaxThreads, class Registers>
__device__ __forceinline__ void combine_block(Registers& registers_held, int& buffer) {
  for_each_selected<Program, Selected>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    read_register<k>(registers_held) = combine_lanes<typename reduction_facts<Program, k>::op, 32>(
        read_register<k>(registers_held));
  });
  combine_warps<Program, Selected, MaxThreads / 32>(
      registers_held, 0, static_cast<int>(blockDim.x * blockDim.y / 32), buffer);
}

}  // namespace tenon::detail
