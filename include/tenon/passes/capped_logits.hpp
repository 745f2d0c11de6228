// SPDX-License-Identifier: Apache-2.0
#pragma once
// The log-sum-exp of c * tanh(y), as logits are capped → a sum: c bounds them, so that no maximum
// has to be found.

#include "tenon/ops/arithmetic.hpp"
#include "tenon/ops/capped_exp.hpp"
#include "tenon/ops/reduction.hpp"
#include "tenon/passes/rewrite.hpp"

namespace tenon::passes {
namespace detail {

// Whether node `source` is for nothing but Users.
template <class... Users> constexpr bool is_only_for(graph const& g, int source) {
  for (int id = source + 1; id < g.size(); ++id)
    for (int operand : g[id].operands)
      if (operand == source && !(false || ... || g[id].is<Users>())) return false;
  for (graph_output const& output : g.outputs)
    if (output.id == source) return false;
  return true;
}

// A literal and what it multiplies; `of` -1: there is none.
struct multiple {
  int of = -1, literal = -1;
  constexpr double number(graph const& g) const {
    return literal_number(g[literal].type, g[literal].bits);
  }
};
constexpr multiple multiple_at(graph const& g, int id) {
  node const& n = g[id];
  for (int k : {0, 1})
    if (n.is<ops::mul>() && g.operand(n, k).is<ops::literal>())
      return {n.operands[1 - k], n.operands[k]};
  return {};
}
// Whether the elements of node `source`, c tanh(y), are for such reductions alone, and for what
// reads single ones of them, which has a tangent of its own.
constexpr bool is_capped(graph const& g, int source) {
  multiple const logits = multiple_at(g, source);
  return logits.of >= 0 && g[logits.of].is<ops::tanh>() && logits.number(g) > 0 &&
         logits.number(g) <= 40 && is_only_for<ops::log_sum_exp, ops::take>(g, source) &&
         is_only_for<ops::mul>(g, logits.of);
}

// The id that replaces n, which node `source` of `from` has become, or -1. With c for the maximum
// the sum is at least exp(-2 c). The result is off by as much as an exponent at most, which is a
// few roundings of c, as a logit is off by one.
constexpr int of_capped_logits(graph& g, node const& n, graph const& from, int source) {
  bool const is_max = n.is<ops::max_part>(), is_sum = n.is<ops::sum_part>();
  if ((!is_max && !is_sum && !n.is<ops::log_sum_exp_of>()) || n.type != dtype::f32) return -1;
  node const& state = from.operand(from[source], 0);
  if (!state.is<ops::log_sum_exp>() || !is_capped(from, state.operands[0])) return -1;
  node const now = g.operand(n, 0);
  multiple const logits = multiple_at(g, now.operands[0]);
  if (logits.of < 0 || !g[logits.of].is<ops::tanh>()) return -1;
  int const y = g[logits.of].operands[0];
  multiple const scaled = multiple_at(g, y);
  bool const is_scaled = scaled.of >= 0 && scaled.number(g) > 0 && scaled.number(g) < 1e30;
  int const x = is_scaled ? scaled.of : y,
            k = is_scaled ? scaled.literal : build::literal(g, n.type, 1), c = logits.literal;
  auto const apply = [&](op_info const* op, int first, int second) {
    return build::pointwise(g, op, {{first, second}, 2});
  };
  int const terms = build::pointwise(g, op_id<ops::capped_exp>, {{x, k, c}, 3}),
            sum = build::reduce(g, op_id<ops::sum>, terms, now.axes);
  if (is_sum) return sum;
  if (is_max) return apply(op_id<ops::add>, c, apply(op_id<ops::sub>, sum, sum));  // NaN stays NaN
  return apply(op_id<ops::add>, c, build::pointwise(g, op_id<ops::log>, {{sum}, 1}));
}

}  // namespace detail
}  // namespace tenon::passes
