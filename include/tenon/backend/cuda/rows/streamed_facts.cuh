// SPDX-License-Identifier: Apache-2.0
#pragma once
// What rows that are read once ask of a program.

#include "tenon/backend/cuda/rows/place_sums.cuh"

namespace tenon::detail {

// Whether nothing of a row is needed a second time.
template <class Program>
inline constexpr bool passes_once =
    program_traits<Program>::row_phases == 1 && !has_element_stores<Program>;

// Whether elements are computed with what is known of a row before its sweep. What is not waits for
// afterwards, because loads may depend on each other, as a label and the element that it chooses.
// H200, cross entropy bf16: 8192 x 32768 136.5 us (139.5), 4096 x 50257 290.9 (303.6).
template <class Program>
inline constexpr bool sweeps_with_row_values = [] {
  bool result = false;
  for (int k = 0; k < program_traits<Program>::size; ++k)
    result = result || (program_traits<Program>::all[k].where == place::row &&
                        element_needs<Program>::template at<1, false>.needed[k]);
  return result;
}();

// Blocks that a multiprocessor is to hold at once. For sm_80 ptxas 13.0 takes some registers more,
// of which as many blocks with large states, sums by place, or rows of any alignment, would leave
// too few.
template <class Program, class C>
inline constexpr int streamed_blocks_held =
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
    (has_large_states<Program> || sums_by_place<Program>)&&C::blocks > 3 ? 3
    : C::group_dims > packed_columns&& C::blocks > 2                     ? 2
                                                                         :
#endif
                                                     C::blocks;

}  // namespace tenon::detail
