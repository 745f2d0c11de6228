// SPDX-License-Identifier: Apache-2.0
#pragma once
// Split rows: rows whose columns do not lie together in memory, as a channel's elements in a batch
// of images: one run for each position of an outer axis.

#include "tenon/schedule/rows.hpp"

namespace tenon::detail {

// Whether columns lie on both sides of a row axis in the operand that varies over most axes.
constexpr bool are_split(iteration_space const& space, unsigned columns) {
  int most = 0;
  bool result = false;
  for (load const& l : space.loads) {
    int varying = 0, runs = 0;
    bool is_in_run = false;
    for (int axis : l.along) {
      if (axis == no_axis) continue;
      bool const is_column = columns >> axis & 1u;
      ++varying;
      runs += is_column && !is_in_run;
      is_in_run = is_column;
    }
    if (varying > most) most = varying, result = runs > 1;
  }
  return result;
}

}  // namespace tenon::detail

namespace tenon::schedules {

// The rows family runs them too; of a family of their own, they have a kernel more to choose from.
inline constexpr family split_rows{
    "split rows",
    "rows in runs of memory, by a group of threads or a cluster each, or by all blocks",
    [](iteration_space const& space, schedule& s) {
      return rows.accepts(space, s) && detail::are_split(space, s.columns);
    }};

}  // namespace tenon::schedules
