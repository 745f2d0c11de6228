// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reductions of V neighbouring rows per thread, side by side: over the positions a thread has, over
// the threads above each other in a block, and over blocks that have slices of the same rows.

#include "tenon/backend/cuda/parallel/stacked.cuh"
#include "tenon/backend/cuda/parts/sweep.cuh"
#include "tenon/backend/cuda/parts/ticket.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// Which slice of which tile of rows a block has.
struct slice_part {
  int tile, slice, slices;
  bool are_marked;  // of so few words that each goes with a mark
};

// Threads (x, y): x is the vector of rows, and the threads with the same x share it.
// @pre blockDim.x * blockDim.y == Threads, or at most where combine_block is not for all;
// blockDim.y is a power of two
template <class Program, int V, int Threads> struct rows_side_by_side {
  // One running state per reduction and row.
  template <int Phase> struct states : reductions_of<Program, place::row, Phase> {
    static constexpr int steps_per_tile = 1;
    template <int K> using type = value_list<typename reduction_facts<Program, K>::state, 1>;
  };
  // The same of an operator that gathers elements, while they are taken in.
  template <int Phase> struct gathering : reductions_of<Program, place::row, Phase> {
    template <int K> using type = value_list<gathered_state<reduction_facts<Program, K>>, 1>;
  };
  // The elements of one row at a thread's positions, for the selected reductions.
  template <class Selected, int Items> struct collected_for : Selected {
    template <int K> using type = value_list<taken<Program, K>, Items>;
  };
  template <int Phase, int Items>
  using collected = collected_for<reductions_of<Program, place::row, Phase>, Items>;

  // Takes in the collected values, Items of each reduction of Collected: all, or the first `live`.
  // That there are all is asked apart from how many there are (vector_part). Step: the number of
  // the first of them, for what is chosen in order.
  template <class Collected, int Items, class States, class Values>
  static __device__ __forceinline__ void accumulate(States& running, Values const& values,
                                                    bool is_all, int live,
                                                    [[maybe_unused]] unsigned step = 0) {
    for_each_selected<Program, Collected>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using facts = reduction_facts<Program, k>;
      using op = typename facts::op;
      auto const& x = read_register<k>(values).at;
      auto& state = read_register<k>(running).at[0];
      if constexpr (gathers<std::remove_cvref_t<decltype(state)>>) {
        if (is_all || live > 0)
          op::gather(state, x, is_all ? Items : live < Items ? live : Items - 1);
      } else if constexpr (requires { state.take(x[0].number, step, true); }) {
#pragma unroll
        for (int u = 0; u < Items; ++u) state.take(x[u].number, step + u, is_all || u < live);
      } else if constexpr (takes_many<op, typename facts::operand, Items>) {
        state = op::combine(state, is_all ? op::lift_many(x, Items)
                                          : op::lift_many(x, live < Items ? live : Items - 1));
      } else {
        state = op::combine(
            state, fold_live<op, typename facts::state>(x, is_all, live, 0, facts::identity()));
      }
    });
  }

  // Of one row: nothing is taken in yet.
  template <int Phase, class States> static __device__ __forceinline__ void begin(States& running) {
    for_each_selected<Program, states<Phase>>([&](auto selected) {
      using facts = reduction_facts<Program, decltype(selected)::value>;
      auto& one = read_register<decltype(selected)::value>(running).at[0];
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(one)>, typename facts::state>)
        one = facts::identity();
      else
        one = {};
    });
  }
  // All that was taken in, to the row's registers. Choices: what states of numbers in order come
  // to, where there are such.
  struct no_choices {
    template <int K, class State>
    __device__ __forceinline__ State const& state(State const& one) const {
      return one;
    }
  };
  template <int Phase, class Row, class States, class Choices = no_choices>
  static __device__ __forceinline__ void finish(Row& row, States const& running,
                                                Choices const& choices = {}) {
    for_each_selected<Program, states<Phase>>([&](auto selected) {
      using facts = reduction_facts<Program, decltype(selected)::value>;
      auto const& one = read_register<decltype(selected)::value>(running).at[0];
      auto& result = read_register<decltype(selected)::value>(row);
      if constexpr (gathers<gathered_state<facts>>)
        result = one.n == 0 ? facts::identity() : one.result();
      else if constexpr (std::is_same_v<std::remove_cvref_t<decltype(one)>, typename facts::state>)
        result = one;
      else
        result = choices.template state<decltype(selected)::value>(one);
    });
  }

  static __device__ __forceinline__ stack_position position() {
    return {static_cast<int>(threadIdx.x), static_cast<int>(threadIdx.y),
            static_cast<int>(blockDim.x), static_cast<int>(blockDim.y)};
  }

  // Combines over y. @pre all threads call it. @post all threads of an x hold the same, or that of
  // y = 0 what all have
  template <int Phase, bool IsForAll, class Rows>
  static __device__ __forceinline__ void combine_block(Rows& rows) {
    combine_selected<states<Phase>, IsForAll>(rows);
  }
  template <class Selected, bool IsForAll, class Rows>
  static __device__ __forceinline__ void combine_selected(Rows& rows) {
    for_each_selected<Program, Selected>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      typename reduction_facts<Program, k>::state mine[V];
#pragma unroll
      for (int i = 0; i < V; ++i) mine[i] = read_register<k>(rows[i]);
      // Of large states each by one thread, rather than all of a vector. H200, us, argmax of the
      // columns of 1000 x 1000 bf16 9.4 (11.8), f32 5.6 (7.3), of 8192 x 4096 bf16 31.9 (39.5).
      constexpr bool is_large =
          V > 1 && V * state_words<typename reduction_facts<Program, k>::state>::count >= 16;
      if constexpr (IsForAll || is_large)
        stacked_states<Program, k, V, Threads>::combine_all(mine, position());
      else
        stacked_states<Program, k, V, Threads>::combine_first(mine, position());
#pragma unroll
      for (int i = 0; i < V; ++i) read_register<k>(rows[i]) = mine[i];
    });
  }

  // Vectors of rows times blocks of a cluster that share them, at most.
  static constexpr int most_shared = V == 1 ? 256 : 64;

  // Combines over the blocks of the cluster, in their order, what combine_block left: every block
  // sends to all of them. @pre all threads of all blocks call it; blockDim.x is at most 32 and
  // blocks * blockDim.x at most most_shared; all blocks have begun
  template <int Phase, class Rows>
  static __device__ __forceinline__ void combine_cluster(Rows& rows, int blocks,
                                                         cluster_mailboxes& boxes) {
    int const rank = rank_in_cluster(), width = static_cast<int>(blockDim.x),
              thread = static_cast<int>(threadIdx.x) + static_cast<int>(threadIdx.y) * width;
    mailbox& box = boxes.present();
    if (thread == 0)
      box.expect(words_per_row<Phase> * V * static_cast<int>(sizeof(unsigned)) * width * blocks);
    for_each_selected<Program, states<Phase>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      typename reduction_facts<Program, k>::state mine[V];
#pragma unroll
      for (int i = 0; i < V; ++i) mine[i] = read_register<k>(rows[i]);
      cluster_vector<k> words;
      words.set(mine);
      cluster_vector<k>* const to = cluster_slots<k>(boxes.buffer()) + rank * width + threadIdx.x;
      if (thread % 32 < width)
        for (int block = thread / 32; block < blocks; block += Threads / 32)
#pragma unroll
          for (int w = 0; w < words.count; ++w) box.send(to->words + w, words.words[w], block);
    });
    boxes.wait();
    for_each_selected<Program, states<Phase>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using op = typename reduction_facts<Program, k>::op;
      cluster_vector<k> const* const from = cluster_slots<k>(boxes.buffer()) + threadIdx.x;
      cluster_vector<k> const first = *from;
