// SPDX-License-Identifier: Apache-2.0
#pragma once
// iteration space → schedule: the first family that accepts it, or the reason why none does.

#include "tenon/schedule/list.hpp"

namespace tenon {
namespace detail {

constexpr refusal why_not(iteration_space const& space) {
  if (!is_spanned(space)) return refusal::several_spaces;
  unsigned smallest = innermost_reduction(space);
  for (instruction const& i : space.instructions)
    if (i.op->kind == op_kind::reduction && i.reduced != smallest &&
        i.reduced != (all_axes(space) & ~smallest))
      return refusal::several_axis_groups;
  return refusal::total_is_broadcast;
}

}  // namespace detail

// @post every instruction has a place and a phase, or refused tells why there is no single kernel
constexpr schedule select(iteration_space const& space) {
  schedule none;
  none.refused = space.refused;
  if (space.refused != refusal::none) return none;
  for (family const* candidate : schedules::list) {
    schedule s;
    if (!candidate->accepts(space, s)) continue;
    s.chosen = candidate;
    return s;
  }
  none.refused = detail::why_not(space);
  return none;
}

}  // namespace tenon
