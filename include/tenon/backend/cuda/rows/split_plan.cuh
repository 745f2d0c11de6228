// SPDX-License-Identifier: Apache-2.0
#pragma once
// Chooses the skeleton of rows whose columns are runs at a stride.

#include "tenon/backend/cuda/rows/plan.cuh"
#include "tenon/schedule/split_rows.hpp"

namespace tenon::detail {

// A row that no single block holds goes to all blocks, who ask for many runs at once and meet
// between phases: the general accesses of a cluster come one after the other. H200, batch norm of
// 64x64x56x56 f32 in one call: 55 us, in clusters 170 us.
struct split_rows_planner {
  template <class Program>
  [[gnu::cold]] static cuda_plan<Program> plan(bound_layout<Program> const& layout,
                                               bound_arguments<Program> const& call,
                                               cuda_device_facts const& facts) {
    long long const vectors =
        divide_up(layout.columns.size, element_operands<Program>::vector_width);
    if (layout.columns.dims == 2 && !rows_planner::holds_row<Program>(vectors) &&
        layout.rows.size > 0 && !rows_are_neighbours(layout))
      return grid_planner::plan<Program>(layout, call, facts);
    return rows_planner::plan<Program, column_order::any>(layout, call, facts);
  }
};

}  // namespace tenon::detail

namespace tenon {
template <> struct cuda_skeleton<&schedules::split_rows> : detail::split_rows_planner {};
}  // namespace tenon
