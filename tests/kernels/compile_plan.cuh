// SPDX-License-Identifier: Apache-2.0
#pragma once
// Compiles every configuration of an expression's kernel, as a call of it would.

#include "tenon/backend/cuda/plan.cuh"
#include "tenon/program/reify.hpp"

namespace tenon {

// The program is a deduced type: a closure must not appear in a kernel's name.
template <family const* Family, column_order Columns, class Program> void compile_program(Program) {
  bound_layout layout;
  bound_arguments arguments{};
  (void)make_cuda_plan<Program, Family, Columns>(layout, arguments, cuda_device_facts{});
}

template <class... Arguments, class Function> void compile_plan(Function) {
  compile_program<detail::lowered<Function, Arguments...>::flat.chosen, column_order::any>(
      to_program<Function, Arguments...>());
}

// The same for a call whose arguments are tensors with their columns side by side.
template <class... Arguments, class Function> void compile_contiguous_plan(Function) {
  compile_program<detail::lowered<Function, Arguments...>::flat.chosen, column_order::contiguous>(
      to_program<Function, Arguments...>());
}

}  // namespace tenon
