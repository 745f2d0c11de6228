// SPDX-License-Identifier: Apache-2.0
#pragma once
// Grid: rows, and values over all rows that the rows or elements use again: all blocks meet between
// the phases.

#include "tenon/schedule/rows.hpp"

namespace tenon::schedules {

inline constexpr family grid{
    "grid", "rows and values over all rows in turn, all blocks meet between phases",
    [](iteration_space const& space, schedule& s) {
      return detail::place_rows(space, s) && s.sends_total_back;
    }};

}  // namespace tenon::schedules
