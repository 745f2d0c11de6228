// SPDX-License-Identifier: Apache-2.0
#pragma once
// The reverse pass through a pointwise operator, by the rule of its struct.

#include <utility>

#include "tenon/capture/gradient/adjoints.hpp"

namespace tenon::detail {

template <class Op, class... Operands>
constexpr term derivative_by(int operand, term d, term result, Operands... x) {
  if constexpr (Op::arity == 1)
    return Op::derivative(d, x..., result);
  else
    return Op::derivative(d, x..., result, operand);
}

template <class Op, std::size_t... I>
constexpr void reverse_pointwise(adjoints& all, int id, std::index_sequence<I...>) {
  graph& g = all.g;
  node const n = g[id];  // a copy: the graph grows
  for (int k = 0; k < n.operands.size(); ++k)
    if (all.is_active(n.operands[k]))
      all.add(n.operands[k], derivative_by<Op>(k, {g, all.of(id)}, {g, id}, term{g, n.operands[static_cast<int>(I)]}...).id, n.dims);
}

}  // namespace tenon::detail
