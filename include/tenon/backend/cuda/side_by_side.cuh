// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reductions of V neighbouring rows per thread, side by side: over the positions a thread has, over
// the threads above each other in a block, and over blocks that have slices of the same rows.

#include "tenon/backend/cuda/sweep.cuh"
#include "tenon/backend/cuda/ticket.cuh"

namespace tenon::detail {

// Which slice of which tile of rows a block has.
struct slice_part {
  long long tile, slice, tiles, slices;
};

// Threads (x, y): x is the vector of rows, and the threads with the same x share it.
// @pre blockDim.x * blockDim.y == Threads; blockDim.y is a power of two
template <class Program, int V, int Threads> struct rows_side_by_side {
  // One running state per reduction and row.
  template <int Phase> struct states : reductions_of<Program, place::row, Phase> {
    template <int K> using type = value_list<typename reduction_facts<Program, K>::state, 1>;
  };
  // The elements of one row at a thread's positions.
  template <int Phase, int Items> struct collected : reductions_of<Program, place::row, Phase> {
    template <int K> using type = value_list<typename reduction_facts<Program, K>::number, Items>;
  };

  // Takes in the first `live` of the collected values.
  template <int Phase, int Items, class States, class Values>
  static __device__ __forceinline__ void accumulate(States& running, Values const& values,
                                                    int live) {
    for_each_selected<Program, states<Phase>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using facts = reduction_facts<Program, k>;
      using op = typename facts::op;
      auto const& x = read_register<k>(values).at;
      auto& state = read_register<k>(running).at[0];
      if constexpr (takes_many<op, typename facts::number, Items>) {
        state = op::combine(state, op::lift_many(x, live));
      } else {
        typename facts::state lifted[Items];
#pragma unroll
        for (int u = 0; u < Items; ++u) {
          lifted[u] = facts::identity();
          if (u < live) lifted[u] = op::lift(x[u]);
        }
        state = op::combine(state, fold<op>(lifted));
      }
    });
  }

  // Combines over y, in a tree. @pre all threads call it. @post all threads of an x hold the same
  template <int Phase, class Rows>
  static __device__ __forceinline__ void combine_block(Rows& rows) {
    int const height = static_cast<int>(blockDim.y), y = static_cast<int>(threadIdx.y);
    for_each_selected<Program, states<Phase>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using op = typename reduction_facts<Program, k>::op;
      for (int half = height / 2; half > 0; half /= 2) {
        if (y >= half && y < 2 * half) put<k>(rows);
        __syncthreads();
        if (y < half)
#pragma unroll
          for (int i = 0; i < V; ++i)
            read_register<k>(rows[i]) = op::combine(read_register<k>(rows[i]), get<k>(y + half, i));
        __syncthreads();
      }
      if (height > 1) {
        if (y == 0) put<k>(rows);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < V; ++i) read_register<k>(rows[i]) = get<k>(0, i);
        __syncthreads();  // before the next reduction writes the same memory
      }
    });
  }

  // Words that a block leaves behind for its rows.
  template <int Phase>
  static constexpr int words_per_row =
      partial_words<Program, reductions_of<Program, place::row, Phase>>;

  // Combines over the slices of a tile, in their order. @pre ticket number `tile` is 0; all threads
  // call it with what combine_block left. @post true in one block of the tile, which has the result
  template <int Phase, class Rows>
  static __device__ __forceinline__ bool combine_slices(Rows& rows, unsigned* workspace,
                                                        slice_part const& part) {
    if (part.slices == 1) return true;
    long long const stride = blockDim.x * V;
    unsigned* const base = workspace + first_partial +
                           part.tile * part.slices * words_per_row<Phase> * stride +
                           threadIdx.x * V;
    if (threadIdx.y == 0) {
      unsigned* to = base + part.slice * words_per_row<Phase> * stride;
      for_each_selected<Program, states<Phase>>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        using words = state_words<typename reduction_facts<Program, k>::state>;
#pragma unroll
        for (int i = 0; i < V; ++i) {
          words mine(read_register<k>(rows[i]));
#pragma unroll
          for (int w = 0; w < words::count; ++w) to[w * stride + i] = mine.words[w];
        }
        to += words::count * stride;
      });
    }
    __syncthreads();  // every thread's partial results before the ticket
    if (!draws_last_ticket(workspace + part.tile, static_cast<unsigned>(part.slices))) return false;
    unsigned const* from = base;
    for_each_selected<Program, states<Phase>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using facts = reduction_facts<Program, k>;
      using words = state_words<typename facts::state>;
      typename facts::state state[V];
#pragma unroll
      for (int i = 0; i < V; ++i) state[i] = facts::identity();
      // Several at once: what one after the other would wait for is the latency of the cache.
      constexpr int at_once = words::count * V <= 4 ? 8 : words::count * V <= 8 ? 4 : 2;
#pragma unroll at_once
      for (long long s = threadIdx.y; s < part.slices; s += blockDim.y) {
        unsigned left[words::count][V];
#pragma unroll
        for (int w = 0; w < words::count; ++w)
          load_left(left[w], from + (s * words_per_row<Phase> + w) * stride);
#pragma unroll
        for (int i = 0; i < V; ++i) {
          words theirs;
#pragma unroll
          for (int w = 0; w < words::count; ++w) theirs.words[w] = left[w][i];
          state[i] = facts::op::combine(state[i], theirs.state());
        }
      }
      from += words::count * stride;
#pragma unroll
      for (int i = 0; i < V; ++i) read_register<k>(rows[i]) = state[i];
    });
    combine_block<Phase>(rows);
    return true;
  }

 private:
  // V words that another block left, past the first-level cache. @pre aligned to V words
  static __device__ __forceinline__ void load_left(unsigned (&to)[V], unsigned const* from) {
    if constexpr (V % 4 == 0) {
#pragma unroll
      for (int i = 0; i < V; i += 4) {
        uint4 four = __ldcg(reinterpret_cast<uint4 const*>(from + i));
        to[i] = four.x, to[i + 1] = four.y, to[i + 2] = four.z, to[i + 3] = four.w;
      }
    } else {
#pragma unroll
      for (int i = 0; i < V; ++i) to[i] = __ldcg(from + i);
    }
  }
  // Word w of the state of row i of thread (x, y). Rows are not neighbours: neighbouring threads
  // would use the same banks.
  template <int K> static __device__ __forceinline__ unsigned* slot(int y, int i, int w) {
    using words = state_words<typename reduction_facts<Program, K>::state>;
    __shared__ unsigned all[Threads * V * words::count];
    return all + (w * V + i) * Threads + y * static_cast<int>(blockDim.x) +
           static_cast<int>(threadIdx.x);
  }
  template <int K, class Rows> static __device__ __forceinline__ void put(Rows const& rows) {
#pragma unroll
    for (int i = 0; i < V; ++i) {
      state_words<typename reduction_facts<Program, K>::state> from(read_register<K>(rows[i]));
#pragma unroll
      for (int w = 0; w < from.count; ++w)
        *slot<K>(static_cast<int>(threadIdx.y), i, w) = from.words[w];
    }
  }
  template <int K> static __device__ __forceinline__ auto get(int y, int i) {
    state_words<typename reduction_facts<Program, K>::state> to;
#pragma unroll
    for (int w = 0; w < to.count; ++w) to.words[w] = *slot<K>(y, i, w);
    return to.state();
  }
};

}  // namespace tenon::detail
