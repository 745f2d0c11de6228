// SPDX-License-Identifier: Apache-2.0
#pragma once
// Chooses the grid of the flat kernel that reads once what neighbouring rows share.

#include "tenon/backend/cuda/flat/shared_rows.cuh"
#include "tenon/backend/cuda/parts/plan_base.cuh"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

// Whether rows may share vectors of it.
constexpr bool may_be_shared(instruction_facts const& i) {
  return i.is_load && i.moves_elements && i.repeats && !i.is_splat;
}

template <class Program, int V> struct shared_rows_planner {
  using traits = program_traits<Program>;
  // Bytes of one access of all operands that rows may share, and of all others.
  static constexpr int shared_bytes = [] {
    int result = 0;
    for (instruction_facts const& i : traits::all)
      if (may_be_shared(i)) result += V * size_of(i.type);
    return result;
  }();
  static constexpr int own_bytes = [] {
    int result = 0;
    for (instruction_facts const& i : traits::all)
      if (i.moves_elements && !i.repeats) result += V * size_of(i.type);
    return result;
  }();
  // What is shared comes from the caches, which have enough for as much again as comes from memory.
  // What is computed of it is computed once as well.
  static constexpr bool pays = !traits::has_reduction && shared_bytes > 0 &&
                               (shared_bytes > own_bytes ||
                                element_operands<Program>::has_much_arithmetic);
  static constexpr int rows = 2;
  // As many blocks as their registers allow hide what is computed behind what is waited for. H200,
  // us, as many as there are, four, five and six: gelu(x + bias) of 8192 x 8192 bf16 66.3, 66.1,
  // 66.3 and 64.5, f32 136.6, 136.1, 128.9 and 126.0; gelu(x * w + b) of bf16 by f32 115.7, 95.3,
  // 86.5 and, with spills, 108.1.
  static constexpr int blocks = [] {
    int words = (shared_bytes + rows * own_bytes) / 4;
    for (instruction_facts const& i : traits::all) words += i.is_splat ? rows : 0;
    if (!element_operands<Program>::has_few_values || traits::has_positions || traits::has_fetches)
      return 1;
    return words <= 20 ? 6 : words <= 32 ? 5 : 1;
  }();
  static constexpr configuration chosen{
      .vector_width = V, .items = rows, .threads_per_block = 256, .blocks = blocks};

  [[gnu::cold]] static bool may_take(flat_arguments<Program> const& a) {
    bool result = a.columns.dims == 2;
    for (instruction_facts const& i : traits::all)
      if (may_be_shared(i)) result = result && a.load_columns[i.bits][0] == 0;
    return result;
  }
  // @pre has_whole_operands, may_take
  [[gnu::cold]] static cuda_plan plan(flat_arguments<Program> const& operands) {
    long long const of_row = operands.columns.by[1].divisor / V,
                    groups = divide_up(operands.vectors, chosen.items * of_row);
    cuda_plan result;
    result.function = reinterpret_cast<void const*>(
        &flat_shared_kernel<Program, specialization_of<chosen>, build_hash>);
    result.chosen = chosen;
    result.why = "contiguous vectors of neighbouring rows, which share others";
    result.grid = dim3(static_cast<unsigned>(divide_up(groups * of_row, chosen.threads_per_block)));
    result.block = dim3(chosen.threads_per_block);
    prepare(result, operands);
    return result;
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
