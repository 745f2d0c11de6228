// SPDX-License-Identifier: Apache-2.0
#pragma once
// Mixed: reductions over the columns and over the rows of the same elements, in one sweep.

#include "tenon/schedule/rows.hpp"
#include "tenon/schedule/transposed.hpp"

namespace tenon::detail {

// The last axis of the operand that varies over most axes; no_axis without operands.
constexpr int fastest_axis(iteration_space const& space) {
  int most = 0, result = no_axis;
  for (load const& l : space.loads) {
    unsigned along = 0;
    int varying = 0;
    for (int axis : l.along) {
      varying += axis != no_axis && !(along >> axis & 1u);
      if (axis != no_axis) along |= 1u << axis;
    }
    if (varying > most) most = varying, result = last_axis(l.along);
  }
  return result;
}

}  // namespace tenon::detail

namespace tenon::schedules {

// Columns are the axes along which memory is read, so that a row is finished before the next one.
inline constexpr family mixed{
    "mixed", "rows, and one value per column over all rows, combined between blocks",
    [](iteration_space const& space, schedule& s) {
      int const fastest = detail::fastest_axis(space);
      if (!detail::is_spanned(space) || fastest == no_axis) return false;
      bool has_indexed = false;
      for (load const& l : space.loads)
        has_indexed = has_indexed || l.what == reading::address || l.what == reading::gathered;
      for (instruction const& i : space.instructions) {
        if (i.op->kind != op_kind::reduction) continue;
        s.columns = i.reduced >> fastest & 1u ? i.reduced : detail::all_axes(space) & ~i.reduced;
        s.rows = detail::all_axes(space) & ~s.columns;
        bool const fits =
            s.rows && detail::place_values(space, s) && s.has_column_values && !s.has_planes;
        if (fits && !has_indexed) return true;
        if (!fits) continue;
        s.refused = refusal::positions_beside_columns;  // its skeletons have no addresses
        return false;
      }
      s.refused = refusal::none;  // the families with rows have said why
      return false;
    }};

}  // namespace tenon::schedules
