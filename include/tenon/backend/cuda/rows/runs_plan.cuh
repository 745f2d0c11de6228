// SPDX-License-Identifier: Apache-2.0
#pragma once
// Plans rows in runs of whole aligned vectors, each of which the registers of a block hold.

#include "tenon/backend/cuda/rows/plan.cuh"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

// By the kernels of rows in one piece, with a place for each vector.
struct run_rows_planner : rows_planner {
  // Whether registers of a block hold each row, if it is whole aligned vectors.
  template <class Program>
  static bool are_medium(bound_layout const& layout, cuda_device_facts const& facts) {
    return divide_up(layout.columns.size, width<Program>) <= medium_vectors<Program> &&
           long_share::of<Program>(layout, facts).lanes == 0;
  }
  // Null where rows are not in runs of whole aligned vectors, or no block holds one.
  template <class Program>
  [[gnu::cold]] static cuda_plan plan(bound_layout const& layout, bound_arguments const& call,
                                      cuda_device_facts const& facts) {
    long long const vectors = divide_up(layout.columns.size, width<Program>);
    if (!are_medium<Program>(layout, facts)) return {};
    auto const a = run_arguments<Program>::of(layout, call, width<Program>);
    if (a.runs.vectors == 0 || !a.are_near()) return {};
    cuda_plan result;
    if constexpr (short_vectors < Program >> 0)
      if (vectors <= short_vectors<Program>)
        result = plan_resident<Program, lying<short_rows<Program>, run_columns>>(
            layout, call, facts, moved_as::vectors);
    if (vectors > short_vectors<Program>)
      result = plan_resident<Program, lying<medium_rows<Program>, run_columns>>(layout, call, facts,
                                                                                moved_as::vectors);
    result.why = result.block.x > 32 ? "row in runs of vectors, in registers of several warps"
                                     : "row in runs of vectors, in registers of a warp or less";
    return result;
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
