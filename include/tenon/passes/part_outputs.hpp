// SPDX-License-Identifier: Apache-2.0
#pragma once
// Results of which a few elements along an axis are better stored one by one → their parts.

#include "tenon/passes/few_elements.hpp"

namespace tenon::passes {

// Results of such numbers are stored number by number, as elements of one result each would have
// its row reduced for itself; and so are operands beside each other, of which each would be read
// for all elements. So are a few neighbours of a result that lie apart in the arguments, as
// channels that become the last axis do: what is read of each lies together along another one; so
// are a few that lie together there, and apart in the result, as channels that become planes; and a
// few products of what varies along other axes, of which each would be read for all of them.
constexpr void part_outputs(graph& g) {
  for (int k = 0; k < g.outputs.size(); ++k) {
    graph_output const output = g.outputs[k];
    if (output.window != no_attribute) continue;
    bool has_parts = false;
    auto const part_along = [&](int axis, auto is_wanted, bool reads_arguments, long long most) {
      if (has_parts) return;
      constexpr_vector<int> const all =
          detail::joined_elements(g, output.id, axis, is_wanted, reads_arguments, most);
      dim_list dims(g[output.id].dims);
      dims[axis] = unit_dim;
      // One number is stored for every element, too.
      for (int j = 0; j < all.size(); ++j)
        g.parts.push_back(
            {g[all[j]].rank() == 0 ? build::broadcast(g, all[j], {}, dims) : all[j], k, axis, j});
      has_parts = !all.empty();
    };
    using elements = detail::elements_at;
    int const rank = g[output.id].rank(), last = rank - 1;
    for (int axis = 0; axis < rank; ++axis)
      part_along(
          axis,
          [](elements const& here) { return here.chooses_reductions || here.chooses_operands; },
          false, detail::most_joined_elements);
    if (last < 1) continue;
    part_along(
        last, [](elements const& here) { return here.lies_apart && !here.lies_together; }, true,
        detail::most_stored_together);
    for (int axis = 0; axis < last; ++axis)
      part_along(
          axis, [](elements const& here) { return here.lies_together && !here.lies_apart; }, true,
          detail::most_stored_together);
    bool const is_product = !has_parts && detail::is_read(g, output.id) &&
                            !detail::is_spanned(g, output.id, detail::varying_axes(g, output.id));
    for (int axis = last; is_product && axis >= 0; --axis)
      part_along(
          axis, [](elements const&) { return true; }, true, detail::most_stored_together);
  }
}

}  // namespace tenon::passes
