// SPDX-License-Identifier: Apache-2.0
#pragma once
// The blocks that share a long row tell each other the states of its segments, and wait for nothing
// else.

#include "tenon/backend/cuda/parts/reduce.cuh"
#include "tenon/backend/cuda/parts/ticket.cuh"

namespace tenon::detail {

// Of a row that several sweeps read; no more than the threads of a block.
inline constexpr int most_shared_segments = 128;

#if defined(__CUDA_ARCH__)
// Slots of [row that is worked on at a time][round modulo 2][word][segment]. A word is marked with
// the number of its round, so that whoever sees the mark has the word: one trip to the second-level
// cache. Whoever leaves a word of a round has all of the round before, whose words all had read
// when they left them. A block that has a row for itself keeps its slots among the partial results.
template <class Program> class row_meeting {
  unsigned long long* slots_;
  unsigned* const leaving_;  // a ticket
  int const segments_, blocks_;
  unsigned round_ = 1, left_ = 0;  // how many blocks had left the row before this one

  static constexpr int words = row_state_words<Program>;
  template <int K> __device__ __forceinline__ unsigned long long* slots_of(int segment) const {
    constexpr int before = row_state_words<Program, std::make_integer_sequence<int, K>>;
    return slots_ + ((round_ & 1) * words + before) * segments_ + segment;
  }
  __device__ __forceinline__ void clear(int threads) const {
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x); i < 2 * words * segments_; i += threads)
      slots_[i] = 0;
  }
  template <int K, class State>
  __device__ __forceinline__ void put_words(State const& state, int segment) const {
    state_words<State> mine(state);
    unsigned long long* to = slots_of<K>(segment);
    for (unsigned word : mine.words) fill_slot(to, word, round_), to += segments_;
  }
  template <int K, class State>
  __device__ __forceinline__ void take_words(State& state, int segment) const {
    state_words<State> theirs;
    unsigned long long const* from = slots_of<K>(segment);
    bool is_waiting;
    do {
      is_waiting = false;
#pragma unroll
      for (int w = 0; w < theirs.count; ++w) {
        unsigned long long const found = look_at_slot(from + w * segments_);
        theirs.words[w] = static_cast<unsigned>(found);
        is_waiting = is_waiting || found >> 32 != round_;
      }
    } while (is_waiting);
    state = theirs.state();
  }

 public:
  // @pre all threads call it
  __device__ __forceinline__ row_meeting(unsigned* workspace, int row, int segments, int blocks)
      : slots_(reinterpret_cast<unsigned long long*>(workspace +
                                                     (blocks > 1 ? first_slot : first_partial)) +
               static_cast<long long>(row) * (2 * words * segments)),
        leaving_(workspace + row),
        segments_(segments),
        blocks_(blocks) {}
  // Whether the slots hold what other kernels have left.
  __device__ __forceinline__ bool is_to_begin() const { return blocks_ == 1 && segments_ > 1; }
  // @pre all threads call it; the kernels before have ended: their partial results were there
  __device__ __forceinline__ void begin() const {
    clear(static_cast<int>(blockDim.x));
    __syncthreads();
  }
  // By one thread.
  template <class Reductions, class Registers>
  __device__ __forceinline__ void put(Registers const& row, int segment) const {
    for_each_selected<Program, Reductions>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      put_words<k>(read_register<k>(row), segment);
    });
  }
  // Waits for the state of segment threadIdx.x, or the identity where there are fewer.
  // @pre all threads of all of the row's blocks call it, and the blocks are resident
  template <class Reductions, class Registers>
  __device__ __forceinline__ void take(Registers& row) {
    for_each_selected<Program, Reductions>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      read_register<k>(row) = reduction_facts<Program, k>::identity();
      if (static_cast<int>(threadIdx.x) < segments_)
        take_words<k>(read_register<k>(row), static_cast<int>(threadIdx.x));
    });
    ++round_;
  }
  // @pre the last round is over in all threads
  __device__ __forceinline__ void leave() {
    if (blocks_ == 1 || threadIdx.x > 0) return;
    asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
                 : "=r"(left_)
                 : "l"(leaving_), "r"(blocks_ - 1)
                 : "memory");
  }
  // @pre leave() was called, which need not be waited for. @post the slots are 0 again
  __device__ __forceinline__ void end() const {
    if (blocks_ == 1 || threadIdx.x >= 32) return;
    if (__shfl_sync(~0u, left_, 0) + 1 == static_cast<unsigned>(blocks_)) clear(32);
  }
};
#endif

}  // namespace tenon::detail
