// SPDX-License-Identifier: Apache-2.0
#pragma once
// Scan and sort: the columns are the one axis that is scanned or sorted, swept in order; everything
// else is as for rows.

#include "tenon/schedule/schedule.hpp"

namespace tenon::detail {

constexpr bool place_in_order(iteration_space const& space, schedule& s) {
  s.columns = 0;
  for (instruction const& i : space.instructions)
    if (i.op->kind == op_kind::scan) s.columns |= i.reduced;
  s.rows = all_axes(space) & ~s.columns;
  bool const is_one_axis = (s.columns & (s.columns - 1)) == 0;
  if (!is_one_axis) s.refused = refusal::scans_along_two_axes;
  if (!is_one_axis || !place_values(space, s)) return false;
  for (instruction const& i : space.instructions)
    if (i.op->kind == op_kind::reduction && i.reduced != s.columns)
      s.refused = refusal::several_axis_groups;
  return s.refused == refusal::none;
}

}  // namespace tenon::detail

namespace tenon::schedules {

inline constexpr family scan{"scan", "each row swept in order, along the axis that is scanned",
                             detail::place_in_order};
inline constexpr family sort{"sort", "each row put in order by one block, then swept in order",
                             detail::place_in_order};

}  // namespace tenon::schedules
