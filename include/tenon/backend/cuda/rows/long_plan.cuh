// SPDX-License-Identifier: Apache-2.0
#pragma once
// Plans rows of whole vectors that shared memory holds: how many blocks share one, and how much of
// it each has.

#include "tenon/backend/cuda/rows/streamed_plan.cuh"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct long_rows_planner : streamed_rows_planner {
  // How a cluster's blocks share a row; a function of its length, because results depend on it: the
  // kernel of any layout shares rows of whole vectors alike, wherever they begin. No lanes: it is
  // not held so.
  struct long_share {
    int lanes = 0, blocks = 1, tiles = 0, vectors = 0;  // of each block

    // H200: blocks of 64 KB, of which a multiprocessor holds three, against 32 KB: softmax of 8192
    // x 65536 f32 1118 us (1240), of 2048 x 262144 bf16 566 (700). Beyond 64 KB for each of 16
    // blocks two and one were measured: of 256 x 393216 f32 252 us (337 if it is read again), of
    // 524288 483 (439 in the kernel of any layout).
    static constexpr int few_bytes = 64 << 10, most_bytes = 96 << 10;

    template <class Program>
    [[gnu::cold]] static long_share of(bound_layout const& layout, cuda_device_facts const& facts) {
      constexpr configuration c = long_rows<Program>;
      using stretch = row_stretch<Program, specialization_of<c>>;
      constexpr long long bytes = stretch::bytes, tile = c.items * c.threads_per_block,
                          most_vectors = stretch::most_tiles * tile;
      long long const all = divide_up(layout.columns.size, c.vector_width);
      long_share result;
      if (!has_long_rows<Program> || all <= medium_vectors<Program> ||
          layout.columns.size % c.vector_width != 0)
        return result;
      // Of whole warps, so that none has vectors of two blocks.
      auto const share = [&] { return divide_up(all, 32 * result.blocks) * 32; };
      bool const has_clusters = facts.compute_capability >= 90;
      while (has_clusters && result.blocks < most_blocks_per_cluster &&
             (share() * bytes > few_bytes || share() > most_vectors))
        result.blocks *= 2;
      if (share() > most_vectors || (has_clusters && share() * bytes > most_bytes)) return result;
      result.vectors = static_cast<int>(share());
      result.tiles = static_cast<int>(divide_up(result.vectors, tile));
      // Two tiles, of which the first is reduced while the second comes.
      if (result.tiles == 1 && result.vectors > 2 * 32 * c.items) result.tiles = 2;
      int const lanes =
          static_cast<int>(divide_up(result.vectors, 32 * c.items * result.tiles)) * 32;
      // With room for what the kernel of any layout needs beside it.
      if (lanes * c.items * result.tiles * bytes <=
          shared_bytes_left<Program, resident<Program, any_columns>>(facts) - (16 << 10))
        result.lanes = lanes;
      return result;
    }
  };

 protected:
  // @pre all operands are packed, and share.lanes > 0
  template <class Program>
  [[gnu::cold]] static cuda_plan plan_long(bound_layout const& layout, bound_arguments const& call,
                                           cuda_device_facts const& facts,
                                           long_share const& share) {
    constexpr configuration c = long_rows<Program>;
    using special = specialization_of<c>;
    using arguments = rows_arguments<Program, special>;
    cuda_plan result;
    result.function =
        reinterpret_cast<void const*>(&long_rows_kernel<Program, special, build_hash, arguments>);
    result.chosen = c;
    result.why =
        share.blocks > 1 ? "row in shared memory of a cluster" : "row in shared memory of a block";
    result.block = dim3(static_cast<unsigned>(share.lanes));
    result.cluster = static_cast<unsigned>(share.blocks);
    result.split.blocks_per_row = share.blocks;
    result.split.kept_tiles = share.tiles;
    result.split.vectors_per_block = share.vectors;
    // Reading so far ahead is exact: H200, softmax of 8192 x 65536 f32 1042 us, with 3 MB 1064,
    // with 13 MB 1125, without 1123; of 16384 x 16384 f32 520, 542, 554, 565. Much arithmetic
    // leaves no time for it: layer norm + gelu of 4096 x 16384 f32 214 us, 193 without.
    constexpr long long bytes_ahead = 13 << 19;
    if (layout.rows.dims == 1 && !element_operands<Program>::has_much_arithmetic)
      result.split.rows_ahead =
          static_cast<int>(bytes_ahead / (layout.columns.size * own_bytes<Program>));
    result.shared_bytes = static_cast<unsigned>(share.lanes * c.items * share.tiles *
                                                row_stretch<Program, special>::bytes);
    allow_shared_bytes(result.function, shared_bytes_left<Program, c>(facts));
    if (most_resident_groups(result, facts) == 0) return {};  // no room for the cluster
    // Of blocks that leave a part of a total there are as many as an H200 holds at once: clusters
    // leave some of its 132 multiprocessors without any.
    long long const held = clamped((220 << 10) / (result.shared_bytes + (4 << 10)), 1, c.blocks),
                    places = held * (share.blocks <= 2   ? 132
                                     : share.blocks <= 8 ? 120
                                                         : 112),
                    most = !program_traits<Program>::has_total ? most_blocks
                           : parts<Program> < places           ? parts<Program>
                                                               : places;
    finish<Program, arguments>(result, layout, call, most / share.blocks,
                               at_least(1, layout.rows.size));
    return result;
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
