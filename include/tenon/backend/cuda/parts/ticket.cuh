// SPDX-License-Identifier: Apache-2.0
#pragma once
// One value from several blocks in one launch: each block leaves a partial result, and one of them
// combines all in order.

#include "tenon/backend/cuda/parts/long_chains.cuh"
#include "tenon/backend/cuda/parts/slots.cuh"

namespace tenon::detail {

// Words that one block leaves behind.
template <class Program, class Selected,
          class Sequence = typename program_traits<Program>::sequence>
inline constexpr int partial_words = 0;
template <class Program, class Selected, int... K>
inline constexpr int partial_words<Program, Selected, std::integer_sequence<int, K...>> =
    (0 + ... +
     (is_held<Program, Selected>(K)
          ? static_cast<int>(sizeof(typename program_traits<Program>::template at<K>::value_type) +
                             3) /
                4
          : 0));

// Whether each of V neighbouring rows leaves a word, which goes with a mark.
template <class Program, int Phase, int V>
inline constexpr bool leaves_words =
    V % 2 == 0 && V <= 8 && partial_words<Program, reductions_of<Program, place::row, Phase>> == 1;

#if defined(__CUDA_ARCH__)
// Draws one of `parts` tickets; true in all threads of the block that came last, which see what the
// others left. The counter wraps to 0 with the last ticket, so it needs no reset. One thread
// releases and acquires for its block. H200, sums of the columns of 65536 x 128 f32: 11.4 us, with
// a fence of each thread 11.7.
// @pre *counter was 0 before the first block; all threads call it behind a barrier that follows
// their partial results
__device__ __forceinline__ bool draws_last_ticket(unsigned* counter, unsigned parts) {
  __shared__ bool is_last;
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    unsigned drawn;
    asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
                 : "=r"(drawn)
                 : "l"(counter), "r"(parts - 1)
                 : "memory");
    is_last = drawn == parts - 1;
  }
  __syncthreads();
  return is_last;
}

// Waits until all blocks of the grid have come; what a block wrote before is seen by all behind it.
// The counter goes once up for every block that comes and once for every block that leaves, which
// brings it back to 0.
// @pre all threads call it; all blocks are resident at once; *counter was 0 before the first block
__device__ __forceinline__ void meet_all_blocks(unsigned* counter) {
  __syncthreads();
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    unsigned const blocks = gridDim.x;
    __threadfence();
    atomicInc(counter, 2 * blocks - 1);
    unsigned seen;
    do {
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(counter) : "memory");
    } while (seen < blocks);
    atomicInc(counter, 2 * blocks - 1);
  }
  __syncthreads();
}

// Which of the parts a block has, and where they meet.
struct grid_part {
  unsigned part, parts;
  unsigned* counter;
  unsigned* partials;
};

// For any number of parts: the block that comes last combines. Partial results lie word by word,
// then part by part, so that neighbouring threads read neighbouring words.
// @pre all threads call it with their own states. @post true in all threads of one block, which
// hold the whole result
template <class Program, class Selected, int MaxThreads, class Registers>
__device__ __forceinline__ bool combine_by_ticket(Registers& registers_held, grid_part const& mine,
                                                  int& buffer) {
  combine_block<Program, Selected, MaxThreads>(registers_held, buffer);
  if (mine.parts == 1) return true;
  unsigned thread = threadIdx.x + threadIdx.y * blockDim.x, threads = blockDim.x * blockDim.y;
  if (thread == 0) {
    unsigned* to = mine.partials + mine.part;
    for_each_selected<Program, Selected>([&](auto selected) {
      using facts = reduction_facts<Program, decltype(selected)::value>;
      state_words<typename facts::state> words(
          read_register<decltype(selected)::value>(registers_held));
      for (unsigned word : words.words) *to = word, to += mine.parts;
    });
  }
  if (!draws_last_ticket(mine.counter, mine.parts)) return false;
  unsigned const* from = mine.partials;
  for_each_selected<Program, Selected>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using facts = reduction_facts<Program, k>;
    long_chain<typename facts::op, typename facts::state> all(facts::identity());
#pragma unroll 4
    for (unsigned part = thread; part < mine.parts; part += threads) {
      state_words<typename facts::state> theirs;
#pragma unroll
      for (int w = 0; w < theirs.count; ++w)
        theirs.words[w] = __ldcg(from + static_cast<std::size_t>(w) * mine.parts + part);
      all.take(theirs.state());
    }
    from += static_cast<std::size_t>(state_words<typename facts::state>::count) * mine.parts;
    read_register<k>(registers_held) = all.result();
  });
  combine_block<Program, Selected, MaxThreads>(registers_held, buffer);
  return true;
}
#endif

