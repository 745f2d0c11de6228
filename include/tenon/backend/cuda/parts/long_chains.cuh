// SPDX-License-Identifier: Apache-2.0
#pragma once
// Many states taken in one after the other: where combining rounds, a chain is carried over before
// it is long, and what rounding took away goes on with it.

#include "tenon/backend/cuda/parts/reduce.cuh"

namespace tenon::detail {

// Steps of a chain of additions; then what it has is carried over: the error of a sum is that of
// 8 additions and of the trees above them, not of the number of steps.
inline constexpr int most_chained = 8;

#if defined(__CUDA_ARCH__)
// Moves the recent part of a long chain to the whole. What rounding takes away from a sum stays in
// `recent`, which the next part goes on from. @pre ops::rounded_reduction<Op, State>
template <class Op, class State>
__device__ __forceinline__ void carry_over(State& whole, State& recent) {
  State const sum = Op::combine(whole, recent);
  recent = Op::rest(whole, recent, sum);
  whole = sum;
}

// One state that takes in many others, one after the other.
template <class Op, class State> class long_chain {
  State recent_, whole_;
  [[maybe_unused]] unsigned taken_ = 0;

 public:
  __device__ __forceinline__ explicit long_chain(State const& identity)
      : recent_(identity), whole_(identity) {}
  __device__ __forceinline__ void take(State const& next) {
    recent_ = Op::combine(recent_, next);
    if constexpr (ops::rounded_reduction<Op, State>)
      if (++taken_ % most_chained == 0) carry_over<Op>(whole_, recent_);
  }
  __device__ __forceinline__ State result() const {
    if constexpr (ops::rounded_reduction<Op, State>) return Op::combine(whole_, recent_);
    return recent_;
  }
};
#endif

// Selected reductions whose long chains are carried over, with the whole.
template <class Program, class Selected> struct carried_reductions {
  template <int K> using type = typename reduction_facts<Program, K>::state;
  template <int... K> static consteval bool is_rounded(int k, std::integer_sequence<int, K...>) {
    return (false || ... ||
            (k == K && ops::rounded_reduction<typename reduction_facts<Program, K>::op, type<K>>));
  }
  static consteval bool holds(int k) { return is_rounded(k, held_sequence<Program, Selected>{}); }
};

// The wholes of chains whose recent parts are registers.
template <class Program, class Selected> class long_chains {
  using carried = carried_reductions<Program, Selected>;
  selected_registers<Program, carried> whole_;

 public:
  __device__ __forceinline__ long_chains() { clear(); }
  __device__ __forceinline__ void clear() {
    for_each_selected<Program, carried>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      read_register<k>(whole_) = reduction_facts<Program, k>::identity();
    });
  }
  template <class Registers> __device__ __forceinline__ void carry(Registers& recent) {
    for_each_selected<Program, carried>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      carry_over<typename reduction_facts<Program, k>::op>(read_register<k>(whole_),
                                                           read_register<k>(recent));
    });
  }
  // @post `recent` has everything
  template <class Registers> __device__ __forceinline__ void finish(Registers& recent) const {
    for_each_selected<Program, carried>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      read_register<k>(recent) = reduction_facts<Program, k>::op::combine(read_register<k>(whole_),
                                                                          read_register<k>(recent));
    });
  }
};

}  // namespace tenon::detail
