// SPDX-License-Identifier: Apache-2.0
#pragma once
// A lane's states of a row of few elements, in the order of odd rows (rows/odd_items.cuh): one for
// each of its vectors, or where elements are gathered one, or two, which are those of two lanes.

#include "tenon/backend/cuda/parts/reduce.cuh"
#include "tenon/backend/cuda/parts/running_states.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

template <class Program, int Items, int Gathered, int Phase>
struct brief_states : reductions_of<Program, place::row, Phase> {
  template <int K> using state = gathered_state<reduction_facts<Program, K>>;
  template <int K> using type = value_list<state<K>, gathers<state<K>> ? Gathered : Items>;
};
// What they take in of a vector.
template <class Program, int V, int Phase>
struct brief_collected : reductions_of<Program, place::row, Phase> {
  template <int K> using type = value_list<taken<Program, K>, V>;
};

// Lanes of a row, few of them: a question before each step instead of all steps. Each is two lanes
// of a kernel with twice as many, `lanes` apart.
struct brief_lanes : lane_group {
  template <class T> TENON_HD T sum(T const (&both)[2]) const {
    T x = both[0] + both[1];
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2)
      if (distance < lanes) x += __shfl_xor_sync(~0u, x, distance);
    return x;
  }
};

// The same of one state, and a loop: short calls wait for code.
struct looped_lanes : lane_group {
  template <class T> TENON_HD T sum(T x) const {
#pragma unroll 1
    for (int distance = lanes / 2; distance > 0; distance /= 2)
      x += __shfl_xor_sync(~0u, x, distance);
    return x;
  }
};

template <class Program, int K, class State, int N>
__device__ __forceinline__ void begin_brief(State (&running)[N]) {
  if constexpr (!gathers<State>) fill(running, reduction_facts<Program, K>::identity());
}
// Vector u, of which `left` elements are there, or all of every lane's if is_all: by itself, or
// after the one two before it. OneWay: lanes with all of it and others go the same.
template <class Program, int K, bool OneWay, class State, int N, int V, class Taken>
__device__ __forceinline__ void take_brief(State (&running)[N], Taken const (&x)[V], int u,
                                           bool is_all, int left) {
  using facts = reduction_facts<Program, K>;
  using op = typename facts::op;
  if constexpr (gathers<State>) {
    auto& state = running[u % N];
    if (!is_all && left <= 0) return;
    if (u >= N) __builtin_assume(!(state.n == 0));
    if constexpr (OneWay)
      op::gather_some(state, x, left > V ? V : left);
    else
      op::gather(state, x, is_all || left > V ? V : left);
  } else {
    running[u] = op::combine(
        running[u], fold_live<op, typename facts::state>(x, is_all, left, 0, facts::identity()));
  }
}

// Those of a lane, then of all lanes of the row. has_several: vectors of a row. OneWay: of any
// number of lanes.
template <class Program, int K, bool OneWay, class State, int N>
__device__ __forceinline__ auto finish_brief(State const (&running)[N], bool has_several,
                                             int lanes) {
  using facts = reduction_facts<Program, K>;
  using op = typename facts::op;
  if constexpr (gathers<State>) {
    typename facts::state both[N];
#pragma unroll
    for (int i = 0; i < N; ++i)
      both[i] = running[i].n == 0 ? facts::identity()
                                  : running[i].result(ops::inverse_count(running[i].n));
    if constexpr (OneWay)
      return lanes > 1 ? op::combine_all(both[0], looped_lanes{{lanes}}) : both[0];
    else if constexpr (N == 1)
      return lanes > 1 ? combine_lanes<op, 32>(both[0], lanes) : both[0];
    else
      return has_several ? op::combine_all(both, brief_lanes{{lanes}}) : both[0];
  } else {
    auto const state = fold_apart<op>(running);
    constexpr lane_steps steps = OneWay ? lane_steps::loop : lane_steps::branches;
    return lanes > 1 ? combine_lanes<op, 32, steps>(state, lanes) : state;
  }
}

}  // namespace tenon::detail
#endif
