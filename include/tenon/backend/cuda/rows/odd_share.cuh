// SPDX-License-Identifier: Apache-2.0
#pragma once
// Who shares a row that begins anywhere or is no whole number of vectors: how many threads and
// blocks.

#include "tenon/backend/cuda/rows/row_share.cuh"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct odd_rows_sharing : row_sharing {
 protected:
  // A function of the row's length, because results depend on it. No lanes: other kernels have such
  // rows. What a block holds is shared as aligned rows of that length are, for the same bits;
  // longer rows, unless they are whole vectors, by a cluster.
  template <class Program>
  [[gnu::cold]] static row_share odd_share_of(bound_layout const& layout,
                                              cuda_device_facts const& facts) {
    constexpr configuration c = odd_rows<Program>;
    long long const vectors = divide_up(layout.columns.size, c.vector_width);
    if (layout.columns.size % c.vector_width == 0)
      return vectors <= odd_vectors<Program> ? share_of<Program>(vectors) : row_share{0, 1};
    // Large states of many blocks take longer than the row does. H200, layer norm of 2600 x 50257
    // f32 by 16 blocks 672 us, by way of shared memory 575.
    row_share const result = odd_share_of(vectors, is_half<Program>, c.items, c.threads_per_block,
                                          has_large_states<Program> ? 4 : most_blocks_per_cluster);
    return result.blocks == 1 || facts.compute_capability >= 90 ? result : row_share{0, 1};
  }

 private:
  [[gnu::cold, gnu::noinline]] static row_share odd_share_of(long long vectors, bool is_half,
                                                             int items, int threads,
                                                             int most_blocks) {
    // The fewer elements a thread has, the sooner it is done; the more, the less is left to what it
    // does once per row. H200, us, with two and four vectors: softmax of 1 x 100 bf16 2.3 and 2.8,
    // of 2^20 x 33 f32 158 and 103; layer norm f32 of 1 x 1023 with four 3.2, with eight 3.9, of
    // 65536 x 1025 with four 311, with eight 230.
    bool const is_short = vectors <= 64 && (is_half || vectors > 16);
    int const fewer = is_short ? 2 : vectors <= 256 ? 4 : items;
    if (fewer < items) items = fewer;
    if (vectors <= 32 * items)
      return {static_cast<int>(lanes_of(vectors, items, least_lanes_of(vectors, is_half))), 1};
    long long const warps = divide_up(vectors, 32 * items);
    int blocks = 1;
    while (blocks < most_blocks && 8 * blocks < warps) blocks *= 2;
    long long const lanes = 32 * divide_up(warps, blocks);
    return {lanes <= threads ? static_cast<int>(lanes) : 0, blocks};
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
