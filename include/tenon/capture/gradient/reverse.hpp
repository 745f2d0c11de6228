// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reverse mode: the derivatives of results, weighted by cotangents, by nodes of the same graph, as further nodes of it.

#include "tenon/capture/gradient/rules.hpp"
#include "tenon/core/array_view.hpp"

namespace tenon::detail {

// Called while compiling only, and therefore an error: a rule is missing that tracing by type found no need of.
inline void an_operator_was_met_that_depends_on_the_value_of_a_number() {}

constexpr reverse_function find_rule(array_view<reverse_rule const> rules, op_info const* op) {
  for (reverse_rule const& rule : movement_rules)
    if (rule.op == op) return rule.apply;
  for (reverse_rule const& rule : rules)
    if (rule.op == op) return rule.apply;
  an_operator_was_met_that_depends_on_the_value_of_a_number();
  return nullptr;
}

// @pre a cotangent has its result's shape, or rank 0; `rules` has those of operators_between
// @post the gradient by each node has its shape and, but for the width of half types, its dtype
constexpr constexpr_vector<int> reverse(graph& g, constexpr_vector<int> const& results,
                                        constexpr_vector<int> const& cotangents,
                                        constexpr_vector<int> const& by, array_view<reverse_rule const> rules) {
  adjoints all(g, g.size(), by);
  int const end = g.size();
  for (int k = 0; k < results.size(); ++k) all.add(results[k], cotangents[k]);
  for (int id = end - 1; id >= 0; --id)
    if (all.is_waiting(id)) find_rule(rules, g[id].op)(all, id);
  constexpr_vector<int> gradients;
  for (int id : by) {
    int const d = all.of(id) < 0 ? build::literal(g, g[id].type, 0) : all.of(id);
    gradients.push_back(expanded(g, d, dim_list(g[id].dims)));
  }
  return gradients;
}

}  // namespace tenon::detail
