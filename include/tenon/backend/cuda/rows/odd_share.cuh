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
  // A function of the row's length, because results depend on it, and where they do not of the
  // number of rows. No lanes: other kernels have such rows. What a block holds is shared as aligned
  // rows of that length are, for the same bits; longer rows, unless they are whole vectors, by a
  // cluster.
  template <class Program>
  [[gnu::cold]] static row_share odd_share_of(bound_layout const& layout,
                                              cuda_device_facts const& facts) {
    constexpr configuration c = odd_rows<Program>;
    long long const vectors = divide_up(layout.columns.size, c.vector_width);
    if (layout.columns.size % c.vector_width == 0)
      return vectors <= odd_vectors<Program> ? share_of<Program>(vectors) : row_share{0, 1};
    row_share const result = odd_share_of(vectors, layout.rows.size,
                                          {is_half<Program>, has_large_states<Program>, c.items,
                                           c.threads_per_block, most_odd_blocks<Program>});
    return result.blocks == 1 || facts.has_clusters ? result : row_share{0, 1};
  }
  // Neighbouring vectors that each of several blocks has.
  static int stretch_of(row_share const& share, long long vectors) {
    if (share.lanes == 0 || share.blocks == 1) return 0;
    return static_cast<int>(share.lanes * divide_up(vectors, share.lanes * share.blocks));
  }

 private:
  // Large states of more than eight blocks take longer than the row does. H200, layer norm of
  // 2600 x 50257 f32 by 16 blocks 672 us, by 8 457, by 4 443; of 1 x 50257 by 8 4.6, by 4 6.4, of
  // 131 31 and 35.
  template <class Program>
  static constexpr int most_odd_blocks =
      has_large_states<Program>&& most_blocks_of_row<Program> > 8 ? 8 : most_blocks_of_row<Program>;
  struct odd_kernel {
    bool is_half, is_large;  // the elements, the states
    int items, threads, most_blocks;
  };
  [[gnu::cold, gnu::noinline]] static row_share odd_share_of(long long vectors, long long rows,
                                                             odd_kernel const& of) {
    int least = least_lanes_of(vectors, of.is_half), items;
    if (of.is_large || vectors > 64) {
      items = odd_items_of(vectors, of);
    } else {
      items = free_items_of(vectors, rows, least);
      if (items == 4 && of.is_half) least = 2;
    }
    if (items > of.items) items = of.items;
    if (vectors <= 32 * items) return {static_cast<int>(lanes_of(vectors, items, least)), 1};
    long long const warps = divide_up(vectors, 32 * items);
    int blocks = 1;
    while (blocks < of.most_blocks && 8 * blocks < warps) blocks *= 2;
    long long const lanes = 32 * divide_up(warps, blocks);
    return {lanes <= of.threads ? static_cast<int>(lanes) : 0, blocks};
  }
  // Vectors of a thread: the fewer, the sooner it is done; the more, the less is left to what it
  // does once per row. What neighbouring vectors of a row leave is combined in the order of a tree
  // (fold_apart), so that it may depend on how many rows there are, but not where a thread takes in
  // its vectors one after the other. H200, softmax, us, with one, two and four vectors: of bf16 of
  // 1000 x 33 1.90, 2.13, 2.52, of 16384 x 33 4.40, 3.91, 4.24, of 2^20 x 33 193, 119, 83; of 264 x
  // 255 1.85, 2.14, 2.59, of 65536 x 500 with two and four 62, 46; of f32 of 1000 x 65 2.16, 1.69,
  // 1.81, of 65536 x 33 19.8, 12.1, 9.5.
  static int free_items_of(long long vectors, long long rows, int least) {
    auto const warps = [&](int items) { return rows * lanes_of(vectors, items, least) / 32; };
    return vectors <= 32 && warps(1) <= 528 ? 1 : warps(2) < 4096 ? 2 : 4;
  }
  // Rows that are spread (spread_plan.cuh) had this kernel when it was measured. H200, us, with
  // four and eight: layer norm f32 of 1 x 1023 3.2 and 3.9, of 65536 x 1025 311 and 230; with four
  // and five: softmax f32 of 65536 x 513 121 and 81, of bf16 of 1 x 1025 2.7 and 3.0, of 65536 x
  // 1025 161 and 104, of 1 x 4097 3.4 and 3.6, of 1000 x 4097 11.1 and 9.3, of 1 x 8193 3.5
  // and 4.2, of 1000 x 8193 18.9 and 16.8, of 1000 x 50257 104 and 85, layer norm of 1000 x
  // 4097 11.2 and 11.9, of 1000 x 50257 131 and 100.
  static int odd_items_of(long long vectors, odd_kernel const& of) {
    if (vectors <= 64 && (of.is_half || vectors > 16)) return 2;
    if (vectors <= 128) return 4;
    if (of.items != 5) return vectors <= 256 ? 4 : of.items;
    bool const has_fifth = vectors <= 160 || vectors > 4096 ||
                           (of.is_half && !of.is_large && vectors > 288 && vectors <= 1024);
    return has_fifth ? 5 : 4;
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
