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

template <class Program, int V, int Threads, bool HasGroups> struct meeting_states {
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
  __device__ __forceinline__ int member() const {
    return static_cast<int>(block() / static_cast<unsigned>(share.groups));
  }
  __device__ __forceinline__ int group() const {
    return static_cast<int>(block() % static_cast<unsigned>(share.groups));
  }
  // Among the blocks of a tile.
  __device__ __forceinline__ int rank() const { return member() / tiles_together(); }
  __device__ __forceinline__ int tile() const {
    return (group() + round * share.groups) * tiles_together() + tile_of_group();
  }

  // Of slice number `slice` of the block. @pre all threads call it, those of y = 0 with what
  // combine_block left
  template <int Phase, class Rows>
  __device__ __forceinline__ void leave(Rows const& rows, int slice) const {
    if (threadIdx.y != 0) return;
    int const first_slice = rank() * (share.turns_of_block / share.turns_of_slice);
    unsigned* to = partials() + (first_slice + slice) * words<Phase> * stride() + first_column();
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
    int const shares = this->shares(), mine = member(), blocks = members();
    bool const combines = mine < shares;
    unsigned const before = (round * phases + Phase - 1) * counts_of_meeting();
    unsigned* const counter = this->counter();
    bool const is_first = threadIdx.x == 0 && threadIdx.y == 0;
    __syncthreads();
    if (is_first) {
      count_up(counter);
      if (combines) wait_for_count(counter, before + blocks);
    }
    if (combines) {
      __syncthreads();
#pragma unroll 1
      for (int number = mine; number < shares; number += blocks)
        combine<Phase>(number * share.vectors_of_one);
      __syncthreads();
      if (is_first) count_up(counter);
    }
    if (is_first) wait_for_count(counter, before + counts_of_meeting());
    __syncthreads();
    unsigned const* from = results() + (HasGroups ? 0 : first_column());
    for_each_selected<Program, typename side::template states<Phase>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      typename reduction_facts<Program, k>::state all[V];
      if constexpr (HasGroups)
        bring_groups<k>(all, from);
      else
        bring_left<Program, k>(all, from, stride());
      from += words_of_row_state<Program, k> * stride();
#pragma unroll
      for (int i = 0; i < V; ++i) read_register<k>(rows[i]) = all[i];
    });
  }
  // The counter is 0 again when all blocks have called it. @pre the block meets no more
  __device__ __forceinline__ void end() const {
    if (threadIdx.x != 0 || threadIdx.y != 0) return;
    atomicInc(counter(), round * phases * counts_of_meeting() + members() - 1);
  }

 private:
  template <int Phase> static constexpr int words = side::template words_per_row<Phase>;
  __device__ __forceinline__ int tiles_together() const {
    return HasGroups ? share.tiles_together : 1;
  }
  __device__ __forceinline__ int members() const { return share.blocks * tiles_together(); }
  // Which of the tiles that meet together is the block's.
  __device__ __forceinline__ int tile_of_group() const {
    return HasGroups ? member() % share.tiles_together : 0;
  }
  // Words of all columns that meet together, and the thread's first one among these.
  __device__ __forceinline__ long long stride() const {
    return blockDim.x * V * static_cast<unsigned>(tiles_together());
  }
  __device__ __forceinline__ int first_column() const {
    return static_cast<int>((tile_of_group() * blockDim.x + threadIdx.x) * V);
  }
  __device__ __forceinline__ unsigned* counter() const {
    return a.workspace + group() * words_of_counter;
  }
  __device__ __forceinline__ int columns_of_group() const {
    return static_cast<int>(of_group().divisor);
  }
  __device__ __forceinline__ index_divider<64> const& of_group() const {
    return static_cast<grouped_arguments<Program> const&>(a).columns_of_group;
  }
  // How many groups the columns that meet together are.
  __device__ __forceinline__ int groups() const {
    return static_cast<int>(of_group().narrow_quotient(static_cast<unsigned>(stride())));
  }
  // That blocks combine, each those of vectors_of_one vectors or groups.
  __device__ __forceinline__ int shares() const {
    if constexpr (HasGroups)
      return (groups() + share.vectors_of_one - 1) / share.vectors_of_one;
    else
      return static_cast<int>(blockDim.x) / share.vectors_of_one;
  }
  // Every block counts, and those that combine once more.
  __device__ __forceinline__ unsigned counts_of_meeting() const {
    int const shares = this->shares(), blocks = members();
    return static_cast<unsigned>(blocks + (shares < blocks ? shares : blocks));
  }
  // What the slices of the tiles that meet together come to, and behind it what they leave: a block
  // may leave states of the next phase while others read.
  __device__ __forceinline__ unsigned* results() const {
    return a.workspace + first_partial +
           group() * ((a.slices + 1) * (words_of_row_phase<Program> * stride()));
  }
  __device__ __forceinline__ unsigned* partials() const {
    return results() + words_of_row_phase<Program> * stride();
  }
  // The vectors or groups from `first` on, by threads that lie above each other otherwise than the
  // block's: so many that each has one or two slices.
  template <int Phase> __device__ __forceinline__ void combine(int first) const {
    int const thread = static_cast<int>(threadIdx.x + threadIdx.y * blockDim.x),
              width = share.vectors_of_one;
    stack_position const p{thread % width, thread / width, width, Threads / width};
    if constexpr (HasGroups)
      combine_groups<Phase>(first + p.x, p);
    else
      combine_vectors<Phase>(first + p.x, p);
  }
  template <int Phase>
  __device__ __forceinline__ void combine_vectors(int vector, stack_position const& p) const {
    long long place = vector * V;
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
      if (p.y == 0) leave_states(results() + place, stride(), all);
      place += words_of_row_state<Program, k> * stride();
    });
  }
  // The states of all slices of all columns of a group, slice by slice.
  template <int Phase>
  __device__ __forceinline__ void combine_groups(int group, stack_position const& p) const {
    int const columns = columns_of_group(), count = group < groups() ? a.slices * columns : 0;
    long long place = 0;
    for_each_selected<Program, typename side::template states<Phase>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using facts = reduction_facts<Program, k>;
      unsigned const* const from = partials() + place + group * columns;
      typename facts::state all[1] = {facts::identity()};
#pragma unroll 1
      for (int number = p.y; number < count; number += p.height) {
        int const slice =
            static_cast<int>(of_group().narrow_quotient(static_cast<unsigned>(number)));
        typename facts::state next[1];
        bring_left<Program, k>(
            next, from + slice * words<Phase> * stride() + (number - slice * columns), stride());
        all[0] = facts::op::combine(all[0], next[0]);
      }
      stacked_states<Program, k, 1, Threads>::combine_first(all, p);
      if (p.y == 0 && count > 0) leave_states(results() + place + group, stride(), all);
      place += words_of_row_state<Program, k> * stride();
    });
  }
  // The results of the groups that the thread's columns are of.
  template <int K, class State>
  __device__ __forceinline__ void bring_groups(State (&all)[V], unsigned const* from) const {
    int const first = first_column(), columns = columns_of_group();
    int group = static_cast<int>(of_group().narrow_quotient(static_cast<unsigned>(first))),
        left = (group + 1) * columns - first;
#pragma unroll
    for (int i = 0; i < V; ++i, --left) {
      if (left == 0) ++group, left = columns;
      State one[1];
      bring_left<Program, K>(one, from + group, stride());
      all[i] = one[0];
    }
  }
};

}  // namespace tenon::detail
#endif
