// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where the elements of a stored part of a scan's columns are, which is looked for where they are
// stored: most elements are in none.

#include "tenon/backend/cuda/parts/row_context.cuh"
#include "tenon/ops/window.hpp"

namespace tenon::detail {

#if defined(__CUDA_ARCH__)
template <class Instruction>
inline constexpr bool finds_window = std::is_same_v<typename Instruction::op, ops::window_index> ||
                                     std::is_same_v<typename Instruction::op, ops::window_offset>;

// Finds where store K is to put the element of frame `f`.
template <class Program, int K>
__device__ __forceinline__ void find_window(frame<Program> const& f) {
  using I = typename program_traits<Program>::template at<K>;
  if constexpr (I::is_window || finds_window<I>) {
    find_window<Program, I::first_operand>(f);
    find_window<Program, I::second_operand>(f);
    if constexpr (finds_window<I> && I::where == place::element) step<K>(f, typename I::operands{});
  }
}

// Whether the elements that store K writes are so far apart that of a vector of V none but the
// first, whose frame is `f`, may be one.
template <class Program, int K, int V, class Context>
__device__ __forceinline__ bool stores_first_alone(Context const& context,
                                                   frame<Program> const& f) {
  using traits = program_traits<Program>;
  if constexpr (traits::template at<K>::is_window) {
    using offset = typename traits::template at<traits::template at<K>::second_operand>;
    if constexpr (std::is_same_v<typename offset::op, ops::window_offset>) {
      using index = typename traits::template at<offset::second_operand>;
      if constexpr (std::is_same_v<typename index::op, ops::window_index>) {
        using position = typename traits::template at<index::first_operand>;
        using distance = typename traits::template at<index::third_operand>;
        if constexpr (std::is_same_v<typename distance::op, ops::literal> && distance::bits > 0 &&
                      distance::bits % V == 0 && position::is_position &&
                      position::where == place::element)
          return value_of<index::second_operand>(f) % V == 0 &&
                 context.a.load_columns[position::bits][0] == 1 &&
                 context.where.loads[position::bits] % V == 0;
      }
    }
  }
  return false;
}
#endif

}  // namespace tenon::detail
