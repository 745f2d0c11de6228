// SPDX-License-Identifier: Apache-2.0
#pragma once
// Chooses the skeleton of rows whose columns are runs at a stride.

#include "tenon/backend/cuda/rows/held_plan.cuh"
#include "tenon/backend/cuda/rows/runs_plan.cuh"
#include "tenon/core/config.hpp"
#include "tenon/schedule/split_rows.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

// A row that passes once is streamed as one in one piece is, if its runs are whole vectors. Another
// that no single block holds stays in the shared memory of a cluster; what none holds goes to
// all blocks, who ask for many runs at once and meet between phases: the general accesses of the
// other kernels come one after the other. H200, batch norm of f32 in one call, by clusters and by
// all blocks: 64x64x56x56 44 and 48 us, 32x256x28x28 25 and 30 us.
struct split_rows_planner {
  template <class Program>
  static constexpr bool may_hold =
      is_any_kept<Program, element_operands<Program>::vector_width>&& row_state_words<Program> <=
          16 &&  // of shared memory beside the row
      !program_traits<Program>::has_total &&
      !program_traits<Program>::has_planes && !program_traits<Program>::has_positions;
  // Programs whose rows may be read as such rows in one piece are: those that pass once, and those
  // that registers hold.
  template <class Program>
  static constexpr bool may_have_runs =
      !program_traits<Program>::has_total && !program_traits<Program>::has_planes &&
      !program_traits<Program>::has_positions && !program_traits<Program>::has_gathered &&
      !program_traits<Program>::has_fetches && !rows_planner::shares_everything<Program>;
  template <class Program>
  static constexpr bool may_stream = passes_once<Program>&& may_have_runs<Program>;
  template <class Program>
  static constexpr bool may_hold_runs =
      !passes_once<Program> && may_have_runs<Program> && rows_planner::own_bytes<Program> > 0 &&
      rows_planner::width<Program> > 1;
  // Whether a block or a cluster has a whole row of so many vectors, or it passes in its runs.
  template <class Program>
  static bool has_whole_rows(long long vectors, cuda_device_facts const& facts) {
    if (may_stream<Program> || rows_planner::holds_row<Program>(vectors)) return true;
    if constexpr (may_hold<Program>)
      return facts.has_clusters && held_rows_planner::share_of<Program>(vectors).split.blocks > 0;
    return false;
  }
  // Whether the extents are those of runs of whole vectors, along an axis or two.
  template <class Program> static bool may_be_in_runs(bound_layout const& layout) {
    group_layout const& columns = layout.columns;
    return (columns.dims == 2 || columns.dims == 3) && columns.size > 0 && layout.rows.size > 0 &&
           columns.extents[columns.dims - 1] % element_operands<Program>::vector_width == 0 &&
           !rows_are_neighbours<Program>(layout);
  }
  // @pre runs are whole vectors
  template <class Program>
  [[gnu::cold]] static cuda_plan plan_runs(bound_layout const& layout, bound_arguments const& call,
                                           cuda_device_facts const& facts) {
    constexpr configuration c = rows_planner::streamed<Program, run_columns>;
    bool is_tiny = false;
    if constexpr (rows_planner::may_be_tiny<Program>)
      is_tiny = rows_planner::is_tiny<Program>(layout);
    // For the same bits misaligned ones are streamed, too.
    if (is_tiny || run_arguments<Program>::of(layout, call, c.vector_width).runs.vectors == 0)
      return rows_planner::plan<Program, column_order::any>(layout, call, facts);
    return rows_planner::plan_streamed<Program, c>(layout, call, moved_as::vectors);
  }
  template <class Program>
  [[gnu::cold]] static cuda_plan plan(bound_layout const& layout, bound_arguments const& call,
                                      cuda_device_facts const& facts) {
    constexpr int width = element_operands<Program>::vector_width;
    bool const has_runs =
        layout.columns.dims == 2 && layout.rows.size > 0 && !rows_are_neighbours<Program>(layout);
    if constexpr (may_stream<Program>)
      if (has_runs && layout.columns.extents[1] % width == 0)
        return plan_runs<Program>(layout, call, facts);
    if constexpr (may_hold_runs<Program>)
      if (may_be_in_runs<Program>(layout)) {
        cuda_plan const held = run_rows_planner::plan<Program>(layout, call, facts);
        if (held.function) return held;
      }
    long long const vectors = divide_up(layout.columns.size, width);
    if (has_runs && !rows_planner::holds_row<Program>(vectors)) {
      if constexpr (may_hold<Program>) {
        auto const held = held_rows_planner::plan<Program>(layout, call, facts);
        if (held.function) return held;
      }
      return grid_planner::plan<Program>(layout, call, facts);
    }
    return rows_planner::plan<Program, column_order::any>(layout, call, facts);
  }
};

}  // namespace tenon::detail

namespace tenon {
template <> struct cuda_skeleton<&schedules::split_rows> : detail::split_rows_planner {};
}  // namespace tenon
TENON_ONCE_END
