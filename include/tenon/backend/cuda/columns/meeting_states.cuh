// SPDX-License-Identifier: Apache-2.0
#pragma once
// How the blocks of a group combine the states of a tile's columns: each leaves those of its
// slices in the workspace, shares of the columns are combined over all slices, and every block
// reads the results.

#include "tenon/backend/cuda/columns/left.cuh"
#include "tenon/backend/cuda/columns/meeting_group.cuh"
#include "tenon/backend/cuda/parallel/side_by_side.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

template <class Program, class C> struct meeting_states : meeting_group<Program, C> {
  using base = meeting_group<Program, C>;
  using base::a, base::share, base::round, base::members, base::member, base::rank, base::group,
      base::tiles_together, base::tile_of_group, base::stride, base::first_column, base::counter,
      base::columns_of_group, base::of_group, base::groups, base::vectors, base::shares,
      base::combine_all, base::counts_of_meeting;
  static constexpr int V = C::vector_width, Threads = C::threads_per_block;
  static constexpr bool HasGroups = has_groups<C>, HasPlanes = has_planes<C>;
  static constexpr int places_of_slices = HasPlanes ? 2 : 1;
  using side = rows_side_by_side<Program, V, Threads>;
  template <int Phase> static constexpr int row_meetings = base::template row_meetings<Phase>;
  template <int Phase> static constexpr int plane_meetings = base::template plane_meetings<Phase>;

  // Of slice number `slice` of the block. @pre all threads call it, those of y = 0 with what
  // combine_block left
  template <int Phase, class Rows>
  __device__ __forceinline__ void leave(Rows const& rows, int slice) const {
    if (threadIdx.y != 0) return;
    int const first_slice = rank() * (share.turns_of_block / share.turns_of_slice);
    unsigned* to =
        partials<Phase>() + (first_slice + slice) * words<Phase> * stride() + first_column();
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
    if constexpr (HasPlanes)
      if (combine_all()) return meet_and_combine<Phase>(rows);
    int const shares = this->shares(), mine = member(), blocks = members();
    bool const combines = mine < shares;
    unsigned const before = base::template counted<row_meetings<Phase>, plane_meetings<Phase>>();
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
  // The same where slices are few: each block combines those of its own columns.
  template <int Phase, class Rows> __device__ __forceinline__ void meet_and_combine(Rows& rows) {
    bool const is_first = threadIdx.x == 0 && threadIdx.y == 0;
    __syncthreads();
    if (is_first) {
      count_up(counter());
      wait_for_count(counter(),
                     base::template counted<row_meetings<Phase + 1>, plane_meetings<Phase>>());
    }
    __syncthreads();
    unsigned const* from = partials<Phase>() + first_column();
    for_each_selected<Program, typename side::template states<Phase>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using facts = reduction_facts<Program, k>;
      typename facts::state all[V];
#pragma unroll
      for (int i = 0; i < V; ++i) all[i] = facts::identity();
#pragma unroll 4
      for (int slice = 0; slice < a.slices; ++slice) {
        typename facts::state next[V];
        bring_left<Program, k>(next, from + slice * words<Phase> * stride(), stride());
#pragma unroll
        for (int i = 0; i < V; ++i) all[i] = facts::op::combine(all[i], next[i]);
      }
      from += words_of_row_state<Program, k> * stride();
#pragma unroll
      for (int i = 0; i < V; ++i) read_register<k>(rows[i]) = all[i];
    });
  }
  // What the tiles of a plane leave for the totals of phase Phase, of which the first block of a
  // tile has its rows' part, comes to the same for all of its blocks.
  // @pre all threads of all blocks of the group call it
  template <int Phase>
  __device__ __forceinline__ void meet_as_plane(registers<Program, place::total>& total) const {
    bool const is_first = threadIdx.x == 0 && threadIdx.y == 0;
    int const tiles = tiles_together();
    if (is_first && rank() == 0)
      for_each_total<Phase>([&](auto selected, unsigned* to) {
        state_words<typename reduction_facts<Program, decltype(selected)::value>::state> const mine(
            read_register<decltype(selected)::value>(total));
        to += tile_of_group();
        for (unsigned word : mine.words) __stcg(to, word), to += tiles;
      });
    if (is_first) {
      count_up(counter());
      wait_for_count(counter(),
                     base::template counted<row_meetings<Phase + 1>, plane_meetings<Phase + 1>>());
    }
    __syncthreads();
    for_each_total<Phase>([&](auto selected, unsigned const* from) {
      constexpr int k = decltype(selected)::value;
      using facts = reduction_facts<Program, k>;
      auto all = facts::identity();
#pragma unroll 1
      for (int tile = (threadIdx.x + threadIdx.y * blockDim.x) % 32; tile < tiles; tile += 32) {
        state_words<typename facts::state> theirs;
#pragma unroll
        for (int w = 0; w < theirs.count; ++w) theirs.words[w] = __ldcg(from + w * tiles + tile);
        all = facts::op::combine(all, theirs.state());
      }
      read_register<k>(total) = combine_lanes<typename facts::op, 32>(all);
    });
  }

 private:
  template <int Phase> static constexpr int words = side::template words_per_row<Phase>;
  // visit(instruction, where the group's tiles leave their parts of it) for the totals of a phase.
  template <int Phase, class Visit>
  __device__ __forceinline__ void for_each_total(Visit const& visit) const {
    using all = reductions_of<Program, place::total, 0>;
    unsigned* at = a.workspace + a.first_total +
                   static_cast<long long>(group()) * tiles_together() * partial_words<Program, all>;
    for_each_selected<Program, all>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      if constexpr (program_traits<Program>::template at<k>::phase == Phase) visit(selected, at);
      at += state_words<typename reduction_facts<Program, k>::state>::count * tiles_together();
    });
  }
  // What the slices of the tiles that meet together come to, and behind it what they leave: a block
  // may leave states of the next phase while others read. Where each block combines all slices
  // there are two places for these, in turn.
  __device__ __forceinline__ unsigned* results() const {
    return a.workspace + first_partial +
           group() * ((places_of_slices * a.slices + 1) * (words_of_row_phase<Program> * stride()));
  }
  template <int Phase> __device__ __forceinline__ unsigned* partials() const {
    unsigned* const first = results() + words_of_row_phase<Program> * stride();
    if constexpr (places_of_slices == 1) return first;
    constexpr int last = program_traits<Program>::phases + 1;
    bool const is_second = (round * row_meetings<last> + row_meetings<Phase>)&1;
    return first + (is_second ? a.slices * (words_of_row_phase<Program> * stride()) : 0);
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
      unsigned const* const from = partials<Phase>() + place;
      int const slices = HasPlanes && vector >= vectors() ? 0 : a.slices;
      typename facts::state all[V];
#pragma unroll
      for (int i = 0; i < V; ++i) all[i] = facts::identity();
#pragma unroll 1
      for (int slice = p.y; slice < slices; slice += p.height) {
        typename facts::state next[V];
        bring_left<Program, k>(next, from + slice * words<Phase> * stride(), stride());
#pragma unroll
        for (int i = 0; i < V; ++i) all[i] = facts::op::combine(all[i], next[i]);
      }
      stacked_states<Program, k, V, Threads>::combine_first(all, p);
      if (p.y == 0 && slices > 0) leave_states(results() + place, stride(), all);
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
      unsigned const* const from = partials<Phase>() + place + group * columns;
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
