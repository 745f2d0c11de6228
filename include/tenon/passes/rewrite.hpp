// SPDX-License-Identifier: Apache-2.0
#pragma once
// The frame of most passes: rebuild a graph node by node, so that each node sees its operands
// already rewritten.

#include "tenon/ir/build.hpp"

namespace tenon::passes {

// replace(result, node with operands in result) -> id in result; also with the id in g behind them,
// for who looks at what a node is for.
template <class Replace> constexpr graph rewrite(graph const& g, Replace const& replace) {
  graph result = g.without_nodes();
  constexpr_vector<int> moved;
  for (node n : g.nodes) {
    for (int& operand : n.operands) operand = moved[operand];
    if constexpr (requires { replace(result, n, 0); })
      moved.push_back(replace(result, n, moved.size()));
    else
      moved.push_back(replace(result, n));
  }
  for (graph_output output : g.outputs) {
    output.id = moved[output.id];
    result.outputs.push_back(output);
  }
  return result;
}

}  // namespace tenon::passes
