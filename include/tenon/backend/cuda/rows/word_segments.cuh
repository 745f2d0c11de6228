// SPDX-License-Identifier: Apache-2.0
#pragma once
// The states of a long row's segments → the row's, where a state is one word: a block that has all
// of them keeps them in shared memory, several leave theirs in slots.
//
// H200, sums, us, against partial results and a ticket: misaligned 1 x 1048576 f32 5.4 (6.2), bf16
// 5.9 (7.0), 8 x 65536 f32 5.1 (5.8).

#include "tenon/backend/cuda/parts/slots.cuh"
#include "tenon/backend/cuda/rows/place_sums.cuh"
#include "tenon/backend/cuda/rows/segments.cuh"

namespace tenon::detail {

inline constexpr int most_word_segments = 128;
// Whether a segment's state is a word, which one block leaves for another in one access.
template <class Program, class C>
inline constexpr bool has_word_segments = sums_by_place<Program>&& C::group_dims != packed_columns;

#if defined(__CUDA_ARCH__)
// The block of a row that begins last waits for the others, none of which waits for anybody. Lane
// i % 32 combines segment i, as in row_segments.
template <class Program> class word_segments {
  static constexpr int each = most_word_segments / 32;  // that a lane has
  unsigned* const workspace_;
  int const row_, rank_, blocks_, segments_;
  unsigned begun_ = 0;  // blocks of the row before this one

 public:
  __device__ __forceinline__ word_segments(unsigned* workspace, int row, int rank, int blocks,
                                           int segments)
      : workspace_(workspace), row_(row), rank_(rank), blocks_(blocks), segments_(segments) {}

  // @pre the kernel before has ended
  __device__ __forceinline__ void begin() {
    if (blocks_ > 1 && threadIdx.x == 0)
      asm volatile("atom.relaxed.gpu.global.inc.u32 %0, [%1], %2;"
                   : "=r"(begun_)
                   : "l"(workspace_ + row_), "r"(blocks_ - 1)
                   : "memory");
  }

  // The segments that the block has: first(), first() + step(), ...
  __device__ __forceinline__ int first() const { return rank_; }
  __device__ __forceinline__ int step() const { return blocks_; }

  // @pre all threads have the segment's state
  template <class Reductions, class Registers>
  __device__ __forceinline__ void put(Registers const& row, int segment) {
    int const thread = static_cast<int>(threadIdx.x);
    for_each_selected<Program, Reductions>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using facts = reduction_facts<Program, k>;
      auto state = read_register<k>(row);
      if (blocks_ > 1) {
        if (thread == 0) fill_slot(slots() + segment, static_cast<unsigned>(filled(state)));
      } else if (thread == segment % 32) {
        state = facts::op::combine(segment < 32 ? facts::identity() : kept<k>(thread), state);
        kept_words()[thread] = state_words(state).words[0];
      }
    });
  }
  // Whether it is these threads that combine them, of the first warp.
  __device__ __forceinline__ bool is_last() const {
    return threadIdx.x < 32 &&
           (blocks_ == 1 || __shfl_sync(~0u, begun_, 0) + 1 == static_cast<unsigned>(blocks_));
  }
  // @pre is_last(); what the block has is put
  // @post the row's state in the first thread; the slots are 0
  template <class Reductions, class Registers>
  __device__ __forceinline__ void combine(Registers& row) {
    int const thread = static_cast<int>(threadIdx.x);
    for_each_selected<Program, Reductions>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using facts = reduction_facts<Program, k>;
      auto& state = read_register<k>(row);
      if (blocks_ > 1)
        state = awaited<k, typename facts::state>(thread);
      else
        state = thread < segments_ ? kept<k>(thread) : facts::identity();
      state = combine_lanes<typename facts::op, 32>(state);
    });
  }

 private:
  __device__ __forceinline__ unsigned long long* slots() const {
    return reinterpret_cast<unsigned long long*>(workspace_ + first_slot) + row_ * segments_;
  }
  // The states of segments `lane`, lane + 32, ..., as blocks leave them.
  template <int K, class State> __device__ __forceinline__ State awaited(int lane) const {
    using facts = reduction_facts<Program, K>;
    unsigned long long* const from = slots() + lane;
    int const left = segments_ - lane;
    unsigned long long found[each], marks;
    do {
      marks = ~0ull;
#pragma unroll
      for (int i = 0; i < each; ++i) {
        found[i] = filled(facts::identity());
        if (32 * i < left) found[i] = look_at_slot(from + 32 * i);
        marks &= found[i];
      }
    } while (!is_filled(marks));
    State state = facts::identity();
#pragma unroll
    for (int i = 0; i < each; ++i) {
      state = facts::op::combine(state, word_of<State>(found[i]));
      if (32 * i < left) from[32 * i] = 0;
    }
    return state;
  }
  static __device__ __forceinline__ unsigned* kept_words() {
    __shared__ unsigned words[32];
    return words;
  }
  template <int K> static __device__ __forceinline__ auto kept(int thread) {
    state_words<typename reduction_facts<Program, K>::state> result;
    result.words[0] = kept_words()[thread];
    return result.state();
  }
};
#endif

}  // namespace tenon::detail
