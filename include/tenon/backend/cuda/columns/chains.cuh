// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a thread has taken in of its columns in the turns of a slice: a recent part, and a whole of
// the parts before.

#include "tenon/backend/cuda/parallel/side_by_side.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// What an operator gathers elements in, in few registers if it can: other columns are taken in
// beside it.
template <class Facts, int Lanes> struct narrowly_gathered { using type = gathered_state<Facts>; };
template <class Facts, int Lanes>
requires requires { typename Facts::op::template gathered<typename Facts::number, Lanes>; }
struct narrowly_gathered<Facts, Lanes> {
  using type = typename Facts::op::template gathered<typename Facts::number, Lanes>;
};

// An operator that gathers elements (ops/moments.hpp) does so in the recent part: a state of a few
// elements, and its merge, are three times the instructions. Slices are so short that the whole is
// one chain.
template <class Program, int V, int Threads, int Phase, int Lanes = 2> struct column_chains {
  using side = rows_side_by_side<Program, V, Threads>;
  using states = typename side::template states<Phase>;
  template <int K> using facts = reduction_facts<Program, K>;
  static constexpr int turns_of_part = most_chained;
  struct gathering : reductions_of<Program, place::row, Phase> {
    template <int K> using type = value_list<typename narrowly_gathered<facts<K>, Lanes>::type, 1>;
  };

  selected_registers<Program, gathering> recent[V];
  selected_registers<Program, states> wholes[V];

  __device__ __forceinline__ void begin() {
#pragma unroll
    for (int i = 0; i < V; ++i) {
      reset<Program, states>(wholes[i]);
      for_each_selected<Program, states>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        clear<k>(read_register<k>(recent[i]).at[0]);
      });
    }
  }
  // Of columns that have taken in as many elements: one count is left of all, and what is computed
  // of it is so once.
  __device__ __forceinline__ void share_counts() {
    for_each_selected<Program, states>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      if constexpr (gathers<typename narrowly_gathered<facts<k>, Lanes>::type>) {
#pragma unroll
        for (int i = 1; i < V; ++i) {
          read_register<k>(recent[i]).at[0].n = read_register<k>(recent[0]).at[0].n;
          read_register<k>(wholes[i]).at[0].n = read_register<k>(wholes[0]).at[0].n;
        }
      }
    });
  }
  // The recent part into the whole.
  __device__ __forceinline__ void carry() {
    for_each_selected<Program, states>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using op = typename facts<k>::op;
#pragma unroll
      for (int i = 0; i < V; ++i) {
        auto& one = read_register<k>(recent[i]).at[0];
        auto& whole = read_register<k>(wholes[i]).at[0];
        if constexpr (ops::rounded_reduction<op, typename facts<k>::state>) {
          carry_over<op>(whole, one);
        } else {
          whole = op::combine(whole, state_of<k>(one));
          clear<k>(one);
        }
      }
    });
  }
  template <class Rows> __device__ __forceinline__ void finish(Rows& rows) const {
    for_each_selected<Program, states>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
#pragma unroll
      for (int i = 0; i < V; ++i)
        read_register<k>(rows[i]) = facts<k>::op::combine(
            read_register<k>(wholes[i]).at[0], state_of<k>(read_register<k>(recent[i]).at[0]));
    });
  }

 private:
  template <int K, class Recent>
  static __device__ __forceinline__ typename facts<K>::state state_of(Recent const& recent) {
    if constexpr (gathers<Recent>)
      return recent.n == 0 ? facts<K>::identity() : recent.result(ops::inverse_count(recent.n));
    else
      return recent;
  }
  template <int K, class Recent> static __device__ __forceinline__ void clear(Recent& recent) {
    if constexpr (gathers<Recent>)
      recent = {};
    else
      recent = facts<K>::identity();
  }
};

}  // namespace tenon::detail
#endif
