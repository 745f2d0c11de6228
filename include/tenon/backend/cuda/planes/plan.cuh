// SPDX-License-Identifier: Apache-2.0
#pragma once
// Chooses the skeleton of rows with values over some of their axes, and room for the rows' parts.

#include "tenon/backend/cuda/rows/plan.cuh"
#include "tenon/core/config.hpp"
#include "tenon/schedule/planes.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct planes_planner {
  template <class Program, column_order Columns>
  [[gnu::cold]] static cuda_plan plan(bound_layout const& layout, bound_arguments const& call,
                                      cuda_device_facts const& facts) {
    cuda_plan result = rows_planner::plan<Program, Columns>(layout, call, facts);
    // Without totals no result depends on the number of blocks: as many as can meet.
    long long const resident = result.cluster == 1 ? most_resident_groups(result, facts) : 0;
    if (!program_traits<Program>::has_total && resident > 0 && resident < result.grid.x)
      result.grid.x = static_cast<unsigned>(at_least(1, resident / result.split.blocks_per_row) *
                                            result.split.blocks_per_row);
    plane_split split;
    split.planes = layout.planes;
    split.rows_per_plane = layout.rows_per_plane;
    split.chunks = static_cast<int>(divide_up(layout.rows_per_plane, rows_per_chunk));
    split.blocks_can_meet = resident >= result.grid.x;
    result.is_cooperative = result.is_cooperative || (split.blocks_can_meet && result.grid.x > 1);
    split.first_word = at_least(first_partial, static_cast<long long>(result.workspace_bytes / 4));
    constexpr int words = partial_words<Program, plane_reductions<Program>>;
    long long const parts =
        layout.rows.size + (split.chunks > 1 ? layout.planes * split.chunks : 0);
    result.workspace_bytes =
        sizeof(unsigned) * static_cast<std::size_t>(split.first_word + words * parts);
    plane_arguments<Program> arguments{kernel_arguments<Program, max_rank, max_rank, 64>::of(
        layout, call, result.chosen.vector_width, result.split)};
    arguments.planes = split;
    prepare(result, arguments);
    return result;
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
