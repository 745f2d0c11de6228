// SPDX-License-Identifier: Apache-2.0
#pragma once
// Constant folding: an operator on literals becomes a literal, computed in the operator's own arithmetic type.

#include "tenon/passes/rewrite.hpp"

namespace tenon::passes {

// @post no foldable operator of floating dtype has only literal operands
constexpr graph fold(graph const& g) {
  return rewrite(g, [](graph& result, node const& n) {
    double numbers[max_operands] = {};
    bool is_constant = n.is(op_kind::pointwise) && n.op->fold && is_floating(n.type);
    for (int k = 0; k < n.operands.size(); ++k) {
      node const& operand = result.operand(n, k);
      is_constant = is_constant && operand.is<ops::literal>();
      if (is_constant) numbers[k] = literal_number(operand.type, operand.bits);
    }
    if (!is_constant) return result.intern(n);
    return build::literal(result, n.type, n.op->fold(build::arithmetic_dtype(n.type), numbers));
  });
}

}  // namespace tenon::passes
