// SPDX-License-Identifier: Apache-2.0
#pragma once
// A choice between an element of a half type and a number that is none of that type, as in the
// border of an image for its greatest elements: of the number as the results round it.

#include "tenon/core/half.hpp"
#include "tenon/ops/cast.hpp"
#include "tenon/ops/comparison.hpp"
#include "tenon/ops/reduction.hpp"
#include "tenon/passes/rewrite.hpp"

namespace tenon::passes {
namespace detail {

// What a number is when it has been one of a half type.
constexpr double rounded_to(dtype half_type, double number) {
  auto const wide = static_cast<float>(number);
  return half_type == dtype::f16 ? static_cast<float>(half(wide))
                                 : static_cast<float>(bfloat16(wide));
}
// Whether the result of n is its operand number k, or another number instead, and goes up and down
// with it: rounding can come before it.
constexpr bool passes_on(node const& n, int k) {
  if (n.is(op_kind::movement) || n.is<ops::maximum_of>() || n.is<ops::minimum_of>()) return k == 0;
  if (n.is<ops::cast>()) return is_floating(n.type);
  return n.is<ops::maximum>() || n.is<ops::minimum>() || (n.is<ops::where>() && k > 0);
}
// Whether all that node `source` is for is results of that type, or casts to it, without arithmetic
// in between.
constexpr bool is_only_rounded(graph const& g, int source, dtype type) {
  constexpr_vector<bool> is_passed_on(g.size(), false);
  is_passed_on[source] = true;
  for (int id = source + 1; id < g.size(); ++id) {
    node const& n = g[id];
    for (int k = 0; k < n.operands.size(); ++k) {
      if (!is_passed_on[n.operands[k]]) continue;
      if (!passes_on(n, k)) return false;
      if (!n.is<ops::cast>() || n.type != type) is_passed_on[id] = true;
    }
  }
  for (graph_output const& output : g.outputs)
    if (is_passed_on[output.id] && output.type != type) return false;
  return true;
}

// The id that replaces n, which node `source` of `from` has become, or -1. Memory holds what is
// chosen then, so that it is moved as it lies there. A number that rounds to 0 stays: it is another
// one than 0 to a maximum with -0.
constexpr int rounded_choice(graph& g, node const& n, graph const& from, int source) {
  if (!n.is<ops::where>() || !is_half(n.type)) return -1;
  node rounded = n;
  for (int k = 1; k < n.operands.size(); ++k) {
    node const& one = g.operand(n, k);
    if (!one.is<ops::literal>() || !is_floating(one.type)) continue;
    double const number = literal_number(one.type, one.bits), result = rounded_to(n.type, number);
    if (number != number || result == 0 || result == number) continue;
    rounded.operands[k] = build::literal(g, one.type, result);
  }
  return rounded == n || !is_only_rounded(from, source, n.type) ? -1 : g.intern(rounded);
}

}  // namespace detail
}  // namespace tenon::passes
