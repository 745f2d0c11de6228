// SPDX-License-Identifier: Apache-2.0
#pragma once
// Levels: rows, and values over the rows of a plane that these rows or their elements use again, as
// the mean over the channels of each image in a global response normalisation: the phases of the
// grid family, by each plane for itself.

#include "tenon/schedule/grid.hpp"

namespace tenon::schedules {

inline constexpr family levels{"levels",
                               "rows and values over the rows of each plane in turn, the blocks of "
                               "a plane meet between phases",
                               [](iteration_space const& space, schedule& s) {
                                 s.totals_are_of_planes = true;
                                 if (detail::place_rows(space, s, true) && s.sends_total_back)
                                   return true;
                                 s.refused = refusal::none;  // the families without have said why
                                 return false;
                               }};

}  // namespace tenon::schedules
