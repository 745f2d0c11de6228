// SPDX-License-Identifier: Apache-2.0
#pragma once
// How the blocks of a group combine the states of a tile's columns: each leaves those of its
// slices in the workspace, shares of the columns are combined over all slices, and every block
// reads the results.

#include "tenon/backend/cuda/columns/left.cuh"
#include "tenon/backend/cuda/columns/meeting_arguments.cuh"
#include "tenon/backend/cuda/parallel/side_by_side.cuh"
#include "tenon/backend/cuda/parts/grid_barrier.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

template <class Program, int V, int Threads> struct meeting_states {
  using side = rows_side_by_side<Program, V, Threads>;
  static constexpr int phases = program_traits<Program>::row_phases;

  columns_arguments<Program> const& a;
  meeting_share const& share;
  int round = 0;  // tiles that the group had before

  // Of the block in its group, and the group: found again rather than held over the sweeps.
  static __device__ __forceinline__ unsigned block() {
    unsigned block;
    asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(block));
    return block;
  }
  __device__ __forceinline__ int rank() const {
    return static_cast<int>(block() / static_cast<unsigned>(share.groups));
  }
  __device__ __forceinline__ int group() const {
    return static_cast<int>(block() % static_cast<unsigned>(share.groups));
  }
  __device__ __forceinline__ int tile() const { return group() + round * share.groups; }

  // Of slice number `slice` of the block. @pre all threads call it, those of y = 0 with what
  // combine_block left
  template <int Phase, class Rows>
  __device__ __forceinline__ void leave(Rows const& rows, int slice) const {
    if (threadIdx.y != 0) return;
    int const first_slice = rank() * (share.turns_of_block / share.turns_of_slice);
    unsigned* to = partials() + (first_slice + slice) * words<Phase> * stride() + threadIdx.x * V;
    for_each_selected<Program, typename side::template states<Phase>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      typename reduction_facts<Program, k>::state mine[V];
#pragma unroll
      for (int i = 0; i < V; ++i) mine[i] = read_register<k>(rows[i]);
      leave_states(to, stride(), mine);
      to += words_of_row_state<Program, k> * stride();
    });
  }

  // Combines over all slices, in an order that follows from their number. A block counts itself
  // when it has left its states, and once more when it has combined some; nobody goes on before all
  // have, so that the workspace may be used again.
  // @pre all threads of all blocks of the group call it. @post all have the results
  template <int Phase, class Rows> __device__ __forceinline__ void meet(Rows& rows) {
    int const shares = static_cast<int>(blockDim.x) / share.vectors_of_one, mine = rank();
    bool const combines = mine < shares;
    unsigned const before = (round * phases + Phase - 1) * counts_of_meeting();
    unsigned* const counter = this->counter();
    bool const is_first = threadIdx.x == 0 && threadIdx.y == 0;
    __syncthreads();
    if (is_first) {
      count_up(counter);
      if (combines) wait_for_count(counter, before + share.blocks);
    }
    if (combines) {
      __syncthreads();
#pragma unroll 1
      for (int number = mine; number < shares; number += share.blocks)
        combine<Phase>(number * share.vectors_of_one);
      __syncthreads();
      if (is_first) count_up(counter);
    }
    if (is_first) wait_for_count(counter, before + counts_of_meeting());
    __syncthreads();
    unsigned const* from = results<Phase>() + threadIdx.x * V;
    for_each_selected<Program, typename side::template states<Phase>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      typename reduction_facts<Program, k>::state all[V];
      bring_left<Program, k>(all, from, stride());
      from += words_of_row_state<Program, k> * stride();
#pragma unroll
      for (int i = 0; i < V; ++i) read_register<k>(rows[i]) = all[i];
    });
  }
  // The counter is 0 again when all blocks have called it. @pre the block meets no more
  __device__ __forceinline__ void end() const {
    if (threadIdx.x != 0 || threadIdx.y != 0) return;
    atomicInc(counter(), round * phases * counts_of_meeting() + share.blocks - 1);
  }

 private:
  template <int Phase> static constexpr int words = side::template words_per_row<Phase>;
  // Words of all columns of a tile.
  static __device__ __forceinline__ long long stride() { return blockDim.x * V; }
  __device__ __forceinline__ unsigned* counter() const {
    return a.workspace + group() * words_of_counter;
  }
  // Every block counts, and those that combine once more.
  __device__ __forceinline__ unsigned counts_of_meeting() const {
    int const shares = static_cast<int>(blockDim.x) / share.vectors_of_one;
    return static_cast<unsigned>(share.blocks + (shares < share.blocks ? shares : share.blocks));
  }
  // What the slices of the group's tile leave, and what they come to.
  __device__ __forceinline__ unsigned* partials() const {
    return a.workspace + first_partial +
           group() * ((a.slices + 1) * (words_of_row_phase<Program> * stride()));
  }
  template <int Phase> __device__ __forceinline__ unsigned* results() const {
    return partials() + a.slices * words<Phase> * stride();
  }
  // The vectors from `first` on, by threads that lie above each other otherwise than the block's:
  // so many that each has one or two slices.
  template <int Phase> __device__ __forceinline__ void combine(int first) const {
    int const thread = static_cast<int>(threadIdx.x + threadIdx.y * blockDim.x),
              width = share.vectors_of_one;
    stack_position const p{thread % width, thread / width, width, Threads / width};
    long long place = (first + p.x) * V;
    for_each_selected<Program, typename side::template states<Phase>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using facts = reduction_facts<Program, k>;
      unsigned const* const from = partials() + place;
      typename facts::state all[V];
#pragma unroll
      for (int i = 0; i < V; ++i) all[i] = facts::identity();
#pragma unroll 1
      for (int slice = p.y; slice < a.slices; slice += p.height) {
        typename facts::state next[V];
        bring_left<Program, k>(next, from + slice * words<Phase> * stride(), stride());
#pragma unroll
        for (int i = 0; i < V; ++i) all[i] = facts::op::combine(all[i], next[i]);
      }
      stacked_states<Program, k, V, Threads>::combine_first(all, p);
      if (p.y == 0) leave_states(results<Phase>() + place, stride(), all);
      place += words_of_row_state<Program, k> * stride();
    });
  }
};

}  // namespace tenon::detail
#endif
