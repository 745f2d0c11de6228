// SPDX-License-Identifier: Apache-2.0
#pragma once
// Totals that need no whole row: each block leaves its own when its tiles are done, and one block
// combines them beside those that combine the columns and the rows.

#include "tenon/backend/cuda/mixed/tile_arguments.cuh"
#include "tenon/backend/cuda/rows/values.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// What a strip has of a row goes to the totals: `words` are those of the row's reductions.
template <class Program, class Words>
__device__ __forceinline__ void take_in_total(frame<Program> const& f, Words const& words) {
  for_each_selected<Program, totals_of_rows<Program>>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using facts = reduction_facts<Program, k>;
    auto& total = read_register<k>(f.total);
    total =
        facts::op::combine(total, read_register<facts::instruction::first_operand>(words).state());
  });
}

// The block's totals, to where the others find them. @pre all threads of the block call it
template <int Threads, class Program>
__device__ __forceinline__ void leave_totals(frame<Program> const& f,
                                             tile_arguments<Program> const& a, int& buffer) {
  combine_block<Program, totals_of_rows<Program>, Threads>(f.total, buffer);
  if ((threadIdx.x | threadIdx.y) != 0) return;
  unsigned* to = a.workspace + a.first_total_word + blockIdx.x;
  for_each_selected<Program, totals_of_rows<Program>>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    state_words<typename reduction_facts<Program, k>::state> const mine(read_register<k>(f.total));
    for (unsigned word : mine.words) __stcg(to, word), to += gridDim.x;
  });
}

// Those of all blocks, in any order, evaluated and stored. @pre what all blocks left is visible;
// all threads of the block call it
template <int Threads, class Program>
__device__ __forceinline__ void finish_totals(frame<Program> const& f,
                                              tile_arguments<Program> const& a, int& buffer) {
  unsigned const thread = threadIdx.x + threadIdx.y * blockDim.x;
  unsigned const* from = a.workspace + a.first_total_word;
  start_totals(f);
  for_each_selected<Program, totals_of_rows<Program>>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using facts = reduction_facts<Program, k>;
    using words = state_words<typename facts::state>;
    auto& total = read_register<k>(f.total);
#pragma unroll 2
    for (unsigned block = thread; block < gridDim.x; block += Threads) {
      words theirs;
#pragma unroll
      for (int w = 0; w < words::count; ++w) theirs.words[w] = __ldcg(from + w * gridDim.x + block);
      total = facts::op::combine(total, theirs.state());
    }
    from += words::count * gridDim.x;
  });
  combine_block<Program, totals_of_rows<Program>, Threads>(f.total, buffer);
  evaluate<place::total, 0, max_nodes>(f);
  if (thread == 0) store_all<place::total>(f, a);
}

}  // namespace tenon::detail
#endif
