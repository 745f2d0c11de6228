// SPDX-License-Identifier: Apache-2.0
#pragma once
// Plans rows that pass once: into how many segments a row is cut, and which threads take them.

#include "tenon/backend/cuda/rows_plan_base.cuh"

namespace tenon::detail {

struct streamed_rows_planner : rows_planner_base {
  // How many lanes share a row that passes once, and into how many segments of how many tiles it is
  // cut; a function of the program and the number of vectors alone.
  struct row_cut {
    long long lanes, tiles_per_segment;
    int segments;
  };
  template <class Program, configuration C>
  static constexpr row_cut cut_streamed(long long vectors) {
    // Large states are combined by few threads, each of which has taken in many elements.
    long long lanes = lanes_of(vectors, C.items);
    if (vectors > (has_large_states<Program> ? 2048 : 32 * C.items))
      lanes = clamped(divide_up(vectors, 32 * C.items) * 32, 32, C.threads_per_block);
    long long const tiles = at_least(1, divide_up(vectors, lanes * C.items));
    if (vectors <= most_streamed_vectors) return {lanes, tiles, 1};
    // Combining a block's states costs as much as a tile. Where there are totals no blocks share a
    // row.
    long long const least = program_traits<Program>::has_total ? 64 : 4,
                    per_segment = at_least(least, divide_up(tiles, most_segments));
    return {lanes, per_segment, static_cast<int>(divide_up(tiles, per_segment))};
  }

  template <class Program, configuration C>
  [[gnu::cold]] static cuda_plan<Program> plan_streamed(bound_layout<Program> const& layout,
                                                        bound_arguments<Program> const& call,
                                                        cuda_device_facts const& facts,
                                                        bool is_single) {
    using special = specialization_of<C>;
    using arguments = rows_arguments<Program, special>;
    cuda_plan<Program> result;
    result.function = reinterpret_cast<void const*>(
        &streamed_rows_kernel<Program, special, build_hash, arguments>);
    result.chosen = C;
    row_cut const cut = cut_streamed<Program, C>(divide_up(layout.columns.size, C.vector_width));
    result.split.segments = cut.segments;
    result.split.tiles_per_segment = cut.tiles_per_segment;
    long long const rows_per_group = at_least(1, C.threads_per_block / cut.lanes);
    result.block = dim3(static_cast<unsigned>(cut.lanes), static_cast<unsigned>(rows_per_group));
    long long const groups = at_least(1, divide_up(layout.rows.size, rows_per_group));
    long long most = most_blocks;
    if constexpr (program_traits<Program>::has_total)
      most = parts<Program>;
    else if (cut.segments > 1)
      most = share_rows(result, groups, facts);
    result.why = is_single                         ? "single elements, row read once"
                 : cut.lanes <= 32                 ? "row read once by a warp or less"
                 : result.split.blocks_per_row > 1 ? "row read once by several blocks"
                                                   : "row read once by several warps";
    finish<Program, arguments>(result, layout, call, most, groups);
    return result;
  }
};

}  // namespace tenon::detail
