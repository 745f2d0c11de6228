// SPDX-License-Identifier: Apache-2.0
#pragma once
// Pointwise: no reduction; every element of the space is computed on its own.

#include "tenon/schedule/schedule.hpp"

namespace tenon::schedules {

inline constexpr family pointwise{"pointwise", "every element on its own, one sweep",
                                  [](iteration_space const& space, schedule& s) {
                                    if (detail::has_reductions(space)) return false;
                                    s.columns = detail::all_axes(space);
                                    s.rows = 0;
                                    return detail::place_values(space, s);
                                  }};

}  // namespace tenon::schedules
