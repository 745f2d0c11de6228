// SPDX-License-Identifier: Apache-2.0
#pragma once
// The wholes of a thread's columns, whose states are long chains over its rows: in shared memory,
// because registers hold the recent parts.

#include "tenon/backend/cuda/mixed/arguments.cuh"
#include "tenon/backend/cuda/parts/dynamic_shared.cuh"
#include "tenon/backend/cuda/parts/thread_stage.cuh"
#include "tenon/backend/cuda/parts/whole_move.cuh"

namespace tenon::detail {

// Columns are vectors of V in Items places. Only the thread whose slots they are uses them, so that
// no barrier is needed. First: bytes of dynamic shared memory before the slots.
template <class Program, int V, int Items, int Threads, int First> struct column_wholes {
  using carried = carried_reductions<Program, column_reductions<Program, 1>>;
  template <int K> using state = typename reduction_facts<Program, K>::state;
  // States that move at once, 16 bytes at most.
  template <int K>
  static constexpr int together = V * sizeof(state<K>) <= 16 ? V : 16 / sizeof(state<K>);

  template <int K> static constexpr int bytes_of() {
    if constexpr (is_held<Program, carried>(K))
      return static_cast<int>(sizeof(state<K>)) * V * Items * Threads;
    else
      return 0;
  }
  template <int... K> static constexpr int sum(std::integer_sequence<int, K...>) {
    return (0 + ... + bytes_of<K>());
  }
  static constexpr int bytes = sum(typename program_traits<Program>::sequence{});
  template <int K>
  static constexpr int bytes_before = First + sum(std::make_integer_sequence<int, K>{});

#if defined(__CUDA_ARCH__)
  // Carries the recent parts over, for the first time if is_first: then there is no whole yet.
  template <class States>
  static __device__ __forceinline__ void carry(States& columns, bool is_first) {
    for_each_slot(columns, [&](auto selected, auto& recent, auto& slot) {
      constexpr int k = decltype(selected)::value;
      constexpr int count = together<k>;
      value_list<state<k>, count> whole;
      if (is_first)
#pragma unroll
        for (int i = 0; i < count; ++i) whole.at[i] = reduction_facts<Program, k>::identity();
      else
        move_whole(whole, slot);
#pragma unroll
      for (int i = 0; i < count; ++i)
        carry_over<typename reduction_facts<Program, k>::op>(whole.at[i], recent[i]);
      move_whole(slot, whole);
    });
  }
  // @pre carry was called. @post the states have everything
  template <class States> static __device__ __forceinline__ void finish(States& columns) {
    for_each_slot(columns, [&](auto selected, auto& recent, auto& slot) {
      constexpr int k = decltype(selected)::value;
      value_list<state<k>, together<k>> whole;
      move_whole(whole, slot);
#pragma unroll
      for (int i = 0; i < together<k>; ++i)
        recent[i] = reduction_facts<Program, k>::op::combine(whole.at[i], recent[i]);
    });
  }

 private:
  // Calls visit(reduction, the first of its neighbouring states, their slot).
  template <class States, class Visit>
  static __device__ __forceinline__ void for_each_slot(States& columns, Visit const& visit) {
    int const thread = static_cast<int>(threadIdx.x + threadIdx.y * blockDim.x);
    for_each_selected<Program, carried>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using part = value_list<state<k>, together<k>>;
      part* const parts = reinterpret_cast<part*>(dynamic_shared() + bytes_before<k>) + thread;
#pragma unroll
      for (int first = 0; first < V * Items; first += together<k>) {
        part recent;
#pragma unroll
        for (int i = 0; i < together<k>; ++i)
          recent.at[i] = read_register<k>(columns).at[first + i];
        visit(selected, recent.at, parts[first / together<k> * Threads]);
#pragma unroll
        for (int i = 0; i < together<k>; ++i)
          read_register<k>(columns).at[first + i] = recent.at[i];
      }
    });
  }
#endif
};

}  // namespace tenon::detail
