// SPDX-License-Identifier: Apache-2.0
#pragma once
// What must hold of every graph, after every pass.

#include "tenon/ir/build.hpp"

namespace tenon {

// Returns null when the graph is well formed, otherwise what is wrong with it.
// @post nodes are in dependence order and distinct; arity, shapes and dtypes agree with the operator
constexpr char const* verify(graph const& g) {
  for (int id = 0; id < g.size(); ++id) {
    node const& n = g[id];
    if (!n.op) return "a node has no operator";
    if (n.operands.size() != n.op->arity) return "the number of operands differs from the operator's arity";
    for (int operand : n.operands)
      if (operand < 0 || operand >= id) return "an operand does not come before its user";
    for (dim d : n.dims)
      if (d < 0 || d >= g.dims.size()) return "a dim is not in the table";
    if (n.is(op_kind::pointwise))
      for (int k = 0; k < n.operands.size(); ++k)
        if (g.operand(n, k).rank() != 0 && g.operand(n, k).rank() != n.rank())
          return "a pointwise operand has neither the result's rank nor rank 0";
    if (n.is(op_kind::reduction)) {
      int kept = 0;
      for (int k = 0; k < g.operand(n, 0).rank(); ++k) kept += !(n.axes >> k & 1u);
      if (kept != n.rank()) return "a reduction's rank is not the number of axes it keeps";
    }
    if (n.is(op_kind::projection) && !g.operand(n, 0).is(op_kind::reduction)) return "a projection does not read a reduction";
    if (n.is<ops::broadcast>() || n.is<ops::transpose>())
      if (g.attributes_of(n).size() != g.operand(n, 0).rank()) return "a map does not cover the operand's axes";
    if (n.is<ops::slice>() && g.attributes_of(n).size() != 3 * n.rank()) return "a slice does not cover every axis";
  }
  if (g.outputs.empty()) return "there is no output";
  for (graph_output const& output : g.outputs)
    if (output.id < 0 || output.id >= g.size()) return "an output is not a node";
  return nullptr;
}

}  // namespace tenon
