// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows: every reduction reduces the same axes (the columns); each row is finished by the threads
// that hold it.

#include "tenon/schedule/schedule.hpp"

namespace tenon::detail {

constexpr bool reads_memory(instruction const& i) {
  return i.op == op_id<ops::load> || i.op == op_id<ops::fetch>;
}

// Whether some argument is read along every axis along which any is, and only positions vary along
// the others. Otherwise the space is larger than what is read, and sweeping it would repeat
// reductions: that is the work of a contraction.
constexpr bool is_spanned(iteration_space const& space) {
  unsigned read = 0, counted = 0;
  for (instruction const& i : space.instructions) {
    if (reads_memory(i)) read |= i.axes;
    if (i.op == op_id<ops::index>) counted |= i.axes;
  }
  if ((read | counted) != all_axes(space)) return false;
  for (instruction const& i : space.instructions)
    if (reads_memory(i) && i.axes == read) return true;
  return read == 0;
}

// Nothing is reduced, but an output lacks axes that another one has: those are the columns, and it has a value for each row.
constexpr bool place_values_of_rows(iteration_space const& space, schedule& s) {
  s.rows = all_axes(space);
  for (store const& st : space.stores) s.rows &= axes_of(st);
  s.columns = all_axes(space) & ~s.rows;
  return s.rows != 0 && s.columns != 0 && place_values(space, s);
}

// Takes the axes of a reduction as columns, those of the earliest one that everything fits. Without
// one that fits, s.refused is the reason of the choice that came closest.
constexpr bool place_rows(iteration_space const& space, schedule& s, bool with_planes = false) {
  if (!has_reductions(space)) return place_values_of_rows(space, s);
  s.refused = refusal::several_spaces;
  if (!is_spanned(space)) return false;
  s.refused = refusal::none;
  refusal closest = refusal::none;
  for (instruction const& i : space.instructions) {
    if (i.op->kind != op_kind::reduction) continue;
    s.columns = i.reduced;
    s.rows = all_axes(space) & ~s.columns;
    if (place_values(space, s) && !s.has_column_values && s.has_planes == with_planes) return true;
    if (s.refused == refusal::none)
      s.refused = s.has_planes ? refusal::several_levels : refusal::several_axis_groups;
    bool const is_closer =
        s.refused != refusal::several_axis_groups && closest != refusal::several_levels;
    if (closest == refusal::none || is_closer) closest = s.refused;
  }
  s.refused = closest;
  return false;
}

}  // namespace tenon::detail

namespace tenon::schedules {

inline constexpr family rows{"rows",
                             "one group of threads per row, as many phases as dependent reductions",
                             [](iteration_space const& space, schedule& s) {
                               return detail::place_rows(space, s) && !s.has_total;
                             }};

}  // namespace tenon::schedules
