// SPDX-License-Identifier: Apache-2.0
#pragma once
// All pointwise operators, and the one way to evaluate any of them for a node of a given dtype.

#include "tenon/ops/activation.hpp"
#include "tenon/ops/arithmetic.hpp"
#include "tenon/ops/bitwise.hpp"
#include "tenon/ops/cast.hpp"
#include "tenon/ops/classification.hpp"
#include "tenon/ops/comparison.hpp"
#include "tenon/ops/elementary.hpp"
#include "tenon/ops/gelu.hpp"
#include "tenon/ops/piecewise.hpp"
#include "tenon/ops/rounding.hpp"
#include "tenon/ops/smooth_activation.hpp"
#include "tenon/ops/trigonometric.hpp"

namespace tenon {

// The node's element from its operands' elements. D, the node's dtype, matters to cast and to the
// operators with a cheaper form whose error disappears in the rounding to a half type.
template <class Op, dtype D, class... Operands>
constexpr TENON_HD auto eval_in(Operands... operands) {
  if constexpr (requires { Op::template eval_as<D>(operands...); })
    return Op::template eval_as<D>(operands...);
  else if constexpr (D == dtype::bf16 && requires { Op::eval_bf16(operands...); })
    return Op::eval_bf16(operands...);
  else if constexpr (is_narrow_v<D> && requires { Op::eval_narrow(operands...); })
    return Op::eval_narrow(operands...);
  else
    return Op::eval(operands...);
}

}  // namespace tenon
