// SPDX-License-Identifier: Apache-2.0
#pragma once
// The operands of an expression → how its columns lie in all of them, as far as it is known while
// compiling.

#include "tenon/program/flat_description.hpp"

namespace tenon {

// How the columns lie in the operands of a call; each says what the one before says, and more.
enum class column_order : unsigned char {
  any,
  inner,       // neighbouring rows are no neighbours in memory, except where an extent is 1
  contiguous,  // the elements of a row follow each other in every operand that has columns, which
               // begins where a tensor's memory does: rows of whole vectors are aligned
};

// Whether rows of whole vectors may be misaligned in some operand.
constexpr bool may_begin_anywhere(column_order order) { return order != column_order::contiguous; }

namespace detail {

// Whether no row axis follows a column axis.
constexpr bool columns_follow_rows(coordinates const& along, unsigned rows, unsigned columns) {
  bool has_column = false;
  for (int axis : along) {
    if (axis == no_axis) continue;
    if (has_column && (rows >> axis & 1u)) return false;
    has_column = has_column || (columns >> axis & 1u);
  }
  return true;
}

// The axes of `along` that are columns, in their order.
constexpr coordinates columns_among(coordinates const& along, unsigned columns) {
  coordinates result;
  for (int axis : along)
    if (axis != no_axis && (columns >> axis & 1u)) result.push_back(axis);
  return result;
}

// @pre every output is a tensor
template <class Flat>
constexpr column_order order_of_columns(Flat const& about, bool const* inputs_are_tensors) {
  coordinates first;
  bool are_inner = true, are_contiguous = !about.reversed;
  auto note = [&](coordinates const& along) {
    coordinates const own = columns_among(along, about.columns);
    if (first.empty()) first = own;
    are_inner = are_inner && columns_follow_rows(along, about.rows, about.columns);
    are_contiguous = are_contiguous && (own.empty() || own == first);
  };
  for (load const& l : about.loads) {
    if (l.view == no_view) return column_order::any;
    node const& view = about.nodes[l.view];
    if (!view.is<ops::input>() || !inputs_are_tensors[view.bits]) return column_order::any;
    are_contiguous = are_contiguous && l.what == reading::element;
    note(l.along);
  }
  for (store const& s : about.stores) {
    are_contiguous = are_contiguous && s.offset < 0;
    note(s.along);
  }
  int axes = 0;
  for (unsigned rest = about.columns; rest; rest &= rest - 1) ++axes;
  if (!are_inner) return column_order::any;
  return are_contiguous && first.size() == axes ? column_order::contiguous : column_order::inner;
}

}  // namespace detail
}  // namespace tenon
