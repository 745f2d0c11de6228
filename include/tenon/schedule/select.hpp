// SPDX-License-Identifier: Apache-2.0
#pragma once
// iteration space → schedule: the first family that accepts it, or the reason why none does.

#include "tenon/schedule/list.hpp"

namespace tenon {

// @post every instruction has a place and a phase, or refused tells why there is no single kernel
constexpr schedule select(iteration_space const& space) {
  schedule none;
  none.refused = space.refused;
  if (space.refused != refusal::none) return none;
  for (family const* candidate : schedules::list) {
    schedule s;
    if (candidate->accepts(space, s)) {
      s.chosen = candidate;
      return s;
    }
    // The later families are the more general ones: their reason is what is really in the way.
    if (s.refused != refusal::none) none.refused = s.refused;
  }
  return none;
}

}  // namespace tenon
