// SPDX-License-Identifier: Apache-2.0
#pragma once
// Chooses the grid of the ordered skeleton.

#include "tenon/backend/cuda/ordered/kernel.cuh"
#include "tenon/backend/cuda/parts/plan_base.cuh"
#include "tenon/core/config.hpp"
#include "tenon/schedule/list.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

template <bool IsFlat> struct ordered_planner {
  static constexpr int threads = 256, items = 4;

  template <class Program>
  static cuda_plan plan(bound_layout const& layout, bound_arguments const& call,
                        cuda_device_facts const&) {
    constexpr configuration chosen{
        .items = items, .threads_per_block = threads, .group_dims = max_rank, .is_looped = !IsFlat};
    using arguments = widest_arguments<Program>;
    cuda_plan result;
    result.function = reinterpret_cast<void const*>(
        &ordered_kernel<Program, specialization_of<chosen>, build_hash, arguments>);
    result.chosen = chosen;
    result.why = "element by element, in the order of their positions";
    long long warps = clamped(divide_up(layout.columns.size, 32 * items), 1, threads / 32);
    if (IsFlat) warps = threads / 32;
    result.block = dim3(static_cast<unsigned>(32 * warps));
    // The grid is a function of the shape alone, like the order of every sum.
    using totals = reductions_of<Program, place::total, 0>;
    using parts = reductions_of<Program, place::row, 1>;
    long long most = most_blocks, blocks = layout.rows.size;
    if constexpr (IsFlat) {
      blocks = divide_up(layout.columns.size, threads * items);
      if constexpr (program_traits<Program>::has_reduction) most = most_parts<Program, parts>;
    } else {
      if constexpr (program_traits<Program>::has_total) most = most_parts<Program, totals>;
    }
    result.grid = dim3(static_cast<unsigned>(clamped(blocks, 1, most)));
    if constexpr (program_traits<Program>::has_reduction) add_slots(result);
    prepare_arguments<arguments>(result, layout, call);
    return result;
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
