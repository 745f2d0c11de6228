// SPDX-License-Identifier: Apache-2.0
#pragma once
// The operands of an expression → whether its columns lie inside its rows in all of them, known while compiling.

#include "tenon/program/flat_description.hpp"

namespace tenon::detail {

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

// Neighbouring rows are then no neighbours in memory, except where an extent is 1.
// @pre every output is row-major
template <class Flat>
constexpr bool columns_are_inner(Flat const& about, bool const* inputs_are_row_major) {
  for (load const& l : about.loads) {
    if (l.view == no_view) return false;
    node const& view = about.nodes[l.view];
    if (!view.is<ops::input>() || !inputs_are_row_major[view.bits] || !columns_follow_rows(l.along, about.rows, about.columns))
      return false;
  }
  for (store const& s : about.stores)
    if (!columns_follow_rows(s.along, about.rows, about.columns)) return false;
  return true;
}

}  // namespace tenon::detail
