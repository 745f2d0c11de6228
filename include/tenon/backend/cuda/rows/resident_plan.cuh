// SPDX-License-Identifier: Apache-2.0
#pragma once
// Chooses the configuration of rows that registers hold, of whole vectors that lie as they do or of
// any layout, and their grid.

#include "tenon/backend/cuda/rows/paired_plan.cuh"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct resident_rows_planner : paired_rows_planner {
 protected:
  // @pre all operands are packed, or repeated, or lie so, and a row has at most medium_vectors
  template <class Program, int GroupDims>
  [[gnu::cold]] static cuda_plan plan_packed(bound_layout const& layout,
                                             bound_arguments const& call,
                                             cuda_device_facts const& facts, moved_as how) {
    if constexpr (short_vectors < Program >> 0)
      if (divide_up(layout.columns.size, width<Program>) <= short_vectors<Program>)
        return plan_alone_or_paired<Program, lying<short_rows<Program>, GroupDims>>(layout, call,
                                                                                    facts, how);
    return plan_alone_or_paired<Program, lying<medium_rows<Program>, GroupDims>>(layout, call,
                                                                                 facts, how);
  }
  // Rows of all that a block's registers hold.
  template <class Program>
  static constexpr configuration block_rows{.vector_width = width<Program>,
                                            .items = row_items<Program>,
                                            .threads_per_block = widest_block,
                                            .group_dims = 1,
                                            .index_bits = 32};
  // @pre fetches_whole_vectors, and registers hold the row
  template <class Program>
  [[gnu::cold]] static cuda_plan plan_fetched(bound_layout const& layout,
                                              bound_arguments const& call,
                                              cuda_device_facts const& facts, long long vectors) {
    cuda_plan result;
    if (vectors <= medium_vectors<Program>)
      result = plan_packed<Program, fetched_columns>(layout, call, facts, moved_as::vectors);
    else if (share_of<Program>(vectors).blocks == 1)
      result = plan_resident<Program, lying<block_rows<Program>, fetched_columns>>(
          layout, call, facts, moved_as::vectors);
    result.why = "row in registers, vectors whose place is found once for all their elements";
    return result;
  }
  template <class Program, configuration Alone>
  [[gnu::cold]] static cuda_plan plan_alone_or_paired(bound_layout const& layout,
                                                      bound_arguments const& call,
                                                      cuda_device_facts const& facts,
                                                      moved_as how) {
    if constexpr (can_be_paired<Program, Alone>)
      if (are_paired<Program, Alone>(layout.columns.size / width<Program>, layout.rows.size))
        return plan_resident<Program, paired_rows<Program, Alone>>(layout, call, facts, how);
    return plan_resident<Program, Alone>(layout, call, facts, how);
  }

  // @pre all operands are contiguous, and the rows are whole vectors, shared as `share` says if
  // they are long
  template <class Program>
  [[gnu::cold]] static cuda_plan plan_shifted(bound_layout const& layout,
                                              bound_arguments const& call,
                                              cuda_device_facts const& facts,
                                              long_share const& share, moved_as how) {
    long long const vectors = layout.columns.size / width<Program>, rows = layout.rows.size;
    if (vectors <= medium_vectors<Program>) {
      if constexpr (can_be_shifted<Program>)
        if (!leaves_shifted<Program>(vectors, rows))
          return plan_resident<Program, shifted_rows<Program>>(layout, call, facts, how);
    } else if constexpr (can_be_long_shifted<Program>) {
      constexpr configuration c = long_shifted_rows<Program>;
      if (share.lanes > 0 && share.lanes <= c.threads_per_block &&
          share.tiles * share.pieces * c.items <= most_shifted_items)
        return plan_resident<Program, c>(layout, call, facts, how);
    }
    return {};
  }
  // Many rows of which most of a thread's vectors are none are left to the kernel of odd rows, for
  // the same bits. H200, us, here and there: softmax bf16 of 65536 x 256 35.8 and 31.9; layer norm
  // f32 of 16384 x 64 8.0 and 6.4, x 128 12.8 and 10.5, of 65536 x 768 134 and 117, but of 16384 x
  // 1024 43 and 45.
  template <class Program> static bool leaves_shifted(long long vectors, long long rows) {
    if (vectors > odd_vectors<Program> || rows < 2048) return false;
    if (is_half<Program>) return vectors < 128;
    return has_large_states<Program> &&
           (vectors < 64 || (rows >= 32768 && vectors > 128 && vectors <= 256));
  }

  template <class Program, configuration C>
  [[gnu::cold]] static cuda_plan plan_resident(bound_layout const& layout,
                                               bound_arguments const& call,
                                               cuda_device_facts const& facts, moved_as how) {
    using special = specialization_of<C>;
    using arguments = rows_arguments<Program, special>;
    cuda_plan result;
    long long const vectors = divide_up(layout.columns.size, width<Program>);
    row_share share = share_of<Program>(vectors);
    share.lanes /= lanes_of_thread<special>;
    result.split.tiles_per_piece = row_items<Program>;  // all, of one piece
    // As the aligned rows of that length are shared, for the same bits.
    // What is fetched element by element is never shared so.
    long_share like;
    if (C.group_dims != fetched_columns) like = long_share::of<Program>(layout, facts);
    bool is_like = false;
    row_share odd{0, 1};
    constexpr bool is_direct =
        tenon::has_whole_vectors<C.group_dims> || C.group_dims == shifted_columns;
    if constexpr (!is_direct && can_be_odd<Program>) odd = odd_share_of<Program>(layout, facts);
    if (odd.lanes > 0 || C.group_dims == odd_columns) {
      share = odd;
      result.split.vectors_per_block = stretch_of(share, vectors);
    } else if (like.lanes > 0) {
      share = {like.lanes, like.blocks};
      like.set(result.split, C.items);
      is_like = true;
    }
    result.split.blocks_per_row = share.blocks;
    if (share.lanes == 0 || (share.blocks > 1 && !facts.has_clusters)) return result;
    result.function =
        reinterpret_cast<void const*>(&rows_kernel<Program, special, build_hash, arguments>);
    result.chosen = C;
    long long const rows_per_group = set_threads(result, share, how, layout.rows.size);
    long long groups = at_least(1, divide_up(layout.rows.size, rows_per_group));
    if constexpr (C.group_dims > 1) {
      if constexpr (may_be_halved<Program, special>)
        if (is_like) like.halve(result, layout.rows.size, C.threads_per_block);
      int const rows = static_cast<int>(result.block.y), pieces = result.split.pieces_per_block,
                items = is_like ? pieces * result.split.tiles_per_piece * C.items
                                : static_cast<int>(divide_up(vectors, share.blocks * share.lanes));
      result.shared_bytes = static_cast<unsigned>(
          staged_items<Program, special>::bytes_of(share.lanes, rows, items > 0 ? items : 1));
    }
    if constexpr (C.group_dims == odd_columns)
      result.shared_bytes = static_cast<unsigned>(
          odd_memory<Program, special>::bytes_of(share.lanes, static_cast<int>(rows_per_group)));
    if constexpr (!is_direct)
      allow_shared_bytes(result.function, shared_bytes_left<Program, C>(facts));
    if constexpr (asks_ahead<Program, special>)
      result.split.rows_ahead = rows_ahead<Program, C>(layout, result, facts);
    long long most = most_resident_groups(result, facts);
    if (most == 0) return {};  // no room for the cluster
    // What odd rows share a block brings once: each has as many of them.
    bool brings_shared = false;
    if constexpr (C.group_dims == odd_columns)
      brings_shared = odd_memory<Program, special>::shared > 0;
    if (brings_shared) most = divide_up(groups, divide_up(groups, most));
    // The row that comes next in a cluster's place. H200, softmax of 264, 1000 and 4096 x 50257 f32
    // 44.1, 153 and 604 us instead of 44.8, 158 and 655, bf16 25.4, 82.6 and 321 instead of 26.1,
    // 84.5 and 329; layer norm f32 49.9, 167 and 654 instead of 54.5, 182 and 716.
    if constexpr (asks_for_stretches<Program, special>)
      if (share.blocks > 1 && layout.rows.dims == 1)
        result.split.rows_ahead = static_cast<int>(most);
    result.split.is_short = is_short<Program>(layout) && share.blocks == 1 && groups <= most;
    if (!brings_shared) most = most_blocks;
    finish<Program, arguments>(
        result, layout, call,
        program_traits<Program>::has_total ? parts<Program> / share.blocks : most, groups);
    return result;
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
