// SPDX-License-Identifier: Apache-2.0
#pragma once
// What every backend is called with: the axis groups with their lengths and strides, and the pointers of one call.

#include "tenon/program/evaluate.hpp"

namespace tenon {

// The axes of one group after those that lie next to each other in every operand were merged; the outermost first.
struct group_layout {
  int dims = 0;
  long long size = 1;  // product of the extents
  long long extents[max_rank] = {};
};

// Strides in elements along the merged axes; 0 where the operand is repeated.
struct operand_layout {
  long long row_strides[max_rank] = {};
  long long column_strides[max_rank] = {};
};

namespace detail {
// Arrays of a program's operands have at least one entry, so that they are legal when there is none.
constexpr int at_least_one(int n) { return n > 0 ? n : 1; }
}  // namespace detail

// Everything of a call that follows from shapes and strides: what a plan is made from.
template <class Program>
struct bound_layout {
  using traits = program_traits<Program>;
  group_layout rows, columns;
  // Rows p * rows_per_plane, ... of as many are plane p; there may be planes without rows.
  long long planes = 1, rows_per_plane = 1;
  operand_layout loads[detail::at_least_one(traits::load_count)];
  operand_layout stores[detail::at_least_one(traits::store_count)];
  // Word k is size number k, in the arithmetic type of its instruction.
  long long sizes[detail::at_least_one(traits::size_count)];
};

// What changes from call to call: addresses of element 0 of each operand, and the run-time scalars as 8-byte words.
template <class Program>
struct bound_arguments {
  using traits = program_traits<Program>;
  void const* loads[detail::at_least_one(traits::load_count)];
  void* stores[detail::at_least_one(traits::store_count)];
  long long scalars[detail::at_least_one(traits::scalar_count)];
};

}  // namespace tenon
