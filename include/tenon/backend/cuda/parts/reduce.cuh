// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reductions in registers, over the lanes of a warp, over the warps of a row and over a block.

#include <type_traits>

#include "tenon/backend/cuda/parts/cluster.cuh"
#include "tenon/backend/cuda/parts/element_tile.cuh"
#include "tenon/backend/cuda/parts/row_state_places.cuh"

namespace tenon::detail {

// Reductions at one place.
template <class Program, place Where> struct reductions_at {
  static consteval bool holds(int k) {
    instruction_facts const& i = program_traits<Program>::all[k];
    return i.is_reduction && i.where == Where;
  }
};
// The same; for place::row those of one phase.
template <class Program, place Where, int Phase> struct reductions_of {
  static consteval bool holds(int k) {
    return reductions_at<Program, Where>::holds(k) &&
           (Where != place::row || program_traits<Program>::all[k].phase == Phase);
  }
};

// Reductions of one place that end in one phase.
template <class Program, place Where, int Phase> struct reductions_ending {
  static consteval bool holds(int k) {
    instruction_facts const& i = program_traits<Program>::all[k];
    return i.is_reduction && i.where == Where && i.phase == Phase;
  }
};

// Number, operand and state of reduction K: the operand is a number, or the state of another
// operator.
template <class Program, int K> struct reduction_facts {
  using traits = program_traits<Program>;
  using instruction = typename traits::template at<K>;
  static_assert(instruction::operand_count == 1,
                "tenon: reduction: it has one operand; reduce a value made of several");
  using op = typename instruction::op;
  using number = arithmetic_t<instruction::type>;
  using state = typename instruction::value_type;
  using given = typename traits::template at<instruction::first_operand>::value_type;
  using operand = std::conditional_t<std::is_class_v<given>, given, number>;
  static __device__ __forceinline__ state identity() { return op::template identity<number>(); }
};

#if defined(__CUDA_ARCH__)
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

// Which shuffles over fewer lanes than there may be are compiled: a branch around each, all of them
// at a few registers more, or a loop over those that are needed.
enum class lane_steps { branches, straight, loop };

// Lanes that combine their states, as an operator sees them that does so by sums and maxima. Where
// there are fewer than 32, and few registers for them, two are common: one question for all other
// steps.
template <int Most, lane_steps Steps> struct lanes_up_to {
  int lanes;  // a power of two

  // @pre x is no product that the first sum could be rounded with (math::rounded_product)
  // @post the same bits in all lanes
  template <class T> TENON_HD T sum(T x) const {
    return combined(x, [](T a, T b) { return a + b; });
  }
  template <class T> TENON_HD T largest(T x) const {
    return combined(x, [](T a, T b) { return math::maximum(a, b); });
  }
  template <class T> TENON_HD T smallest(T x) const {
    return combined(x, [](T a, T b) { return math::minimum(a, b); });
  }
  // That of the first lane that is chosen. @pre one is
  template <class T> TENON_HD T of(T x, bool is_chosen) const {
    unsigned const first = (threadIdx.x + threadIdx.y * blockDim.x) % 32 & ~(lanes - 1u),
                   chosen = __ballot_sync(~0u, is_chosen) >> first;
    return __shfl_sync(~0u, x, static_cast<int>(first) + __ffs(static_cast<int>(chosen)) - 1);
  }
  template <class T> TENON_HD T first(T x) const { return __shfl_sync(~0u, x, 0, lanes); }

 private:
  template <class T, class Choose> TENON_HD T combined(T x, Choose choose) const {
    auto const step = [&](int distance) {
      T const other = __shfl_xor_sync(~0u, x, distance);
      if (distance < lanes) x = choose(x, other);
    };
    if (Steps != lane_steps::loop || Most == 32 || lanes > 2)
#pragma unroll
      for (int distance = Most / 2; distance > 1; distance /= 2) step(distance);
    step(1);
    return x;
  }
};
using lane_group = lanes_up_to<32, lane_steps::straight>;
template <class Op, class State>
concept combines_lanes = requires(State const& state, lane_group const& group) {
  Op::combine_all(state, group);
};

// This lane's state and that of the lane `distance` away, in lane order on both sides unless order
// does not matter.
template <class Op, class State>
__device__ __forceinline__ State combine_across(State const& state, int distance) {
  state_words<State> other(state);
#pragma unroll
  for (int w = 0; w < state_words<State>::count; ++w)
    other.words[w] = __shfl_xor_sync(~0u, other.words[w], distance);
  if constexpr (std::is_class_v<State> && !Op::is_commutative) {
    bool const is_later = ((threadIdx.x + threadIdx.y * blockDim.x) & distance) != 0;
    State theirs = other.state(), first = state, second = theirs;
    if (is_later) first = theirs, second = state;
    return Op::combine(first, second);
  } else {
    return Op::combine(state, other.state());
  }
}

// Combines the states of neighbouring groups of `lanes` lanes, at most MaxLanes and a power of two.
// @pre all 32 lanes call it
// @post every lane of a group holds the same bits
template <class Op, int MaxLanes, lane_steps Steps = lane_steps::branches, class State>
__device__ __forceinline__ State combine_lanes(State state, int lanes = MaxLanes) {
  if constexpr (combines_lanes<Op, State>) {
    return Op::combine_all(state, lanes_up_to<MaxLanes, Steps>{lanes});
  } else if constexpr (Steps == lane_steps::loop) {
#pragma unroll 1
    for (int distance = lanes / 2; distance > 0; distance /= 2)
      state = combine_across<Op>(state, distance);
    return state;
  } else {
#pragma unroll
    for (int distance = MaxLanes / 2; distance > 0; distance /= 2) {
      constexpr bool has_branch = Steps == lane_steps::branches || std::is_class_v<State>;
      if (has_branch && distance >= lanes) continue;
      State const both = combine_across<Op>(state, distance);
      if (has_branch || distance < lanes) state = both;
    }
    return state;
  }
}

// Words in each of two buffers, of the reductions that Of stands for.
template <class Program, int Of, int Words>
__device__ __forceinline__ unsigned* buffer_of_states(int buffer) {
  __shared__ unsigned all[2][Words];
  return all[buffer];
}

// Shared memory for `Count` states of reduction K in each of two buffers: one barrier per use,
// because whoever writes a buffer again has passed the barrier of the other one, behind which all
// have read this one. Those over the columns have it together, whatever their phase: of any two
// phases that follow each other each has its own buffer. One index of all of them lies together, so
// that rows which are in different phases have nothing in common.
// @pre of one program and Count all phases take the two buffers in turn
template <class Program, int K, int Count> struct shared_states {
  using state = typename reduction_facts<Program, K>::state;
  using words = state_words<state>;
  static constexpr bool is_of_row = words_of_row_state<Program, K> > 0;
  static constexpr int of = is_of_row ? -1 : K,
                       stride = is_of_row ? words_of_row_phase<Program> : words::count,
                       first = is_of_row ? places_of_row_states<Program>.first[K] : 0;
  static __device__ __forceinline__ unsigned* slot(int buffer, int index) {
    return buffer_of_states<Program, of, Count * stride>(buffer) + first + index * stride;
  }
  static __device__ __forceinline__ void put(int buffer, int index, state const& value) {
    words from(value);
    for (int w = 0; w < words::count; ++w) slot(buffer, index)[w] = from.words[w];
  }
  // In the shared memory of block `rank` of the cluster.
  static __device__ __forceinline__ void send(mailbox& box, int buffer, int index,
                                              state const& value, int rank) {
    words from(value);
    for (int w = 0; w < words::count; ++w) box.send(slot(buffer, index) + w, from.words[w], rank);
  }
  static __device__ __forceinline__ state get(int buffer, int index) {
    words to;
    for (int w = 0; w < words::count; ++w) to.words[w] = slot(buffer, index)[w];
    return to.state();
  }
};

// Combines states first, first + 1, ... of `count` in shared memory. @pre all 32 lanes call it
// @post the order depends on `count` alone
template <class Program, int K, int Count, lane_steps Steps = lane_steps::branches>
__device__ __forceinline__ auto combine_shared(int buffer, int first, int count) {
  using facts = reduction_facts<Program, K>;
  constexpr int most = Count > 16 ? 32 : Count > 8 ? 16 : Count > 4 ? 8 : 4;
  int lanes = most > 16 && count > 16 ? 32
              : most > 8 && count > 8 ? 16
              : most > 4 && count > 4 ? 8
              : count > 2             ? 4
                                      : count;
  int lane = static_cast<int>(threadIdx.x + threadIdx.y * blockDim.x) & (lanes - 1);
  typename facts::state state = facts::identity();
  if constexpr (Count <= 32) {
    if (lane < count) state = shared_states<Program, K, Count>::get(buffer, first + lane);
  } else {
#pragma unroll 1
    for (int other = lane; other < count; other += lanes)
      state =
          facts::op::combine(state, shared_states<Program, K, Count>::get(buffer, first + other));
  }
  return combine_lanes<typename facts::op, most, Steps>(state, lanes);
}

// Leaves the state of reduction K of thread `thread`'s warp where the others find it.
template <class Program, int K, int MaxThreads, class State>
__device__ __forceinline__ void leave_warp(State const& state, int buffer, int thread) {
  State const all = combine_lanes<typename reduction_facts<Program, K>::op, 32>(state);
  if (thread % 32 == 0) shared_states<Program, K, MaxThreads / 32>::put(buffer, thread / 32, all);
}

// Combines reductions K over all threads of the block, of which there are MaxThreads along x if
// IsExact: a number known while compiling leaves neither divisions nor branches.
// @pre all threads call it; blocks are whole warps
template <class Program, int MaxThreads, bool IsExact, class Registers, int... K>
__device__ __forceinline__ void combine_block(Registers& registers_held, int& buffer,
                                              std::integer_sequence<int, K...>) {
  int const thread = static_cast<int>(threadIdx.x + (IsExact ? 0 : threadIdx.y * blockDim.x));
  int const warps = IsExact ? MaxThreads / 32 : static_cast<int>(blockDim.x * blockDim.y / 32);
  (leave_warp<Program, K, MaxThreads>(read_register<K>(registers_held), buffer, thread), ...);
  __syncthreads();
  ((read_register<K>(registers_held) =
        combine_shared<Program, K, MaxThreads / 32>(buffer, 0, warps)),
   ...);
  buffer ^= 1;
}
template <class Program, class Selected, int MaxThreads, bool IsExact = false, class Registers>
__device__ __forceinline__ void combine_block(Registers& registers_held, int& buffer) {
  combine_block<Program, MaxThreads, IsExact>(registers_held, buffer,
                                              held_sequence<Program, Selected>{});
}
#endif

}  // namespace tenon::detail
