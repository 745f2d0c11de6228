// SPDX-License-Identifier: Apache-2.0
#pragma once
// Full: every reduction reduces the whole space at once; the blocks' parts are combined by the last
// block.

#include "tenon/schedule/rows.hpp"

namespace tenon::schedules {

inline constexpr family full{
    "full", "one sweep over the whole space, partial results combined by the last block",
    [](iteration_space const& space, schedule& s) {
      s.columns = detail::all_axes(space);
      s.rows = 0;
      for (instruction const& i : space.instructions)
        if (i.op->kind == op_kind::reduction && i.reduced != s.columns) return false;
      if (!detail::is_spanned(space) || !detail::place_values(space, s) || s.row_phases > 1)
        return false;
      // An element that depends on the result would need a second sweep after all blocks are done.
      for (int k = 0; k < space.stores.size(); ++k)
        if (s.store_places[k] == place::element && s.phases[space.stores[k].value] > 0)
          return false;
      return true;
    }};

}  // namespace tenon::schedules
