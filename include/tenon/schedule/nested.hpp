// SPDX-License-Identifier: Apache-2.0
#pragma once
// Nested: rows, then a reduction of the rows' results; the blocks' parts are combined by the last
// block.

#include "tenon/schedule/rows.hpp"

namespace tenon::schedules {

inline constexpr family nested{
    "nested", "rows, then one value over all rows, combined by the last block",
    [](iteration_space const& space, schedule& s) {
      return detail::place_rows(space, s) && s.has_total && !s.sends_total_back;
    }};

}  // namespace tenon::schedules