// The most blocks whose partial results there are slots for.
template <class Program, class Selected>
inline constexpr int most_slotted_parts = slot_count / (partial_words<Program, Selected> > 0
                                                            ? partial_words<Program, Selected>
                                                            : 1);

#if defined(__CUDA_ARCH__)
// For at most most_slotted_parts blocks: block 0 waits for all others, none of which waits.
// HasMany: they may be so many that a thread combines a long chain of states.
// @pre all threads of all blocks call it with their own states; the slots are 0
// @post true in warps of block 0, the first of which has the whole result; the slots are 0 again
template <class Program, class Selected, int MaxThreads, bool IsExact = false, bool HasMany = false,
          class Registers>
__device__ __forceinline__ bool combine_grid(Registers& registers_held, unsigned* workspace,
                                             int& buffer) {
  combine_block<Program, Selected, MaxThreads, IsExact>(registers_held, buffer);
  constexpr bool is_narrow =
      !HasMany && partial_words<Program, Selected> ==
                      rank_among<Program, Selected>(program_traits<Program>::size);
  unsigned const parts = gridDim.x, mine = blockIdx.x,
                 stride = is_narrow ? (parts + 1) / 2 * 2 : parts;
  if (parts == 1) return true;
  unsigned const thread = threadIdx.x + (IsExact ? 0 : threadIdx.y * blockDim.x);
  unsigned const threads = IsExact ? MaxThreads : blockDim.x * blockDim.y;
  auto* slots = reinterpret_cast<unsigned long long*>(workspace + first_slot);
  // What a thread looks at together: with most_partials parts the threads of a wide block have few.
  // H200, one at a time against four: largest element's position of 2^24 f32 20.7 us (21.4), of
  // 2^20, one call, 8.1 (9.2); sum of squares of 2^20 f32, one call, 5.8 (6.05).
  constexpr unsigned at_once = IsExact ? 1 : 4;
  if (mine != 0) {
    if (thread != 0) return false;
    unsigned long long* to = slots + mine;
    for_each_selected<Program, Selected>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      state_words<typename reduction_facts<Program, k>::state> words(
          read_register<k>(registers_held));
      for (unsigned word : words.words) fill_slot(to, word), to += stride;
    });
    return false;
  }
  if constexpr (is_narrow) {
    unsigned const wanted = (parts + slots_of_warp - 1) / slots_of_warp, all = threads / 32,
                   warps = wanted < all ? wanted : all;
    if (thread >= 32 * warps) return false;
    for_each_selected<Program, Selected>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      auto& state = read_register<k>(registers_held);
      state = combine_slots<Program, k, MaxThreads>(state, slots, parts, thread, warps, buffer);
      slots += stride;
    });
  } else {
    for_each_selected<Program, Selected>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using facts = reduction_facts<Program, k>;
      using words = state_words<typename facts::state>;
      typename facts::state state = facts::identity();
      if (thread == 0) state = read_register<k>(registers_held);
      long_chain<typename facts::op, typename facts::state> chain(facts::identity());
#pragma unroll 1
      for (unsigned first = thread == 0 ? threads : thread; first < parts;
           first += at_once * threads) {
        unsigned long long found[at_once][words::count] = {};
        bool is_waiting;
        do {
          is_waiting = false;
#pragma unroll
          for (unsigned j = 0; j < at_once; ++j)
#pragma unroll
            for (int w = 0; w < words::count; ++w) {
              unsigned part = first + j * threads;
              if (part >= parts || is_filled(found[j][w])) continue;
              found[j][w] = look_at_slot(slots + static_cast<std::size_t>(w) * parts + part);
              is_waiting = is_waiting || !is_filled(found[j][w]);
            }
        } while (is_waiting);
#pragma unroll
        for (unsigned j = 0; j < at_once; ++j) {
          unsigned part = first + j * threads;
          if (part >= parts) continue;
          words theirs;
#pragma unroll
          for (int w = 0; w < words::count; ++w) {
            theirs.words[w] = static_cast<unsigned>(found[j][w]);
            slots[static_cast<std::size_t>(w) * parts + part] = 0;
          }
          if constexpr (HasMany)
            chain.take(theirs.state());
          else
            state = facts::op::combine(state, theirs.state());
        }
      }
      if constexpr (HasMany) state = facts::op::combine(state, chain.result());
      slots += static_cast<std::size_t>(words::count) * parts;
      read_register<k>(registers_held) = state;
    });
    combine_block<Program, Selected, MaxThreads, IsExact>(registers_held, buffer);
  }
  return true;
}
#endif

}  // namespace tenon::detail
