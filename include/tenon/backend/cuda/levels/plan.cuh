// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows whose planes send back what their rows come to → the kernel that runs them.

#include "tenon/backend/cuda/columns/planes_plan.cuh"
#include "tenon/backend/cuda/grid/plan.cuh"
#include "tenon/schedule/levels.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct levels_planner {
  template <class Program>
  [[gnu::cold]] static cuda_plan plan(bound_layout const& layout, bound_arguments const& call,
                                      cuda_device_facts const& facts) {
    if constexpr (plane_columns_planner::may_meet<Program>) {
      cuda_plan const of_columns = plane_columns_planner::plan_planes<Program>(layout, call, facts);
      if (of_columns.function) return of_columns;
    }
    return grid_planner::plan<Program, true>(layout, call, facts);
  }
};

}  // namespace tenon::detail

namespace tenon {
template <> struct cuda_skeleton<&schedules::levels> : detail::levels_planner {};
}  // namespace tenon
TENON_ONCE_END
