// SPDX-License-Identifier: Apache-2.0
#pragma once
// What every backend is called with: the axis groups with their lengths and strides, and the pointers of one call.

#include "tenon/core/config.hpp"
#include "tenon/core/static_vector.hpp"
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
  // Of an operand whose rows are gathered: a power of two that divides it divides their places; and whether there is none.
  long long place_step = 0;
  bool is_nowhere = false;
};

namespace detail {
// Arrays of a program's operands have at least one entry, so that they are legal when there is none.
constexpr int at_least_one(int n) { return n > 0 ? n : 1; }
}  // namespace detail

TENON_ONCE_BEGIN
// Everything of a call that follows from shapes and strides: what a plan is made from. Of no program, as all that the run
// time and the planners share is: each expression would compile it again.
struct bound_layout {
  group_layout rows, columns;
  // Rows p * rows_per_plane, ... of as many are plane p; there may be planes without rows.
  long long planes = 1, rows_per_plane = 1;
  constexpr_vector<operand_layout> loads, stores;
  // Word k is size number k, in the arithmetic type of its instruction.
  constexpr_vector<long long> sizes;

  bound_layout() = default;
  constexpr bound_layout(int load_count, int store_count, int size_count)
      : loads(load_count, {}), stores(store_count, {}), sizes(size_count, 0) {}
};
TENON_ONCE_END

// What changes from call to call: addresses of element 0 of each operand, and the run-time scalars as 8-byte words.
struct bound_arguments {
  void const** loads;
  void** stores;
  long long* scalars;
};

// Room for those of a program.
template <int Loads, int Stores, int Scalars>
struct argument_words {
  void const* loads[detail::at_least_one(Loads)] = {};
  void* stores[detail::at_least_one(Stores)] = {};
  long long scalars[detail::at_least_one(Scalars)] = {};

  operator bound_arguments() { return {loads, stores, scalars}; }
};

}  // namespace tenon
