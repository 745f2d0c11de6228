// SPDX-License-Identifier: Apache-2.0
#pragma once
// Nodes in an order that follows from the expression alone: arguments first, then each output's
// operands from left to right.
//
// C++ leaves open which operand of `f(x) - g(y)` is evaluated first; g++ 12 decides differently in
// constant evaluation and at run time. The graph that the kernels are made from and the one that
// the run time describes must number alike.

#include "tenon/ir/graph.hpp"
#include "tenon/ops/source.hpp"

namespace tenon::passes {
namespace detail {

// Adds what `id` needs, then `id` itself; `moved` has the new ids of what is done.
constexpr void append_with_operands(graph& result, graph const& g, int id,
                                    constexpr_vector<int>& moved) {
  constexpr_vector<int> open;
  open.push_back(id);
  while (!open.empty()) {
    int at = open.back(), missing = -1;
    for (int operand : g[at].operands)
      if (missing < 0 && moved[operand] < 0) missing = operand;
    if (missing >= 0) {
      open.push_back(missing);
      continue;
    }
    node n = g[at];
    for (int& operand : n.operands) operand = moved[operand];
    moved[at] = result.intern(n);
    open.pop_back();
  }
}

}  // namespace detail

// @pre dims are unified
// @post nodes, operands and attributes do not depend on the order in which g's nodes were made;
// nodes that nothing needs are gone, except arguments
constexpr graph canonical_order(graph const& g) {
  graph result = g.without_nodes();
  constexpr_vector<int> moved(g.size(), -1);
  for (int position = 0; position < g.inputs.size(); ++position)
    for (int id = 0; id < g.size(); ++id)
      if ((g[id].is<ops::input>() || g[id].is<ops::scalar>()) && g[id].bits == position)
        moved[id] = result.intern(g[id]);
  for (graph_output output : g.outputs) {
    if (moved[output.id] < 0) detail::append_with_operands(result, g, output.id, moved);
    output.id = moved[output.id];
    result.outputs.push_back(output);
  }
  return result;
}

}  // namespace tenon::passes
