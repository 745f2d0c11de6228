// SPDX-License-Identifier: Apache-2.0
#pragma once
// When threads of the columns skeleton have all positions of their rows by themselves.

#include "tenon/backend/cuda/columns/brief.cuh"
#include "tenon/backend/cuda/columns/meeting_plan.cuh"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct brief_columns_planner : meeting_columns_planner {
  // With as many, what is under way at a time hides what is waited for no better than wide turns of
  // few threads do. H200, us, so and with eight positions at a time: means of 12 heads of 512 x 512
  // bf16 52 (67), of 16 of 1024 x 1024 to f32 75 (78), sums of 16 rows of 64 f32 66 (66).
  static constexpr long long most_brief = 64;

  // Whether positions are few and vectors of rows so many that blocks, which take turns anyhow,
  // have a vector for each thread.
  template <class Program>
  [[gnu::cold]] static bool should_be_brief(columns_arguments<Program> const& a,
                                            long long vectors) {
    long long const positions = a.columns.size;
    if (positions < 2 || positions > most_brief || !a.is_even || a.columns.dims > 1) return false;
    if (vectors <= blocks_wanted * threads || a.innermost % width<Program> != 0) return false;
    bool result = a.rows.dims <= 2 && a.rows.size * width<Program> >> 31 == 0;
    auto const is_narrow = [&](long long step) {
      result = result && step == static_cast<int>(step);
    };
    for (int k = 0; k < a.loads_held; ++k) is_narrow(a.load_rows[k][0]), is_narrow(a.load_along[k]);
    for (int k = 0; k < a.stores_held; ++k)
      is_narrow(a.store_rows[k][0]), is_narrow(a.store_along[k]);
    return result;
  }
  // @pre should_be_brief
  template <class Program>
  [[gnu::cold]] static cuda_plan plan_brief(columns_arguments<Program> const& a) {
    constexpr configuration chosen{.vector_width = width<Program>,
                                   .items = brief_items,
                                   .threads_per_block = threads,
                                   .blocks = brief_blocks<Program, width<Program>>};
    cuda_plan result;
    result.function = reinterpret_cast<void const*>(
        &brief_columns_kernel<Program, specialization_of<chosen>, build_hash>);
    result.chosen = chosen;
    result.why = "a thread has all positions of neighbouring rows";
    result.block = dim3(threads);
    result.grid = dim3(static_cast<unsigned>(divide_up(a.rows.size, threads)));
    prepare(result, a);
    return result;
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
