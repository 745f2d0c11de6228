// SPDX-License-Identifier: Apache-2.0
#pragma once
// Chooses the grid of rows of which neighbouring columns are stored: by the kernel of odd rows,
// which puts a row together in shared memory before it leaves, or by the kernels of any layout,
// because those of whole aligned vectors store all columns. H200, softmax of 65536 x 513 f32
// without its last column, one call: 127 us, by the kernel of any layout 226 us; element by element
// in the order of their positions 366 us.

#include "tenon/backend/cuda/rows/plan.cuh"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct column_parts_planner : rows_planner {
  template <class Program, family const* Family>
  static constexpr bool accepts = (Family == &schedules::rows || Family == &schedules::nested) &&
                                  stores_column_parts<Program> &&
                                  !program_traits<Program>::has_blocks;

  template <class Program, column_order Columns>
  [[gnu::cold]] static cuda_plan plan(bound_layout const& layout, bound_arguments const& call,
                                      cuda_device_facts const& facts) {
    constexpr int all = columns_allowed(Columns);
    constexpr moved_as how = moved_as::parts_of_vectors;
    cuda_plan result;
    if constexpr (can_be_odd<Program>)
      if (widest_arguments<Program>::of(layout, call, width<Program>, work_split{}).is_contiguous)
        result = plan_resident<Program, odd_rows<Program>>(layout, call, facts, how);
    if (result.function) return result;
    result = plan_resident<Program, resident<Program, all>>(layout, call, facts, how);
    return result.function ? result : plan_looped<Program, all>(layout, call, facts, how);
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
