// SPDX-License-Identifier: Apache-2.0
#pragma once
// Constant folding: an operator on literals becomes a literal, computed in the operator's own
// arithmetic type.

#include "tenon/passes/rewrite.hpp"

namespace tenon::passes {

// @post no foldable operator of floating dtype has only literal operands
constexpr graph fold(graph const& g) {
  return rewrite(g, [](graph& result, node const& n) {
    if (!n.is(op_kind::pointwise) || !n.op->fold || !is_floating(n.type)) return result.intern(n);
    double numbers[max_operands] = {};
    for (int k = 0; k < n.operands.size(); ++k) {
      node const& operand = result.operand(n, k);
      if (!operand.is<ops::literal>()) return result.intern(n);
      numbers[k] = literal_number(operand.type, operand.bits);
    }
    // The last operand has the dtype that the operator computes in; a condition comes before it.
    double folded = n.op->fold(result.operand(n, n.operands.size() - 1).type, numbers);
    return is_folded(folded) ? build::literal(result, n.type, folded) : result.intern(n);
  });
}

}  // namespace tenon::passes
