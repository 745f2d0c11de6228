// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shapes of a call → an error where a result is the maximum or minimum of no elements.

#include "tenon/core/config.hpp"
#include "tenon/runtime/dim_values.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

// Only what some element of an output needs is asked for: softmax over an axis of extent 0 has no element, and hence no
// maximum that is missing.
[[gnu::cold]] inline void refuse_empty_reductions(graph const& g, dim_values const& lengths, expression_name const& name) {
  auto const is_empty = [&](node const& n) { return element_count(lengths(n.dims)) == 0; };
  constexpr_vector<char> is_needed(g.size(), false);
  for (graph_output const& output : g.outputs) is_needed[output.id] = true;
  // Users come after their operands.
  for (int id = g.size(); id-- > 0;) {
    node const& n = g[id];
    if (!is_needed[id] || is_empty(n)) continue;
    for (int operand : n.operands) is_needed[operand] = true;
    if (n.is(op_kind::reduction) && !n.op->is_defined_on_empty && is_empty(g.operand(n, 0))) {
      text shape = to_string(lengths(g.operand(n, 0).dims)), problem = "the operand is empty along the reduced axes, shape ";
      problem << shape;
      raise({.operation = n.op->name,
             .problem = std::move(problem),
             .remedy = "reduce at least one element; a sum, product, any or all of nothing is defined",
             .shapes = std::move(shape)},
            name);
    }
  }
}

}  // namespace tenon::detail
TENON_ONCE_END
