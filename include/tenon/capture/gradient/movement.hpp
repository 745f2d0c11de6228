// SPDX-License-Identifier: Apache-2.0
#pragma once
// The reverse pass through views: each sends the derivative back to where its elements came from.

#include "tenon/capture/gradient/adjoints.hpp"

namespace tenon::detail {

// The sum over the axes along which the operand was repeated, in the operand's order of axes.
constexpr void reverse_broadcast(adjoints& all, int id) {
  graph& g = all.g;
  node const n = g[id];
  dim_list const operand = g.operand(n, 0).dims;
  attribute const map = g.attributes_of(n);
  unsigned summed = (1u << n.rank()) - 1;
  for (int k = 0; k < map.size(); ++k)
    if (g.dims.representative(operand[k]) == g.dims.representative(n.dims[static_cast<int>(map[k])]))
      summed &= ~(1u << map[k]);
  int d = sum_along(g, all.of(id), n.dims, summed);
  if (g[d].rank() == 0) return all.add(n.operands[0], d);
  attribute kept;
  for (int axis = 0; axis < n.rank(); ++axis)
    for (int k = 0; k < map.size(); ++k)
      if (map[k] == axis && !(summed >> axis & 1u)) kept.push_back(k);
  all.add(n.operands[0], build::broadcast(g, d, kept, operand));
}

constexpr void reverse_reshape(adjoints& all, int id) {
  graph& g = all.g;
  node const n = g[id];
  int d = all.of(id);
  if (g[d].rank() != 0 || n.rank() == 0) d = build::reshape(g, d, dim_list(g.operand(n, 0).dims));
  all.add(n.operands[0], d);
}

}  // namespace tenon::detail
