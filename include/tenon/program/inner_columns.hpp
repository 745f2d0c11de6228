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
  whole,       // a row is whole vectors, however wide, because some extents are known
};

// Whether rows of whole vectors may be misaligned in some operand.
constexpr bool may_begin_anywhere(column_order order) { return order < column_order::contiguous; }
// Whether rows may be no whole number of vectors, or misaligned.
constexpr bool may_be_odd(column_order order) { return order < column_order::whole; }

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

// Whether the known extents of the columns make a multiple of 16 elements, which no vector has more
// of.
template <class Flat> constexpr bool are_whole_rows(Flat const& about) {
  long long known = 1;
  for (int axis = 0; axis < about.axes.count; ++axis) {
    if (!(about.columns >> axis & 1u)) continue;
    dim_expression const& length =
        about.dims.items[about.representatives.items[about.axes.items[axis]]];
    if (length.kind == dim_kind::constant) known = known * (length.a % 16) % 16;
  }
  return known == 0;
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
    are_contiguous =
        are_contiguous && (l.what == reading::element ||
                           (l.what == reading::gathered && l.along[l.along.size() - 1] != no_axis));
    note(l.along);
  }
  for (store const& s : about.stores) {
    // Between the elements of a part those of others may be.
    bool const is_between =
        s.axis != no_axis && !columns_among(s.along, about.columns).empty();
    are_contiguous = are_contiguous && s.offset < 0 && !is_between;
    note(s.along);
  }
  int axes = 0;
  for (unsigned rest = about.columns; rest; rest &= rest - 1) ++axes;
  if (!are_inner) return column_order::any;
  if (!are_contiguous || first.size() != axes) return column_order::inner;
  return are_whole_rows(about) ? column_order::whole : column_order::contiguous;
}

}  // namespace detail
}  // namespace tenon
