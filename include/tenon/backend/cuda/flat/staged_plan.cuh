// SPDX-License-Identifier: Apache-2.0
#pragma once
// Chooses the grid of the flat kernel that has pieces of operands in shared memory.

#include "tenon/backend/cuda/flat/staged.cuh"
#include "tenon/backend/cuda/parts/plan_base.cuh"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

template <class Program, int V> struct staged_planner {
  // Eight elements of a thread, which leave registers for four blocks on a multiprocessor. H200,
  // us, eight and sixteen: elements of 65536 x 512 bf16 along rows by i64 93 and 114, by i32 62 and
  // 72, of 8192 x 4096 by i64 93 and 94.
  static constexpr configuration chosen{.vector_width = V,
                                        .items = V < 8 ? 8 / V : 1,
                                        .threads_per_block = 256,
                                        .group_dims = any_columns,
                                        .blocks = 4};

  // @pre every operand is moved by whole vectors of V elements, or repeated along a row
  // @post without a function where rows have no such pieces
  [[gnu::cold]] static cuda_plan plan(bound_layout const& layout, bound_arguments const& call) {
    auto const operands = staged_arguments<Program, V, chosen.items>::of(layout, call);
    cuda_plan result;
    if (operands.all_blocks == 0 || operands.all_blocks > most_blocks) return result;
    result.function = reinterpret_cast<void const*>(
        &flat_staged_kernel<Program, specialization_of<chosen>, build_hash>);
    result.chosen = chosen;
    result.why = "vectors of rows, in turn; what elements are fetched from is in shared memory";
    result.grid = dim3(static_cast<unsigned>(operands.all_blocks));
    result.block = dim3(static_cast<unsigned>(32 * operands.warps));
    result.shared_bytes = static_cast<unsigned>(operands.all_bytes);
    prepare(result, operands);
    return result;
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
