// SPDX-License-Identifier: Apache-2.0
#pragma once
// A reduction of a reduction by the same monoid becomes one reduction over both axis sets:
// sum(sum(x, 1)) = sum(x).

#include "tenon/passes/rewrite.hpp"

namespace tenon::passes {
namespace detail {

// Axes of the inner reduction's operand that the outer reduction, counting only kept axes, names.
constexpr unsigned axes_before(unsigned inner, unsigned outer, int rank) {
  unsigned result = 0;
  for (int axis = 0, kept = 0; axis < rank; ++axis)
    if (!(inner >> axis & 1u)) result |= (outer >> kept++ & 1u) << axis;
  return result;
}

}  // namespace detail

// @post no reduction without a state has the same reduction, in the same dtype, as its operand
constexpr graph merge_reductions(graph const& g) {
  return rewrite(g, [](graph& result, node n) {
    while (n.is(op_kind::reduction) && n.op->merges_with_itself &&
           result.operand(n, 0).op == n.op && result.operand(n, 0).type == n.type) {
      node const& inner = result.operand(n, 0);
      n.axes =
          inner.axes | detail::axes_before(inner.axes, n.axes, result.operand(inner, 0).rank());
      n.operands = inner.operands;
    }
    return result.intern(n);
  });
}

}  // namespace tenon::passes
