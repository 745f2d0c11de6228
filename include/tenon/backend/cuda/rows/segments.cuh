// SPDX-License-Identifier: Apache-2.0
#pragma once
// The states of a long row's segments → the row's, in one order, whether one block had all of the
// segments or several had some.

#include "tenon/backend/cuda/parts/reduce.cuh"
#include "tenon/backend/cuda/parts/ticket.cuh"

namespace tenon::detail {

inline constexpr int most_segments = 64;

#if defined(__CUDA_ARCH__)
template <class Program> class row_segments {
  unsigned* const workspace_;
  int const row_;            // which of the rows that are worked on at a time
  int const rank_, blocks_;  // which of the blocks that share it this is, and how many they are
  int const segments_;
  int buffer_ = 0;

  // Word `word` of a segment's state: words of all segments of a row lie together.
  template <int K> __device__ __forceinline__ unsigned* words_of(int segment) const {
    using words = state_words<typename reduction_facts<Program, K>::state>;
    constexpr int before = row_state_words<Program, std::make_integer_sequence<int, K>>;
    long long const states = 2ll * row_ + buffer_;
    return workspace_ + first_partial + (states * most_segments) * row_state_words<Program> +
           most_segments * before + segment * words::count;
  }
  __device__ __forceinline__ unsigned* barrier() const { return workspace_ + row_; }

  template <class State>
  static __device__ __forceinline__ void put_words(unsigned* to, State const& state) {
    state_words<State> mine(state);
    for (int w = 0; w < mine.count; ++w) __stcg(to + w, mine.words[w]);
  }
  template <class Registers, int... K>
  __device__ __forceinline__ void put(Registers const& row, int segment,
                                      std::integer_sequence<int, K...>) const {
    (put_words(words_of<K>(segment), read_register<K>(row)), ...);
  }
  template <class Op, class State>
  static __device__ __forceinline__ State combined(unsigned const* all, int segments, State state) {
    constexpr int count = state_words<State>::count;
#pragma unroll 1
    for (int segment = static_cast<int>(threadIdx.x) % 32; segment < segments; segment += 32) {
      state_words<State> theirs;
      unsigned const* from = all + segment * count;
      for (int w = 0; w < count; ++w) theirs.words[w] = __ldcg(from + w);
      state = Op::combine(state, theirs.state());
    }
    return combine_lanes<Op, 32>(state);
  }
  template <class Registers, int... K>
  __device__ __forceinline__ void combine(Registers& row, int segments,
                                          std::integer_sequence<int, K...>) const {
    ((read_register<K>(row) = combined<typename reduction_facts<Program, K>::op>(
          words_of<K>(0), segments, reduction_facts<Program, K>::identity())),
     ...);
  }

 public:
  __device__ __forceinline__ row_segments(unsigned* workspace, int row, int rank, int blocks,
                                          int segments)
      : workspace_(workspace), row_(row), rank_(rank), blocks_(blocks), segments_(segments) {}

  // The segments that the block has: first(), first() + step(), ...
  __device__ __forceinline__ int first() const { return rank_; }
  __device__ __forceinline__ int step() const { return blocks_; }

  // @pre all threads have the segment's state
  template <class Reductions, class Registers>
  __device__ __forceinline__ void put(Registers const& row, int segment) {
    if (threadIdx.x == 0) put(row, segment, held_sequence<Program, Reductions>{});
  }
  // Whether all other blocks of the row have put their states. @pre all threads call it
  __device__ __forceinline__ bool is_last() const {
    if (blocks_ > 1) return draws_last_ticket(barrier(), static_cast<unsigned>(blocks_));
    __syncthreads();
    return true;
  }
  // @pre all threads call it; the states of the row are put and seen
  // @post the same bits in all of them
  template <class Reductions, class Registers>
  __device__ __forceinline__ void combine(Registers& row) {
    combine(row, segments_, held_sequence<Program, Reductions>{});
    buffer_ ^= 1;
  }
};
#endif

}  // namespace tenon::detail
