// SPDX-License-Identifier: Apache-2.0
#pragma once
// A call of slices that overlap → the kernel that loads what they have in common once, if it has
// such operands.

#include "tenon/backend/cuda/flat/stencil.cuh"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

// V: elements of 16 bytes of the widest operand.
template <class Program, int V> struct stencil_planner {
  // Four rows of a thread. H200, four taps of 8 x 4096 x 2048: bf16 101 us, with eight rows 113;
  // f32 180 and 212.
  static constexpr configuration chosen{
      .vector_width = V, .items = 4, .threads_per_block = 256, .blocks = 2};

  // @post without a function where it does not
  [[gnu::cold]] static cuda_plan plan(bound_layout const& layout, bound_arguments const& call) {
    cuda_plan result;
    auto const operands = stencil_arguments<Program, V, chosen.items>::of(layout, call);
    if (operands.blocks == 0) return result;
    result.function = reinterpret_cast<void const*>(
        &stencil_kernel<Program, specialization_of<chosen>, build_hash>);
    result.chosen = chosen;
    result.why = "vectors of several rows; what overlapping slices have in common is loaded once";
    result.grid = dim3(static_cast<unsigned>(operands.blocks));
    result.block = dim3(chosen.threads_per_block);
    prepare(result, operands);
    return result;
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
