// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows: every reduction reduces the same axes (the columns); each row is finished by the threads that hold it.

#include "tenon/schedule/schedule.hpp"

namespace tenon::detail {

// The smallest axis set that a reduction reduces; 0 when there is no reduction.
constexpr unsigned innermost_reduction(iteration_space const& space) {
  unsigned result = 0;
  int fewest = max_axes + 1;
  for (instruction const& i : space.instructions) {
    if (i.op->kind != op_kind::reduction) continue;
    int n = 0;
    for (unsigned mask = i.reduced; mask; mask &= mask - 1) ++n;
    if (n < fewest) fewest = n, result = i.reduced;
  }
  return result;
}

// Whether some argument is read along every axis. Otherwise the space is larger than what is read, and sweeping it would
// repeat reductions: that is the work of a contraction.
constexpr bool is_spanned(iteration_space const& space) {
  for (instruction const& i : space.instructions)
    if (i.op == op_id<ops::load> && i.axes == all_axes(space)) return true;
  return space.axes.empty();
}

constexpr bool place_rows(iteration_space const& space, schedule& s) {
  if (!is_spanned(space)) return false;
  s.columns = innermost_reduction(space);
  s.rows = all_axes(space) & ~s.columns;
  return place_values(space, s);
}

}  // namespace tenon::detail

namespace tenon::schedules {

inline constexpr family rows{
    "rows", "one group of threads per row, as many phases as dependent reductions",
    [](iteration_space const& space, schedule& s) { return detail::place_rows(space, s) && !s.has_total; }};

}  // namespace tenon::schedules
