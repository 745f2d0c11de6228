// SPDX-License-Identifier: Apache-2.0
#pragma once
// Column groups: rows that are groups of neighbouring columns, as a group of channels is where the
// channels are the last axis.

#include "tenon/schedule/split_rows.hpp"

namespace tenon::detail {

// Whether the last axis of the operand that varies over most axes is of the columns, the one before
// it of the rows, and another one before that of the columns again.
constexpr bool are_column_groups(iteration_space const& space, unsigned columns) {
  int most = 0;
  bool result = false;
  for (load const& l : space.loads) {
    int varying = 0;
    bool has_column = false, is_column = false, was_column = false, before = false;
    for (int axis : l.along) {
      if (axis == no_axis) continue;
      ++varying;
      before = has_column, was_column = is_column;
      is_column = columns >> axis & 1u;
      has_column = has_column || is_column;
    }
    if (varying > most) most = varying, result = is_column && !was_column && before;
  }
  return result;
}

}  // namespace tenon::detail

namespace tenon::schedules {

// The split rows family runs them too, where it is not worth while for all blocks to meet.
inline constexpr family column_groups{
    "column groups",
    "rows of a few neighbouring columns, which all blocks reduce side by side, or as split rows",
    [](iteration_space const& space, schedule& s) {
      return split_rows.accepts(space, s) && detail::are_column_groups(space, s.columns);
    }};

}  // namespace tenon::schedules
