// SPDX-License-Identifier: Apache-2.0
#pragma once
// Planes: rows, then reductions of the rows' results over some of the rows' axes, as the sums of
// each matrix beside those of its rows; all of the rows' results may be reduced, too.

#include "tenon/schedule/rows.hpp"

namespace tenon::schedules {

inline constexpr family planes{
    "planes", "rows, then values over some of the rows' axes when all rows are done",
    [](iteration_space const& space, schedule& s) {
      if (!detail::place_rows(space, s, true)) return false;
      // The skeletons that store parts have no planes.
      for (store const& st : space.stores)
        if (st.offset >= 0) s.refused = refusal::several_levels;
      return s.refused == refusal::none;
    }};

}  // namespace tenon::schedules
