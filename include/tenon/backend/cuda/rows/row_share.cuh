// SPDX-License-Identifier: Apache-2.0
#pragma once
// How many threads and blocks share a row that registers hold.

#include "tenon/backend/cuda/rows/long_plan.cuh"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct row_sharing : long_rows_planner {
  // Whether one block holds a row of that many vectors.
  template <class Program> static bool holds_row(long long vectors) {
    row_share const share = share_of<Program>(vectors);
    return share.lanes > 0 && share.blocks == 1;
  }

 protected:
  // How a row of that many vectors is shared; a function of nothing else, because results depend on
  // it. Up to 32 threads they are a power of two.
  struct row_share {
    int lanes, blocks;
  };
  template <class Program> static constexpr row_share share_of(long long vectors) {
    return share_of(vectors, lengths_of<Program>);
  }
  // What of a program it depends on: vectors of a row, and those that a thread keeps.
  struct row_lengths {
    long long short_vectors, medium_vectors;
    int short_items, medium_items, items, few_vectors, most_blocks;
    bool is_wide, has_pairs;
  };
  // Whether two vectors have two lanes, which read and write neighbouring ones. What is done by
  // each of them for the row is more where much is computed. H200, us, 2^22 x 8 f32, by two and by
  // one: x - max(x) 64.2 and 74.5, x over its norm 64.4 and 73.9, means of the 8 taken off 63.4
  // and 75.0, but softmax 78.2 and 69.9.
  template <class Program>
  static constexpr bool shares_pairs =
      is_half<Program> ||
      !(has_large_states<Program> || element_operands<Program>::has_much_arithmetic);
  template <class Program>
  static constexpr row_lengths lengths_of{
      short_vectors<Program>,      medium_vectors<Program>, short_items<Program>,
      medium_items<Program>,       row_items<Program>,      few_vectors<Program>,
      most_blocks_of_row<Program>, is_wide<Program>,        shares_pairs<Program>};
  static constexpr row_share share_of(long long vectors, row_lengths const& of) {
    if (vectors <= of.medium_vectors) {
      int const most = vectors <= of.short_vectors ? of.short_items : of.medium_items;
      int const least = least_lanes_of(vectors, of.has_pairs, of.few_vectors);
      long long lanes = lanes_of(vectors, most, least);
      if (lanes * most < vectors) lanes = divide_up(vectors, 32 * most) * 32;
      return {static_cast<int>(lanes), 1};
    }
    // One block as long as it can; then blocks of half the size, of which a multiprocessor holds
    // two that do not wait at the same time. H200, softmax of 65536 f32: 0.85 of a copy's bandwidth
    // against 0.79.
    int blocks = 1, threads = widest_block;
    if (static_cast<long long>(widest_block) * of.items < vectors) {
      threads = of.is_wide ? widest_block : 256;
      while (threads < widest_block &&
             static_cast<long long>(threads) * of.items * of.most_blocks < vectors)
        threads *= 2;
    }
    while (blocks < of.most_blocks && static_cast<long long>(threads) * of.items * blocks < vectors)
      blocks *= 2;
    long long per_warp = 32ll * of.items * blocks, warps = divide_up(vectors, per_warp);
    return {static_cast<int>(warps * 32 <= threads ? warps * 32 : 0), blocks};
  }

  // Whether the registers of a block, or of a cluster where there are any, hold a row. H200, of a
  // copy's bandwidth against shared memory that the blocks read back: softmax of 65536 f32 0.82
  // (0.58), bf16 0.69 (0.41); of 262144 f32 0.69 (0.56), bf16 0.54 (0.41).
  template <class Program>
  static bool blocks_hold(bound_layout const& layout, cuda_device_facts const& facts) {
    row_share const share = share_of<Program>(divide_up(layout.columns.size, width<Program>));
    return share.lanes > 0 && (share.blocks == 1 || facts.has_clusters);
  }

  // Threads and blocks of rows that registers hold → rows of a group.
  [[gnu::cold]] static long long set_threads(cuda_plan& plan, row_share const& share, moved_as how,
                                             long long rows) {
    plan.why = said(how,
                    share.blocks > 1    ? "row in registers of a cluster"
                    : share.lanes <= 32 ? "row in registers of a warp or less"
                                        : "row in registers of several warps",
                    "parts of vectors, row in registers", "single elements, row in registers");
    // Of rows of a warp or less; fewer where no multiprocessor has two of the blocks then. H200, in
    // a graph, layer norm of 64 x 1024 f32 1.69 us instead of 1.86, of 64 x 256 1.64 (1.80); with
    // two blocks each 1000 x 256 2.63 (2.44).
    int rows_per_group = share.lanes > 32 ? 1 : 128 / share.lanes;
    while (rows_per_group * share.lanes > 32 && rows_per_group > 1 &&
           divide_up(rows, rows_per_group / 2) <= 132)
      rows_per_group /= 2;
    plan.block = dim3(static_cast<unsigned>(share.lanes), static_cast<unsigned>(rows_per_group));
    plan.cluster = static_cast<unsigned>(share.blocks);
    plan.is_balanced = true;
    return rows_per_group;
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
