// SPDX-License-Identifier: Apache-2.0
#pragma once
// Plans many rows of whole aligned vectors of half types, of which a thread is two lanes.

#include "tenon/backend/cuda/rows/looped_plan.cuh"
#include "tenon/backend/cuda/rows/paired_lanes.cuh"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct paired_rows_planner : looped_rows_planner {
  // In place of the configuration `Alone`, for the same bits. Blocks are held that leave 64 or 48
  // registers, and nothing is spilled: with 72 a multiprocessor has no room for those of the next
  // call, layer norm of 2048 x 1152 bf16 4.50 us instead of 3.55 (H200).
  template <class Program, configuration Alone>
  static constexpr configuration paired_rows{
      .vector_width = width<Program>,
      .items = paired_items(Alone.items),
      .threads_per_block = 128,
      .group_dims = packed_columns,
      .index_bits = 32,
      .blocks = Alone.items == 2 && !is_heavy<Program> ? 10 : 8};
  // One operand of a half type, and what two lanes find is combined as if each had a thread.
  template <class Program, configuration Alone>
  static constexpr bool can_be_paired = [] {
    using traits = program_traits<Program>;
    return Alone.group_dims == packed_columns && own_bytes<Program> == 2 && width<Program> == 8 &&
           (Alone.items == 2 || Alone.items == 4) && !is_heaviest<Program> &&
           !keeps_words<Program> && !traits::has_total && !traits::has_planes &&
           has_element_stores<Program> && has_paired_order<Program>;
  }();

  // Rows of two warps at most whose lanes have up to three quarters of what they may have, and so
  // many that they are bound by instructions. H200, us, layer norm of bf16 with a thread for each
  // lane and for two: 512 x 1152 2.44 and 2.59, 1024 3.03 and 2.65, 4096 8.35 and 5.57; 1024 x 640
  // 2.18 and 2.31, 2048 2.74 and 2.65, 4096 3.97 and 3.58; 4096 x 320 2.75 and 2.64, 8192 4.05
  // and 3.58; 16384 x 136 4.06 and 4.19, 246723 48.3 and 37.8.
  template <class Program, configuration Alone>
  static bool are_paired(long long vectors, long long rows) {
    long long const lanes = share_of<Program>(vectors).lanes;
    return lanes >= 8 && lanes <= 64 && 2 * vectors <= lanes * paired_items(Alone.items) &&
           rows * lanes >= (lanes > 8 ? 1 << 16 : 1 << 19);
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
