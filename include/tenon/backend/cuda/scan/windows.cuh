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

// The distance of the columns that store K writes, where it is known to be a multiple of V: of a
// vector the first element alone may be one of them. 0 for any other part.
template <class Program, int K, int V> consteval int find_distance() {
  using traits = program_traits<Program>;
  using offset = typename traits::template at<traits::template at<K>::second_operand>;
  if constexpr (std::is_same_v<typename offset::op, ops::window_offset>) {
    using index = typename traits::template at<offset::second_operand>;
    constexpr bool is_of_row = traits::all[offset::first_operand].where != place::element;
    if constexpr (is_of_row && std::is_same_v<typename index::op, ops::window_index>) {
      using position = typename traits::template at<index::first_operand>;
      using distance = typename traits::template at<index::third_operand>;
      if constexpr (std::is_same_v<typename distance::op, ops::literal> && distance::bits > 0 &&
                    distance::bits < 1 << 30 && distance::bits % V == 0 &&
                    position::is_position && position::where == place::element)
        return static_cast<int>(distance::bits);
    }
  }
  return 0;
}

// Such a part of a row: columns first, first + distance, ..., which are whole numbers of vectors.
template <class Program, int K, int V> struct stepped_part {
  using traits = program_traits<Program>;
  template <int N> using at = typename traits::template at<N>;
  using offset = at<at<K>::second_operand>;
  using index = at<offset::second_operand>;
  static constexpr int distance = find_distance<Program, K, V>();
  static constexpr int bound = index::facts.operand(3);

  long long origin, step, extent, row, stride;  // column c is `origin + c * step` behind the first
  bool is_aligned;                              // and a vector's first element alone is in it

  template <class Context>
  __device__ __forceinline__ stepped_part(Context const& context, frame<Program> const& f) {
    constexpr auto position = at<index::first_operand>::bits;
    origin = reinterpret_cast<long long>(context.a.loads[position]) +
             context.where.loads[position] - value_of<index::second_operand>(f);
    step = context.a.load_columns[position][0];
    extent = value_of<bound>(f);
    row = value_of<offset::first_operand>(f);
    stride = value_of<offset::third_operand>(f);
    is_aligned = step == 1 && origin % V == 0 && origin > -(1 << 30) && origin < 1 << 30 &&
                 context.a.columns.size < 1 << 30;
  }
  // How far into the output a column's element goes; nowhere if it is in no part.
  __device__ __forceinline__ long long place_of_any(long long column) const {
    return ops::window_offset::eval(
        row, ops::window_index::eval(origin + column * step, 0, distance, extent), stride);
  }
  // The same where a part is aligned: which of its elements a column is, if `holds`.
  __device__ __forceinline__ unsigned number_of(int column) const {
    return further(column) / static_cast<unsigned>(distance);
  }
  __device__ __forceinline__ bool holds(int column) const {
    return further(column) % static_cast<unsigned>(distance) == 0 && number_of(column) < extent &&
           row != ops::nowhere;
  }

  // Likewise, of the one column of the block of `distance` columns that begins with `column`;
  // beyond the last where it is before the first.
  __device__ __forceinline__ unsigned number_in_block(int column) const {
    return (further(column) + (distance - 1)) / static_cast<unsigned>(distance);
  }
  // How many there are before column `end`, as a number that those before the first are beyond.
  __device__ __forceinline__ unsigned numbers(long long end) const {
    long long const before_end = (end + origin + (distance - 1)) / distance,
                    all = before_end < extent ? before_end : extent;
    return row == ops::nowhere || all < 0 ? 0 : static_cast<unsigned>(all);
  }

 private:
  __device__ __forceinline__ unsigned further(int column) const {
    return static_cast<unsigned>(column) + static_cast<unsigned>(origin);
  }
};
#endif

}  // namespace tenon::detail
