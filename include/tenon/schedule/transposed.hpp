// SPDX-License-Identifier: Apache-2.0
#pragma once
// Transposed: pointwise or with values of everything, with an operand or a result whose last axis
// is not the first result's last axis.

#include "tenon/schedule/full.hpp"
#include "tenon/schedule/pointwise.hpp"

namespace tenon::detail {

// The last axis that an operand varies over: its fastest one when it lies in row-major order.
constexpr int last_axis(coordinates const& along) {
  int result = no_axis;
  for (int axis : along)
    if (axis != no_axis) result = axis;
  return result;
}

// Whether an operand varies over `last`, and has another last axis.
constexpr bool is_across(coordinates const& along, int last) {
  bool varies_over_last = false;
  for (int axis : along) varies_over_last = varies_over_last || axis == last;
  return varies_over_last && last_axis(along) != last;
}

// Whether a load or a store runs along another last axis than the first element store, over both of
// the axes.
constexpr bool has_transposed_operand(iteration_space const& space) {
  int last = no_axis;
  for (store const& st : space.stores)
    if (last == no_axis) last = last_axis(st.along);
  if (last == no_axis) return false;
  bool result = false;
  for (load const& l : space.loads) {
    if (l.what != reading::element) return false;
    result = result || is_across(l.along, last);
  }
  for (store const& st : space.stores) {
    if (st.offset >= 0) return false;
    result = result || is_across(st.along, last);
  }
  return result;
}

}  // namespace tenon::detail

namespace tenon::schedules {

inline constexpr family transposed{"transposed",
                                   "every element on its own, one sweep in square tiles",
                                   [](iteration_space const& space, schedule& s) {
                                     return detail::has_transposed_operand(space) &&
                                            (pointwise.accepts(space, s) || full.accepts(space, s));
                                   }};

}  // namespace tenon::schedules
