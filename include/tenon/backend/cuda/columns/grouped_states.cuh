// SPDX-License-Identifier: Apache-2.0
#pragma once
// How the threads of a block, and the blocks of a cluster, combine the states of groups of
// neighbouring columns.

#include "tenon/backend/cuda/columns/grouped_arguments.cuh"
#include "tenon/backend/cuda/parallel/side_by_side.cuh"
#include "tenon/backend/cuda/parts/dynamic_shared.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// A thread has States states of each reduction, one for each part of its vector that is of one
// group. In shared memory those of a group lie side by side; share.lanes neighbouring threads
// combine them, and then what the blocks of a cluster sent each other. The order is the group's
// own: how many other groups there are changes nothing.
template <class Program, int States> struct grouped_states {
  using side = rows_side_by_side<Program, States, 32>;
  template <int K> using state = typename reduction_facts<Program, K>::state;
  template <int K> using single = state_vector<state<K>, 1>;

  grouped_share const& share;
  int blocks;       // of the cluster
  int group, part;  // of the thread's first state
  cluster_mailboxes boxes = {};

  __device__ __forceinline__ grouped_states(grouped_share const& s, int cluster)
      : share(s), blocks(cluster) {
    int const number = static_cast<int>(threadIdx.x) * States;
    group = number / s.parts_of_group, part = number - group * s.parts_of_group;
  }

  // @pre all threads of all blocks of the cluster call it, and all have begun. @post all have what
  // their groups come to
  template <int Phase, class Rows> __device__ __forceinline__ void combine(Rows& rows) {
    if (Phase > 1) __syncthreads();  // what came of the last phase is read
    for_each_reduction<Phase>([&](auto selected, int before) {
      constexpr int k = decltype(selected)::value;
      for_each_state([&](int i, int of, int number) {
        number += static_cast<int>(threadIdx.y) * share.parts_of_group;
        states_of<k>(before, of)[number].set({read_register<k>(rows[i])});
      });
    });
    __syncthreads();
    if (blocks > 1) {
      if (thread() == 0)
        boxes.present().expect(side::template words_per_row<Phase> *
                               static_cast<int>(sizeof(unsigned)) * share.groups * blocks);
      for_each_reduction<Phase>([&](auto selected, int before) {
        constexpr int k = decltype(selected)::value;
        int const rank = rank_in_cluster();
        combine_each<k>(
            share.states_of_group, [&](int of) { return states_of<k>(before, of); },
            [&](int of, state<k> const& whole) {
              state_words<state<k>> const words(whole);
              single<k>* const to = came_of<k>(before, of) + rank;
              for (int block = lane(); block < blocks; block += share.lanes)
#pragma unroll
                for (int w = 0; w < words.count; ++w)
                  boxes.present().send(to->words + w, words.words[w], block);
            });
      });
      boxes.wait();
    }
    for_each_reduction<Phase>([&](auto selected, int before) {
      constexpr int k = decltype(selected)::value;
      combine_each<k>(
          blocks > 1 ? blocks : share.states_of_group,
          [&](int of) { return blocks > 1 ? came_of<k>(before, of) : states_of<k>(before, of); },
          [&](int of, state<k> const& whole) {
            if (lane() == 0) states_of<k>(before, of)->set({whole});
          });
    });
    if (blocks > 1) boxes.next();
    __syncthreads();
    for_each_reduction<Phase>([&](auto selected, int before) {
      constexpr int k = decltype(selected)::value;
      for_each_state(
          [&](int i, int of, int) { read_register<k>(rows[i]) = states_of<k>(before, of)->at(0); });
    });
  }

 private:
  static __device__ __forceinline__ int thread() {
    return static_cast<int>(threadIdx.x + threadIdx.y * blockDim.x);
  }
  __device__ __forceinline__ int lane() const { return thread() & (share.lanes - 1); }
  // visit(reduction, words of a state before it)
  template <int Phase, class Visit>
  static __device__ __forceinline__ void for_each_reduction(Visit const& visit) {
    int before = 0;
    for_each_selected<Program, typename side::template states<Phase>>([&](auto selected) {
      visit(selected, before);
      before += words_of_row_state<Program, decltype(selected)::value>;
    });
  }
  // visit(i, its group, its number in a row of the group's threads)
  template <class Visit> __device__ __forceinline__ void for_each_state(Visit const& visit) const {
    int of = group, number = part;
#pragma unroll
    for (int i = 0; i < States; ++i) {
      if (of < share.groups) visit(i, of, number);
      if (++number == share.parts_of_group) ++of, number = 0;
    }
  }
  // Of the block's threads, or of the cluster's blocks.
  template <int K> __device__ __forceinline__ single<K>* states_of(int before, int of) const {
    auto* const words = reinterpret_cast<unsigned*>(dynamic_shared() + share.states_at) +
                        before * (share.groups * share.states_of_group);
    return reinterpret_cast<single<K>*>(words) + of * share.states_of_group;
  }
  template <int K> __device__ __forceinline__ single<K>* came_of(int before, int of) const {
    constexpr int all = words_of_row_phase<Program>;
    int const states = share.groups * blocks;
    auto* const words = reinterpret_cast<unsigned*>(dynamic_shared() + share.states_at) +
                        all * (share.groups * share.states_of_group) +
                        (boxes.buffer() * all + before) * states;
    return reinterpret_cast<single<K>*>(words) + of * blocks;
  }
  // Of each group `count` states, by share.lanes threads, all of which have what they come to.
  template <int K, class From, class Visit>
  __device__ __forceinline__ void combine_each(int count, From const& from,
                                               Visit const& visit) const {
    using facts = reduction_facts<Program, K>;
    int const whole_warps = static_cast<int>(blockDim.x * blockDim.y) & ~31;
    if (thread() >= whole_warps) return;
    int const own = thread() / share.lanes;
#pragma unroll 1
    for (int first = 0; first < share.groups; first += whole_warps / share.lanes) {
      int const of = first + own;
      bool const is_there = of < share.groups;
      single<K> const* const all = from(is_there ? of : 0);
      state<K> whole = facts::identity();
#pragma unroll 1
      for (int number = lane(); number < (is_there ? count : 0); number += share.lanes)
        whole = facts::op::combine(whole, all[number].at(0));
      whole = combine_lanes<typename facts::op, 32>(whole, share.lanes);
      if (is_there) visit(of, whole);
    }
  }
};

}  // namespace tenon::detail
#endif
