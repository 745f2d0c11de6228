// SPDX-License-Identifier: Apache-2.0
#pragma once
// Words that blocks leave for another one to wait for, and what they combine to.

#include "tenon/backend/cuda/parts/reduce.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// A slot: a word of a partial result and a mark in one access, so that whoever sees the mark has
// the word. One trip to the second-level cache instead of the three of fence, ticket and partial
// result.
__device__ __forceinline__ void fill_slot(unsigned long long* slot, unsigned word,
                                          unsigned mark = 1) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(slot),
               "l"(static_cast<unsigned long long>(mark) << 32 | word)
               : "memory");
}
__device__ __forceinline__ unsigned long long look_at_slot(unsigned long long const* slot) {
  unsigned long long found;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(found) : "l"(slot) : "memory");
  return found;
}
__device__ __forceinline__ bool is_filled(unsigned long long found) { return found >> 32 != 0; }
template <class State> __device__ __forceinline__ unsigned long long filled(State const& state) {
  return 1ull << 32 | state_words<State>(state).words[0];
}
template <class State> __device__ __forceinline__ State word_of(unsigned long long slot) {
  state_words<State> result;
  result.words[0] = static_cast<unsigned>(slot);
  return result.state();
}
struct slot_pair {
  unsigned long long first, second;
};
// @pre the first one's number is even
__device__ __forceinline__ void fill_slots(unsigned long long* slots, slot_pair const& words) {
  asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(slots), "l"(words.first),
               "l"(words.second)
               : "memory");
}
// Where it is wanted. @pre the first one's number is even
__device__ __forceinline__ void look_at_slots(slot_pair& to, unsigned long long const* slots,
                                              bool is_wanted) {
  asm volatile(
      "{\n\t.reg .pred wanted;\n\tsetp.ne.u32 wanted, %3, 0;\n\t"
      "@wanted ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];\n\t}"
      : "+l"(to.first), "+l"(to.second)
      : "l"(slots), "r"(static_cast<unsigned>(is_wanted))
      : "memory");
}
__device__ __forceinline__ void clear_slots(unsigned long long* slots) {
  *reinterpret_cast<ulonglong2*>(slots) = {0, 0};
}
// Brings the slots of combine_grid to the cache before they are wanted: who looks first at a line
// of which blocks have written a part waits for memory. Words: that each block leaves. H200, the
// position of the largest element of 2^24 f32 19.3 us, where the first word is asked for 19.4.
template <int Words> __device__ __forceinline__ void ask_for_slots(unsigned* workspace) {
  if (blockIdx.x != 0 || 4 * threadIdx.x >= gridDim.x) return;
  unsigned const* slots = workspace + first_slot + 8 * threadIdx.x;
#pragma unroll 1
  for (int w = 0; w < Words; ++w, slots += 2 * gridDim.x)
    asm volatile("prefetch.global.L2 [%0];" ::"l"(slots));
}
// What one warp looks at together: four pairs of a lane.
inline constexpr unsigned slots_of_warp = 256;

// Combines the words that blocks 1, 2, ... left with this one's. As few warps as it takes: a second
// reduction of the whole block takes as long as looking at several slots of a lane. H200, one call,
// sum of squares of 2^20 f32 5.5 us instead of 6.0, of bf16 5.1 instead of 5.6, sum and maximum of
// 2^20 f32 6.2 instead of 7.7.
// @pre the first `warps` of the block call it, with the state of block 0 in the first thread
// @post in the first warp
template <class Program, int K, int MaxThreads, class State>
__device__ __forceinline__ State combine_slots(State const& own, unsigned long long* slots,
                                               unsigned parts, unsigned thread, unsigned warps,
                                               int buffer) {
  using facts = reduction_facts<Program, K>;
  using op = typename facts::op;
  constexpr int pairs = slots_of_warp / 64;
  State const identity = facts::identity();
  State state = identity;
#pragma unroll 1
  for (unsigned first = thread / 32 * slots_of_warp + 2 * (thread % 32); first < parts;
       first += warps * slots_of_warp) {
    auto* const at = slots + first;
    int const left = static_cast<int>(parts - first);
    slot_pair found[pairs];
    unsigned long long marks;
    do {
#pragma unroll
      for (int j = 0; j < pairs; ++j) {
        found[j] = {filled(identity), filled(identity)};
        look_at_slots(found[j], at + 64 * j, 64 * j < left);
      }
      if (first == 0) found[0].first = filled(own);
      marks = ~0ull;
#pragma unroll
      for (int j = 0; j < pairs; ++j) {
        if (64 * j + 1 == left) found[j].second = filled(identity);
        marks &= found[j].first & found[j].second;
      }
    } while (!is_filled(marks));
#pragma unroll
    for (int j = 0; j < pairs; ++j) {
      state = op::combine(state, word_of<State>(found[j].first));
      state = op::combine(state, word_of<State>(found[j].second));
      if (64 * j < left) clear_slots(at + 64 * j);
    }
  }
  state = combine_lanes<op, 32>(state);
  if (warps == 1) return state;
  using shared = shared_states<Program, K, MaxThreads / 32>;
  if (thread % 32 == 0) shared::put(buffer, static_cast<int>(thread / 32), state);
  asm volatile("bar.sync 1, %0;" ::"r"(32 * warps) : "memory");
  return combine_shared<Program, K, MaxThreads / 32>(buffer, 0, static_cast<int>(warps));
}

}  // namespace tenon::detail
#endif
