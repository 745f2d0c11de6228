// SPDX-License-Identifier: Apache-2.0
#pragma once
// Transposed: pointwise, with an operand whose last axis is not the results' last axis.

#include "tenon/schedule/pointwise.hpp"

namespace tenon::detail {

// The last axis that an operand varies over: its fastest one when it lies in row-major order.
constexpr int last_axis(coordinates const& along) {
  int result = no_axis;
  for (int axis : along)
    if (axis != no_axis) result = axis;
  return result;
}

// Whether a load runs along another last axis than the first element store, over both of the axes.
constexpr bool has_transposed_load(iteration_space const& space) {
  if (space.stores.empty()) return false;
  int const last = last_axis(space.stores[0].along);
  if (last == no_axis) return false;
  for (load const& l : space.loads)
    if (l.what != reading::element) return false;
  for (load const& l : space.loads) {
    bool varies_over_last = false;
    for (int axis : l.along) varies_over_last = varies_over_last || axis == last;
    if (varies_over_last && last_axis(l.along) != last) return true;
  }
  return false;
}

}  // namespace tenon::detail

namespace tenon::schedules {

inline constexpr family transposed{
    "transposed", "every element on its own, one sweep in square tiles",
    [](iteration_space const& space, schedule& s) {
      return detail::has_transposed_load(space) && pointwise.accepts(space, s);
    }};

}  // namespace tenon::schedules
