// SPDX-License-Identifier: Apache-2.0
#pragma once
// Plans totals of slices that begin or end in the midst of vectors.

#include "tenon/backend/cuda/flat/sliced.cuh"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

template <class Program> struct sliced_planner {
  // Tensors, or rows of them, that slices are of, and other operands.
  static constexpr int operands = slices_of<Program>::count();
  // H200, us: the total variation of 8192 x 4096 bf16 in four vectors of a thread and four blocks
  // 20.8, in two and five 26.7, in eight and two 25.8, with the next four asked for before these
  // are taken in 25.6; f32 34.5, 41.3, 41.4 and 43.8. The variance of the steps of 4096 x 4096 f32
  // in four vectors 20.8, in two 25.2. Of two operands, steps along both axes of 4096 x 4096 f32,
  // in two vectors and four blocks 22.7, in four and three 24.1; but of f64 in four and three 18.9,
  // in two and four 20.0.
  static constexpr int items = operands == 1 ? 4 : operands == 2 ? 2 : 1;
  // As many as have registers without spills; of the others a multiprocessor may hold more, too.
  static constexpr int blocks = [] {
    constexpr int loads = element_operands<Program>::loads,
                  words = partial_words<Program, reductions_of<Program, place::row, 1>>;
    if (loads > 10) return 1;
    bool const is_light = operands == 1 ? has_light_slices<Program> : loads <= 5;
    return is_light && !has_large_states<Program> && words <= 4 ? 4 : 2;
  }();
  static constexpr configuration chosen{.vector_width = element_operands<Program>::vector_width,
                                        .items = items,
                                        .threads_per_block = 256,
                                        .group_dims = any_columns,
                                        .blocks = blocks};

  [[gnu::cold]] static cuda_plan plan(bound_layout const& layout, bound_arguments const& call) {
    using special = specialization_of<chosen>;
    auto const operands =
        sliced_arguments<Program, chosen.vector_width, chosen.items>::of(layout, call);
    cuda_plan result;
    result.function =
        reinterpret_cast<void const*>(&sliced_totals_kernel<Program, special, build_hash>);
    result.chosen = chosen;
    result.why = operands.slices.has_vectors()
                     ? "vectors of rows, with the elements behind them"
                     : "single elements of rows: a tensor is misaligned or its rows are";
    long long const tiles = divide_up(operands.all_threads, chosen.threads_per_block);
    result.grid = dim3(static_cast<unsigned>(
        clamped(tiles, 1, most_parts<Program, reductions_of<Program, place::row, 1>>)));
    result.block = dim3(chosen.threads_per_block);
    add_slots(result);
    prepare(result, operands);
    return result;
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
