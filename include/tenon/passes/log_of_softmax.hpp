// SPDX-License-Identifier: Apache-2.0
#pragma once
// The logarithm of exp(d) / sum(exp(d)), d = x - max(x): d less that of the sum, instead of what
// exponential and logarithm of every element undo.

#include "tenon/ops/arithmetic.hpp"
#include "tenon/ops/comparison.hpp"
#include "tenon/ops/elementary.hpp"
#include "tenon/ops/reduction.hpp"
#include "tenon/passes/rewrite.hpp"

namespace tenon::passes {
namespace detail {

// Whether node `id`, of the shape of x, is the reduction Op of x, or Function of it
// (`has_function`), and every element has that of its own row. `axes`: over which, 0 if any will
// do.
template <class Op, class Function = ops::reciprocal>
constexpr bool is_of_own_row(graph const& g, int id, int x, unsigned& axes, bool has_function) {
  // Which axis of x an axis of the node is.
  static_vector<int, max_rank> of;
  for (int k = 0; k < g[id].rank(); ++k) of.push_back(k);
  for (; !g[id].is<Op>(); id = g[id].operands[0]) {
    node const& n = g[id];
    if (n.is<Function>() && has_function) {
      has_function = false;
    } else if (n.is<ops::broadcast>()) {
      static_vector<int, max_rank> of_operand;
      for (long long axis : g.attributes[n.attributes])
        of_operand.push_back(of[static_cast<int>(axis)]);
      of = of_operand;
    } else {
      return false;
    }
  }
  node const& n = g[id];
  if (has_function || n.operands[0] != x || (axes != 0 && n.axes != axes)) return false;
  axes = n.axes;
  int kept = 0;
  for (int k = 0; k < g[x].rank(); ++k)
    if (!(n.axes >> k & 1u) && of[kept++] != k) return false;
  return true;
}

// Whether e is exp(x - max(x)), and `sum` of its shape the sum of e of the same rows, or one over
// it.
constexpr bool are_softmax(graph const& g, int e, int sum, bool is_inverse) {
  if (!g[e].is<ops::exp>()) return false;
  node const& d = g.operand(g[e], 0);
  if (!d.is<ops::sub>()) return false;
  unsigned axes = 0;
  int const x = d.operands[0];
  return g[x].dims == d.dims && is_of_own_row<ops::maximum_of>(g, d.operands[1], x, axes, false) &&
         is_of_own_row<ops::sum>(g, sum, e, axes, is_inverse);
}

// Whether node `user` is not the only one that operand 0 of it is for.
constexpr bool is_shared(graph const& g, int user) {
  int const id = g[user].operands[0];
  for (graph_output const& output : g.outputs)
    if (output.id == id) return true;
  for (int k = id + 1; k < static_cast<int>(g.nodes.size()); ++k)
    for (int operand : g[k].operands)
      if (operand == id && k != user) return true;
  return false;
}

// The id that replaces n, which node `source` of `from` has become, or -1. A share that has become
// 0 keeps its -inf; NaN is NaN in both: of such a row the sum is. No share is inf: the sum is at
// least 1. Of f32 a share that is for nothing else stays: that it is not 0 would be all that its
// exponential is computed again for (H200, log(softmax) of 8192 x 4096 81 us instead of 74; bf16 34
// instead of 47).
constexpr int log_of_softmax(graph& g, node const& n, graph const& from, int source) {
  if (!n.is<ops::log>() || (!is_narrow(n.type) && !is_shared(from, source))) return -1;
  int const share = n.operands[0];
  node const p = g[share];
  bool const is_product = p.is<ops::mul>();
  if (!is_product && !p.is<ops::div>()) return -1;
  int e = p.operands[0], sum = p.operands[1];
  if (is_product && !g[e].is<ops::exp>()) e = p.operands[1], sum = p.operands[0];
  if (g[e].dims != p.dims || !are_softmax(g, e, sum, is_product)) return -1;
  auto const apply = [&](op_info const* op, int first, int second) {
    return build::pointwise(g, op, {{first, second}, 2});
  };
  int const d = g[e].operands[0], of_sum = build::pointwise(g, op_id<ops::log>, {{sum}, 1}),
            result = apply(is_product ? op_id<ops::add> : op_id<ops::sub>, d, of_sum),
            is_none = apply(op_id<ops::equal>, share, build::literal(g, p.type, 0)),
            none = build::literal(g, p.type, -math::infinity<double>);
  return build::pointwise(g, op_id<ops::where>, {{is_none, none, result}, 3});
}

}  // namespace detail
}  // namespace tenon::passes
