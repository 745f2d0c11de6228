// SPDX-License-Identifier: Apache-2.0
#pragma once
// Plans rows of whole vectors that shared memory holds: how many blocks share one, and how much of
// it each has.

#include "tenon/backend/cuda/rows/parted_plan.cuh"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct long_rows_planner : parted_rows_planner {
  // How a cluster's blocks share a row, in pieces that are reduced by themselves; a function of its
  // length, because results depend on it: the kernel of any layout shares it alike, wherever it
  // begins. How many of the pieces a block has is not. No lanes: it is not held so.
  struct long_share {
    int lanes = 0, blocks = 1, pieces = 1;  // threads and pieces of each block
    int tiles = 0;                          // of each piece

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
      if (!has_long_rows<Program> || all <= least_vectors<Program>(layout)) return result;
      // Of whole warps, so that none has vectors of two blocks.
      auto const share = [&] { return divide_up(all, 32 * result.blocks) * 32; };
      while (facts.has_clusters && result.blocks < most_blocks_of_row<Program> &&
             (share() * bytes > few_bytes || share() > most_vectors))
        result.blocks *= 2;
      if (share() > most_vectors || (facts.has_clusters && share() * bytes > most_bytes))
        return result;
      int const tiles = static_cast<int>(divide_up(share(), tile));
      if (tiles * c.items > 8) result.pieces = most_pieces<Program>;
      while (tiles % result.pieces != 0 ||
             result.blocks * result.pieces > most_blocks_of_row<Program>)
        --result.pieces;
      result.tiles = tiles / result.pieces;
      // Two tiles, of which the first is reduced while the second comes.
      if (tiles == 1 && share() > 2 * 32 * c.items) result.tiles = 2;
      int const steps = c.items * result.tiles * result.pieces,
                lanes = static_cast<int>(divide_up(share(), 32 * steps)) * 32;
      // With room for what the kernel of any layout needs beside it.
      if (lanes * steps * bytes <=
          shared_bytes_left<Program, resident<Program, any_columns>>(facts) - (16 << 10))
        result.lanes = lanes;
      if (facts.has_clusters)
        result.spread(layout.rows.size, facts.multiprocessors, most_at_once<Program>);
      return result;
    }
    void set(work_split& split, int items) const {
      split.blocks_per_row = blocks;
      split.pieces_per_block = pieces;
      split.tiles_per_piece = tiles;
      split.vectors_per_block = lanes * items * tiles * pieces;
    }
    // Gives the halves of a piece of two tiles threads of their own where there are few rows, for
    // the same bits. H200, us, misaligned, without and with: softmax of 1 x 8192 bf16 5.7 and 4.8,
    // layer norm of 1 x 262144 f32 14.9 and 11.7; but of 16 x 262144 bf16, 256 blocks, 20.7
    // and 25.6.
    void halve(cuda_plan& plan, long long rows, int most_threads) const {
      bool const is_few = rows * blocks <= (blocks < 8 ? 132 : 66);
      if (pieces > 1 || tiles != 2 || 2 * lanes > most_threads || !is_few) return;
      plan.block.y = 2;
      plan.split.tiles_per_piece = 1;
      plan.split.vectors_per_block /= 2;
    }

   private:
    // Each piece takes a combination over the lanes. That is little beside a state of several
    // numbers: H200, layer norm of 1 x 32768 bf16 in four pieces 3.6 us, misaligned 7.4, in two 4.5
    // and 12.1, in one 6.6 and 20.9; softmax of 1000 x 32768 bf16, misaligned, in four pieces 75
    // us, in two 69.6, in one 68.2.
    template <class Program> static constexpr int most_pieces = has_large_states<Program> ? 4 : 2;
    // Rows of whole vectors that are longer, and those of any length that a block's registers would
    // not hold and whose states are several numbers: H200, layer norm of 4096 x 50257 f32 772 us
    // instead of 1016, bf16 491 instead of 644.
    template <class Program> static long long least_vectors(bound_layout const& layout) {
      if (layout.columns.size % width<Program> == 0) return medium_vectors<Program>;
      return has_large_states<Program> ? static_cast<long long>(widest_block) * row_items<Program>
                                       : most_blocks;
    }
    // Where there are few rows every piece gets a block of its own, if that takes the
    // multiprocessors fewer turns, or two with not more than `most` blocks to a row. H200, us,
    // before and after: softmax of 1 x 32768 f32 5.8 and 4.1, misaligned 11.0 and 6.8, bf16 14.6
    // and 8.8; layer norm of 133 x 32768 bf16, misaligned, 27.7 and 21.4; in two turns softmax of
    // 16 x 131072 f32 10.3 and 9.3, misaligned 16.9 and 13.9, layer norm of 64 x 32768 f32 8.4
    // and 7.9, misaligned 16.1 and 11.9, but of 16 x 131072 f32, misaligned, 18.6 and 22.3; with
    // each piece a block of its own all the same, of 264 x 131072 bf16 52 and 72.
    void spread(long long rows, long long multiprocessors, int most) {
      auto const turns = [&](long long each) {
        return divide_up(rows * blocks * each, multiprocessors);
      };
      if (8 * turns(pieces) <= 7 * turns(1) * pieces ||
          (turns(pieces) <= 2 && blocks * pieces <= most))
        blocks *= pieces, pieces = 1;
    }
    template <class Program>
    static constexpr int most_at_once = most_blocks_of_row<Program> /
                                        (has_large_states<Program> && !is_half<Program> ? 2 : 1);
  };

  // Has what all rows share brought to shared memory, too, where there are so few rows that the
  // multiprocessors have room for it, and more of it than one batch would be waited for. H200,
  // layer norm f32, us, without and with: 4 x 262144 8.2 and 6.9, 16 x 32768 4.6 and 4.2, 8 x
  // 65536 4.4 and 3.9, 64 x 32768 7.8 and 7.2; where it may not, for the branch, 16 x 262144 15.2
  // and 15.8, 64 x 65536 13.1 and 13.3.
  template <class Program>
  static void keep_shared(cuda_plan& plan, long long rows, long_share const& share,
                          cuda_device_facts const& facts) {
    constexpr configuration c = long_rows<Program>;
    using stretch = row_stretch<Program, specialization_of<c>>;
    if constexpr (stretch::shared_bytes > 0) {
      long long const steps = c.items * share.tiles * share.pieces,
                      bytes = plan.shared_bytes + share.lanes * steps * stretch::shared_bytes,
                      held = (220 << 10) / (bytes + (4 << 10)),
                      places = share.blocks < 8 ? 132 * held : 66;
      if (steps < 8 || rows * share.blocks > places || bytes > shared_bytes_left<Program, c>(facts))
        return;
      plan.split.keeps_shared = true;
      plan.shared_bytes = static_cast<unsigned>(bytes);
    }
  }

 protected:
  // Of long_rows or settled_rows. @pre share.lanes > 0, and all operands are packed, or contiguous
  template <class Program, configuration c = long_rows<Program>>
  [[gnu::cold]] static cuda_plan plan_long(bound_layout const& layout, bound_arguments const& call,
                                           cuda_device_facts const& facts,
                                           long_share const& share) {
    constexpr bool is_settled = c.group_dims > packed_columns;
    using special = specialization_of<c>;
    using arguments = rows_arguments<Program, special>;
    cuda_plan result;
    result.function =
        reinterpret_cast<void const*>(&long_rows_kernel<Program, special, build_hash, arguments>);
    result.chosen = c;
    result.why = is_settled         ? "parts of vectors, row in shared memory"
                 : share.blocks > 1 ? "row in shared memory of a cluster"
                                    : "row in shared memory of a block";
    result.block = dim3(static_cast<unsigned>(share.lanes));
    result.cluster = static_cast<unsigned>(share.blocks);
    share.set(result.split, c.items);
    // Reading so far ahead is exact: H200, softmax of 8192 x 65536 f32 1042 us, with 3 MB 1064,
    // with 13 MB 1125, without 1123; of 16384 x 16384 f32 520, 542, 554, 565, and 502 since what is
    // asked for leaves the L2 cache last. Much arithmetic leaves no time for it: layer norm + gelu
    // of 4096 x 16384 f32 214 us, 193 without.
    constexpr long long bytes_ahead = 13 << 19;
    int const steps = c.items * share.tiles * share.pieces;
    if constexpr (is_settled) {
      result.shared_bytes =
          static_cast<unsigned>(settled_stretch<Program, special>::bytes_of(steps, share.lanes));
    } else {
      result.shared_bytes =
          static_cast<unsigned>(share.lanes * steps * row_stretch<Program, special>::bytes);
      keep_shared<Program>(result, layout.rows.size, share, facts);
    }
    allow_shared_bytes(result.function, shared_bytes_left<Program, c>(facts));
    result.is_balanced = layout.rows.size * share.blocks <= 2 * facts.multiprocessors;
    if (most_resident_groups(result, facts) == 0) return {};  // no room for the cluster
    // Blocks that leave a part of a total ask for the next row while they finish one. There are as
    // many as an H200 holds at once: clusters leave some of its 132 multiprocessors without any.
    // Where rows are shared and many, each has a cluster of its own, as without totals: cross
    // entropy with its gradient, f32, us, 8192 x 32768 513 (579), 4096 x 131072 1051 (1174), 1000 x
    // 32768 74.5 (75.3), but 200 x 32768 29.6 (24.5); of one block 8192 x 2048 80.6 (63.8).
    using traits = program_traits<Program>;
    constexpr long long many_bytes = 100ll << 20;
    constexpr long long parts_held =
        most_slotted_parts<Program, reductions_of<Program, place::total, 0>>;
    long long const held = clamped((220 << 10) / (result.shared_bytes + (4 << 10)), 1, c.blocks),
                    places = held * (share.blocks <= 2   ? 132
                                     : share.blocks <= 8 ? 120
                                                         : 112),
                    staying = parts<Program> < places ? parts<Program> : places,
                    rows = layout.rows.size,
                    bytes = rows * layout.columns.size * own_bytes<Program>;
    bool const stays =
        traits::has_total && (traits::has_planes || share.blocks == 1 || bytes < many_bytes ||
                              rows * share.blocks > parts_held);
    if (!stays && layout.rows.dims == 1 && !element_operands<Program>::has_much_arithmetic)
      result.split.rows_ahead =
          static_cast<int>(bytes_ahead / (layout.columns.size * own_bytes<Program>));
    finish<Program, arguments>(result, layout, call, (stays ? staying : most_blocks) / share.blocks,
                               at_least(1, rows));
    return result;
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
