// SPDX-License-Identifier: Apache-2.0
#pragma once
// Blocks whose registers hold rows: how many a multiprocessor is to have at once, and whether they
// take turns.

#include "tenon/backend/cuda/parts/configuration.cuh"
#include "tenon/backend/cuda/parts/running_states.cuh"

namespace tenon::detail {

// As many as the configuration says. On sm_80 two leave too few registers for rows of any layout
// of half types whose states are several numbers, beside what all rows share: layer norm of bf16
// with weight and bias spilled 8 bytes.
template <class Program, class C>
inline constexpr int rows_blocks_held = [] {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
  if (C::group_dims > contiguous_columns && has_large_states<Program> &&
      element_operands<Program>::whole_loads >= 3 && program_traits<Program>::widest_element <= 2)
    return 1;
#endif
  return C::blocks;
}();

// Whether a block may have several groups of rows: where blocks leave parts of totals, meet to
// finish planes, or bring what rows share. Rows of whole aligned vectors keep nothing in registers
// for a next group.
template <class Program, class C>
inline constexpr bool takes_turns =
    program_traits<Program>::has_total || program_traits<Program>::has_planes ||
    C::group_dims > packed_columns || C::group_dims == odd_columns;

}  // namespace tenon::detail
