// SPDX-License-Identifier: Apache-2.0
#pragma once
// Every dim becomes its representative, so that lengths known to be equal are written the same way.

#include "tenon/passes/rewrite.hpp"

namespace tenon::passes {
namespace detail {

// The dims whose lengths a size node multiplies.
constexpr dim_list counted(graph const& g, node const& n) {
  dim_list result;
  for (long long d : g.attributes_of(n)) result.push_back(static_cast<dim>(d));
  return result;
}

}  // namespace detail

// @post all dims of nodes and inputs are representatives; a broadcast that changes nothing is gone
constexpr graph unify_dims(graph g) {
  // A call whose checks fail computes nothing, so they are facts.
  for (dim_check const& c : g.checks) g.dims.unite(c.a, c.b);
  g.dims.close();
  auto unify = [&](dim_list& dims) {
    for (dim& d : dims) d = g.dims.representative(d);
  };
  for (graph_input& input : g.inputs) unify(input.dims);
  for (graph_output& output : g.outputs) unify(output.dims);
  return rewrite(g, [&](graph& result, node n) {
    unify(n.dims);
    if (n.is<ops::broadcast>() || n.is<ops::transpose>())
      return build::broadcast(result, n.operands[0], attribute(g.attributes_of(n)), n.dims);
    if (n.is<ops::slice>())
      return build::slice(result, n.operands[0], attribute(g.attributes_of(n)));
    if (n.is<ops::reshape>()) return build::reshape(result, n.operands[0], n.dims);
    if (n.is<ops::size>()) return build::size(result, detail::counted(g, n), n.type);
    return result.intern(n);
  });
}

}  // namespace tenon::passes
