// SPDX-License-Identifier: Apache-2.0
#pragma once
// A bound program → the CUDA kernel that runs it, its grid and its workspace.

#include "tenon/backend/cuda/columns/groups_plan.cuh"
#include "tenon/backend/cuda/flat/plan.cuh"
#include "tenon/backend/cuda/grid/plan.cuh"
#include "tenon/backend/cuda/levels/plan.cuh"
#include "tenon/backend/cuda/mixed/plan.cuh"
#include "tenon/backend/cuda/moved/rows_plan.cuh"
#include "tenon/backend/cuda/ordered/plan.cuh"
#include "tenon/backend/cuda/planes/plan.cuh"
#include "tenon/backend/cuda/rows/column_parts_plan.cuh"
#include "tenon/backend/cuda/scan/plan.cuh"
#include "tenon/backend/cuda/scatter/plan.cuh"
#include "tenon/backend/cuda/transposed/plan.cuh"

namespace tenon {

namespace detail {
// The plan, whose workspace has room for a row of each operand that has none.
template <class Program>
[[gnu::cold]] cuda_plan with_room(cuda_plan plan, bound_layout const& layout) {
  auto const bytes = static_cast<std::size_t>(gathered_arguments<Program>::bytes(layout));
  if (plan.workspace_bytes < bytes) plan.workspace_bytes = bytes;
  return plan;
}
}  // namespace detail

// Chooses among the configurations of the family's skeleton; all of them are compiled here.
// @pre `call` is read for the alignment of its addresses only
// @post the plan serves every call of the same shapes, strides and alignments on a device of the
// same facts
template <class Program, family const* Family, column_order Columns = column_order::any>
[[gnu::cold, gnu::noinline]] cuda_plan make_cuda_plan(bound_layout const& layout,
                                                      bound_arguments const& call,
                                                      cuda_device_facts const& facts) {
  constexpr bool is_flat = Family == &schedules::pointwise || Family == &schedules::full;
  constexpr bool is_rows = Family == &schedules::rows || Family == &schedules::nested;
  constexpr bool is_scan = [] {
    if constexpr (Family == &schedules::scan)
      return detail::scan_planner::holds_blocks<Program>;
    else
      return false;
  }();
  if constexpr (Family == &schedules::pointwise && detail::flat_planner::moves<Program>) {
    cuda_plan const of_vectors = detail::moved_planner::plan<Program>(layout, call);
    if (of_vectors.function) return of_vectors;
    if constexpr (detail::moved_planner::moves_elements<Program>) {
      if constexpr (detail::read_windows<Program>::is_found) {
        cuda_plan const of_windows = detail::moved_planner::plan_windows<Program>(layout, call);
        if (of_windows.function) return of_windows;
      }
      cuda_plan const anywhere = detail::moved_planner::plan_anywhere<Program>(layout, call);
      if (anywhere.function) return anywhere;
      cuda_plan const of_elements = detail::moved_planner::plan_elements<Program>(layout, call);
      if (of_elements.function) return of_elements;
    }
  }
  if constexpr (Family == &schedules::pointwise && detail::shares_tables<Program>)
    if (!detail::flat_planner::are_whole<Program>(layout, call)) {
      cuda_plan const of_vectors = detail::moved_planner::plan<Program>(layout, call);
      if (of_vectors.function) return of_vectors;
    }
  constexpr bool is_of_columns = detail::column_parts_planner::accepts<Program, Family>;
  if constexpr (is_rows && !is_of_columns && detail::moved_rows_planner::moves<Program>) {
    cuda_plan const of_vectors = detail::moved_rows_planner::plan<Program>(layout, call);
    if (of_vectors.function) return of_vectors;
  }
  // A sort has its memory; both store element by element too.
  if constexpr (is_scan)
    return detail::scan_planner::plan<Program, Columns>(layout, call, facts);
  else if constexpr (Family == &schedules::sort)
    return cuda_skeleton<Family>::template plan<Program>(layout, call, facts);
  else if constexpr (is_of_columns)
    return detail::column_parts_planner::plan<Program, Columns>(layout, call, facts);
  // The other skeletons store whole vectors, and have no neighbours in long blocks.
  else if constexpr (program_traits<Program>::stores_parts || program_traits<Program>::has_blocks)
    return detail::ordered_planner<is_flat>::template plan<Program>(layout, call, facts);
  else if constexpr (is_rows && program_traits<Program>::has_gathered)
    return detail::with_room<Program>(
        detail::rows_planner::plan<Program, Columns>(layout, call, facts), layout);
  else if constexpr (is_rows)
    return detail::rows_planner::plan<Program, Columns>(layout, call, facts);
  else if constexpr (Family == &schedules::planes)
    return detail::planes_planner::plan<Program, Columns>(layout, call, facts);
  else if constexpr (is_flat)
    return detail::flat_planner::plan<Program, Columns>(layout, call, facts);
  else
    return cuda_skeleton<Family>::template plan<Program>(layout, call, facts);
}

}  // namespace tenon
