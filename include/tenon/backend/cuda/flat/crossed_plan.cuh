// SPDX-License-Identifier: Apache-2.0
#pragma once
// Plans pointwise expressions of operands that vary along the rows or along the columns.

#include "tenon/backend/cuda/flat/crossed.cuh"
#include "tenon/backend/cuda/parts/plan_base.cuh"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

template <class Program> struct crossed_planner {
  static constexpr configuration chosen{.vector_width = 1,
                                        .items = element_operands<Program>::loads <= 16 ? 4 : 2,
                                        .threads_per_block = 256,
                                        .group_dims = any_columns,
                                        .blocks = 3};

  // @post without a function where operands lie otherwise
  [[gnu::cold]] static cuda_plan plan(bound_layout const& layout, bound_arguments const& call) {
    auto const operands = crossed_arguments<Program, chosen.items>::of(layout, call);
    long long const blocks = divide_up(operands.all_warps, chosen.threads_per_block / 32);
    cuda_plan result;
    if (blocks == 0 || blocks > most_blocks) return result;
    result.function = reinterpret_cast<void const*>(
        &flat_crossed_kernel<Program, specialization_of<chosen>, build_hash>);
    result.chosen = chosen;
    result.why = "several rows of a strip of columns, whose operands are read once";
    result.grid = dim3(static_cast<unsigned>(blocks));
    result.block = dim3(chosen.threads_per_block);
    prepare(result, operands);
    return result;
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
