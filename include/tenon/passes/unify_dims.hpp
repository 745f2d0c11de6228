// SPDX-License-Identifier: Apache-2.0
#pragma once
// Every dim becomes its representative, so that lengths known to be equal are written the same way.

#include "tenon/passes/rewrite.hpp"

namespace tenon::passes {

// @post all dims of nodes and inputs are representatives; a broadcast that changes nothing is gone
constexpr graph unify_dims(graph g) {
  auto unify = [&](dim_list& dims) {
    for (dim& d : dims) d = g.dims.representative(d);
  };
  for (graph_input& input : g.inputs) unify(input.dims);
  for (graph_output& output : g.outputs) unify(output.dims);
  return rewrite(g, [&](graph& result, node n) {
    unify(n.dims);
    if (n.is<ops::broadcast>() || n.is<ops::transpose>())
      return build::broadcast(result, n.operands[0], g.attributes_of(n), n.dims);
    return result.intern(n);
  });
}

}  // namespace tenon::passes
