// SPDX-License-Identifier: Apache-2.0
#pragma once
// One value from all blocks in one launch: each block leaves a partial result, the last one
// combines them in block order.

#include "tenon/backend/cuda/reduce.cuh"

namespace tenon::detail {

// Words that one block leaves behind.
template <class Program, class Selected,
          class Sequence = typename program_traits<Program>::sequence>
inline constexpr int partial_words = 0;
template <class Program, class Selected, int... K>
inline constexpr int partial_words<Program, Selected, std::integer_sequence<int, K...>> =
    (0 + ... +
     (Selected::template holds<K>
          ? static_cast<int>(sizeof(typename program_traits<Program>::template at<K>::value_type) +
                             3) /
                4
          : 0));

// Draws a ticket; true in all threads of the block that came last. The counter wraps to 0 with the
// last ticket, so it needs no reset. @pre *counter was 0 before the first block; all threads call
// it
__device__ __forceinline__ bool is_last_block(unsigned* counter) {
  __shared__ bool is_last;
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    __threadfence();  // this thread's partial result before its ticket
    is_last = atomicInc(counter, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last) __threadfence();  // the ticket before the others' partial results
  return is_last;
}

// Partial results lie word by word, then block by block, so that neighbouring threads read
// neighbouring words.
// @pre all threads call it with their own states. @post true in all threads of one block, which
// hold the whole result
template <class Program, class Selected, int MaxThreads, class Registers>
__device__ __forceinline__ bool combine_grid(Registers& registers_held, unsigned* workspace,
                                             int& buffer) {
  combine_block<Program, Selected, MaxThreads>(registers_held, buffer);
  if (gridDim.x == 1) return true;
  unsigned thread = threadIdx.x + threadIdx.y * blockDim.x, threads = blockDim.x * blockDim.y;
  unsigned* partial = workspace + first_partial;
  if (thread == 0) {
    unsigned* to = partial + blockIdx.x;
    for_each_selected<Program, Selected>([&](auto selected) {
      using facts = reduction_facts<Program, decltype(selected)::value>;
      state_words<typename facts::state> mine(
          read_register<decltype(selected)::value>(registers_held));
      for (unsigned word : mine.words) *to = word, to += gridDim.x;
    });
  }
  if (!is_last_block(workspace)) return false;
  unsigned const* from = partial;
  for_each_selected<Program, Selected>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using facts = reduction_facts<Program, k>;
    typename facts::state state = facts::identity();
#pragma unroll 4
    for (unsigned block = thread; block < gridDim.x; block += threads) {
      state_words<typename facts::state> theirs;
#pragma unroll
      for (int w = 0; w < theirs.count; ++w)
        theirs.words[w] = __ldcg(from + static_cast<std::size_t>(w) * gridDim.x + block);
      state = facts::op::combine(state, theirs.state());
    }
    from += static_cast<std::size_t>(state_words<typename facts::state>::count) * gridDim.x;
    read_register<k>(registers_held) = state;
  });
  combine_block<Program, Selected, MaxThreads>(registers_held, buffer);
  return true;
}

}  // namespace tenon::detail
