// SPDX-License-Identifier: Apache-2.0
#pragma once
// Results that are parts of something → the whole, of which the part is stored.
//
// Not one of the pipeline: a part is cheaper to compute than a whole. It is for expressions that
// have no single kernel otherwise, as a softmax of which some columns are left out, or the two
// parts of a split.

#include "tenon/ir/build.hpp"

namespace tenon::passes {
namespace detail {

// The one operand of a pointwise node that has axes; -1: there are several, or none.
constexpr int only_tensor(graph const& g, node const& n) {
  int found = -1;
  for (int operand : n.operands) {
    if (g[operand].rank() == 0 || operand == found) continue;
    if (found >= 0) return -1;
    found = operand;
  }
  return found;
}

// What the node is computed from element by element, be it with its axes in another order; -1:
// nothing.
constexpr int next_under(graph const& g, int id) {
  if (g[id].is(op_kind::pointwise)) return only_tensor(g, g[id]);
  return g[id].is<ops::transpose>() ? g[id].operands[0] : -1;
}

// The slice that the node is, or is computed from element by element; -1: there is none.
constexpr int part_under(graph const& g, int id) {
  while (id >= 0 && !g[id].is<ops::slice>()) id = next_under(g, id);
  return id;
}

// Node `id` computed from what the slice `part` is a part of; `bounds` are the slice's, and go to
// where its axes go.
constexpr int of_whole(graph& g, int id, int part, attribute& bounds) {
  constexpr_vector<int> chain;
  for (; id != part; id = next_under(g, id)) chain.push_back(id);
  int result = g[part].operands[0];
  for (int k = chain.size() - 1; k >= 0; --k) {
    node n = g[chain[k]];
    if (n.is<ops::transpose>()) {
      attribute const map = g.attributes_of(n), before = bounds;
      dim_list dims = n.dims;
      for (int axis = 0; axis < map.size(); ++axis) {
        int const to = static_cast<int>(map[axis]);
        dims[to] = g[result].dims[axis];
        for (int j = 0; j < 3; ++j) bounds[3 * to + j] = before[3 * axis + j];
      }
      result = build::broadcast(g, result, map, dims);
      continue;
    }
    int const inner = only_tensor(g, n);
    for (int& operand : n.operands)
      if (operand == inner) operand = result;
    n.dims = g[result].dims;
    result = g.intern(n);
  }
  return result;
}

}  // namespace detail

constexpr bool has_parts(graph const& g) {
  for (graph_output const& output : g.outputs)
    if (detail::part_under(g, output.id) >= 0) return true;
  return false;
}

// @post no output is a part, or is computed from one element by element
constexpr graph windows(graph g) {
  for (graph_output& output : g.outputs) {
    int const part = detail::part_under(g, output.id);
    if (part < 0) continue;
    attribute bounds = g.attributes_of(g[part]);
    output.id = detail::of_whole(g, output.id, part, bounds);
    output.window = g.intern(bounds);
  }
  return g;
}

}  // namespace tenon::passes
