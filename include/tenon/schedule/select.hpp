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
  bool has_scan = false, has_sort = false;
  bool const has_updates = detail::has_updates(space);
  for (instruction const& i : space.instructions) {
    has_scan = has_scan || i.op->kind == op_kind::scan;
    has_sort = has_sort || i.op->is_sort;
  }
  family const* const in_order = has_sort ? &schedules::sort : has_scan ? &schedules::scan : nullptr;
  for (family const* candidate : schedules::list) {
    // A scan needs its axis in order and a sort all of it, which no other family keeps.
    bool const keeps_order = candidate == &schedules::scan || candidate == &schedules::sort;
    if (!has_updates && (in_order ? candidate != in_order : keeps_order)) continue;
    // Every other family would compare each update with each position.
    if (has_updates != (candidate == &schedules::scatter)) continue;
    schedule s;
    if (candidate->accepts(space, s)) {
      s.chosen = candidate;
      return s;
    }
    // The later families are the more general ones: their reason is what is really in the way,
    // unless positions alone are.
    if (s.refused != refusal::none && none.refused != refusal::positions_beside_columns)
      none.refused = s.refused;
  }
  return none;
}

}  // namespace tenon
