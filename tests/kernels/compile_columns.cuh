// SPDX-License-Identifier: Apache-2.0
#pragma once
// Compiles only the columns kernels of an expression: rows.cu has the others of the family.

#include "compile_plan.cuh"

namespace tenon {

template <class Program> void plan_columns(Program) {
  bound_layout layout{};
  layout.rows.dims = 1;
  (void)detail::columns_planner::plan<Program>(layout, bound_arguments{}, cuda_device_facts{});
}
template <class... Arguments, class Function> void compile_columns(Function) {
  plan_columns(to_program<Function, Arguments...>());
}

}  // namespace tenon