#pragma unroll
      for (int i = 0; i < V; ++i) read_register<k>(rows[i]) = first.at(i);
#pragma unroll 1
      for (int block = 1; block < blocks; ++block) {
        cluster_vector<k> const next = from[block * width];
#pragma unroll
        for (int i = 0; i < V; ++i)
          read_register<k>(rows[i]) = op::combine(read_register<k>(rows[i]), next.at(i));
      }
    });
    boxes.next();
  }

  // Words that a block leaves behind for its rows.
  template <int Phase>
  static constexpr int words_per_row =
      partial_words<Program, reductions_of<Program, place::row, Phase>>;

  // Combines over the slices of a tile, in their order. @pre ticket number `tile` and the slots are
  // 0; all threads call it, those of y = 0 with what combine_block left. @post true in one block of
  // the tile, whose threads of y = 0 have the result; the ticket and the slots are 0
  template <int Phase, class Rows>
  static __device__ __forceinline__ bool combine_slices(Rows& rows, unsigned* workspace,
                                                        slice_part const& part) {
    if (part.slices == 1) return true;
    bool has_all = false;
    if constexpr (leaves_words<Program, Phase, V>)
      if (part.are_marked) has_all = take_marked<Phase>(rows, workspace, part);
    if (!part.are_marked) has_all = take_left<Phase>(rows, workspace, part);
    if (has_all) combine_block<Phase, false>(rows);
    return has_all;
  }

 private:
  // What all slices have left, each by a thread, to its registers. @post false: another block does
  // it, that of the last slice, which waits for the others, none of which waits for anybody
  template <int Phase, class Rows>
  static __device__ __forceinline__ bool take_marked(Rows& rows, unsigned* workspace,
                                                     slice_part const& part) {
    stack_position const p = position();
    int const of_slice = p.width * V;
    auto* const slots = reinterpret_cast<unsigned long long*>(workspace + first_slot) +
                        part.tile * part.slices * of_slice + 2 * p.x;
    bool const waits = part.slice + 1 == part.slices;
    for_each_selected<Program, states<Phase>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      if (p.y == 0)
#pragma unroll
        for (int i = 0; i < V; i += 2)
          fill_slots(slots + part.slice * of_slice + i * p.width,
                     {filled(read_register<k>(rows[i])), filled(read_register<k>(rows[i + 1]))});
      if (!waits) return;
      typename reduction_facts<Program, k>::state all[V];
      combine_filled<Program, k, V>(all, slots, of_slice, p.width, p.y, p.height, part.slices);
#pragma unroll
      for (int i = 0; i < V; ++i) read_register<k>(rows[i]) = all[i];
    });
    return waits;
  }
  // The same of words without marks. @post false: another block does it, the one that comes last
  template <int Phase, class Rows>
  static __device__ __forceinline__ bool take_left(Rows& rows, unsigned* workspace,
                                                   slice_part const& part) {
    long long const stride = blockDim.x * V;
    unsigned* const base =
        workspace + first_partial +
        static_cast<long long>(part.tile) * part.slices * words_per_row<Phase> * stride +
        threadIdx.x * V;
    if (threadIdx.y == 0) {
      unsigned* to = base + part.slice * words_per_row<Phase> * stride;
      for_each_selected<Program, states<Phase>>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        typename reduction_facts<Program, k>::state mine[V];
#pragma unroll
        for (int i = 0; i < V; ++i) mine[i] = read_register<k>(rows[i]);
        leave_states(to, stride, mine);
        to += state_words<typename reduction_facts<Program, k>::state>::count * stride;
      });
    }
    __syncthreads();  // every thread's partial results before the ticket
    if (!draws_last_ticket(workspace + part.tile, static_cast<unsigned>(part.slices))) return false;
    unsigned const* from = base;
    stack_position const p = position();
    for_each_selected<Program, states<Phase>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      typename reduction_facts<Program, k>::state all[V];
      combine_left<Program, k, V>(all, from, stride, words_per_row<Phase>, p.y, p.height,
                                  part.slices);
      from += state_words<typename reduction_facts<Program, k>::state>::count * stride;
#pragma unroll
      for (int i = 0; i < V; ++i) read_register<k>(rows[i]) = all[i];
    });
    return true;
  }

  // What the blocks of a cluster sent: of block 0 all vectors of rows, then of block 1.
  template <int K>
  using cluster_vector = state_vector<typename reduction_facts<Program, K>::state, V>;
  template <int K> static __device__ __forceinline__ cluster_vector<K>* cluster_slots(int buffer) {
    __shared__ cluster_vector<K> all[2][most_shared];
    return all[buffer];
  }
};

}  // namespace tenon::detail
#endif
