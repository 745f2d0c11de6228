// SPDX-License-Identifier: Apache-2.0
#pragma once
// Chooses the grid of the flat kernel whose vectors span the ends of rows.

#include "tenon/backend/cuda/flat/resources.cuh"
#include "tenon/backend/cuda/flat/spanning.cuh"
#include "tenon/backend/cuda/parts/plan_base.cuh"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

template <class Program> struct spanning_planner {
  using traits = program_traits<Program>;
  // H200, us, one vector of a thread and two: f32 scaled by a mask of 4096 x 4096 x 3 109.1 and
  // 110.0, bf16 57.3 and 55.6, bytes of 64 x 1024 x 1024 x 3 to f32 251.6 and 243.8.
  static constexpr int width = flat_resources<Program>::width,
                       items =
                           width > 4 || element_operands<Program>::template bytes_of_own<width> < 16
                               ? 2
                               : 1;
  static constexpr configuration chosen{
      .vector_width = width, .items = items, .threads_per_block = 256};
  // Whether a program has operands of which neighbouring rows or columns have the same, and none
  // that knows where it is.
  static constexpr bool may_span = !traits::has_reduction && traits::has_repeated &&
                                   chosen.vector_width > 1 && !traits::has_positions &&
                                   !traits::has_fetches;

  [[gnu::cold]] static bool may_take(flat_arguments<Program> const& a) {
    bool result = a.columns.dims == 2 && a.columns.size >> 31 == 0 && a.columns.size > 0;
    for (instruction_facts const& i : traits::all) {
      if (!i.moves_elements) continue;
      if (i.is_window) return false;
      if (!i.repeats) {
        result = result && (i.is_load ? a.load_access : a.store_access)[i.bits] == access::packed;
        continue;
      }
      long long const along = a.load_columns[i.bits][1], along_rows = a.load_columns[i.bits][0],
                      around = along_rows - (a.columns.by[1].divisor - 1ll) * along;
      for (long long const step : {along, along_rows, around})
        result = result && step == static_cast<int>(step);
    }
    return result;
  }
  // @pre may_take
  [[gnu::cold]] static cuda_plan plan(flat_arguments<Program> const& operands) {
    cuda_plan result;
    result.function = reinterpret_cast<void const*>(
        &flat_spanning_kernel<Program, specialization_of<chosen>, build_hash>);
    result.chosen = chosen;
    result.why = "contiguous vectors across the ends of rows; others by elements";
    result.grid = dim3(static_cast<unsigned>(divide_up(
        operands.vectors, static_cast<long long>(chosen.threads_per_block) * chosen.items)));
    result.block = dim3(chosen.threads_per_block);
    prepare(result, spanning_arguments<Program>(operands));
    return result;
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
