// SPDX-License-Identifier: Apache-2.0
#pragma once
// Keeps what the outputs need, in the same order. Arguments that nothing reads are dropped like any
// other node.

#include "tenon/ir/graph.hpp"

namespace tenon::passes {

// @post every node is an output or an operand of a later node
constexpr graph dead_nodes(graph const& g) {
  constexpr_vector<char> needed(g.size(), 0);
  for (graph_output const& output : g.outputs) needed[output.id] = 1;
  for (int id = g.size() - 1; id >= 0; --id)
    if (needed[id])
      for (int operand : g[id].operands) needed[operand] = 1;

  graph result = g.without_nodes();
  constexpr_vector<int> moved;
  for (int id = 0; id < g.size(); ++id) {
    node n = g[id];
    if (!needed[id]) {
      moved.push_back(-1);
      continue;
    }
    for (int& operand : n.operands) operand = moved[operand];
    moved.push_back(result.intern(n));
  }
  for (graph_output output : g.outputs) {
    output.id = moved[output.id];
    result.outputs.push_back(output);
  }
  return result;
}

}  // namespace tenon::passes
