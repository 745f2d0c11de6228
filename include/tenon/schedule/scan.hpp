// SPDX-License-Identifier: Apache-2.0
#pragma once
// Scan: the columns are the one axis that is scanned, swept in order; everything else is as for
// rows.

#include "tenon/schedule/schedule.hpp"

namespace tenon::schedules {

inline constexpr family scan{"scan", "each row swept in order, along the axis that is scanned",
                             [](iteration_space const& space, schedule& s) {
                               s.columns = 0;
                               for (instruction const& i : space.instructions)
                                 if (i.op->kind == op_kind::scan) s.columns |= i.reduced;
                               s.rows = detail::all_axes(space) & ~s.columns;
                               bool const is_one_axis = (s.columns & (s.columns - 1)) == 0;
                               if (!is_one_axis) s.refused = refusal::scans_along_two_axes;
                               if (!is_one_axis || !detail::place_values(space, s)) return false;
                               for (instruction const& i : space.instructions)
                                 if (i.op->kind == op_kind::reduction && i.reduced != s.columns)
                                   s.refused = refusal::several_axis_groups;
                               return s.refused == refusal::none;
                             }};

}  // namespace tenon::schedules
