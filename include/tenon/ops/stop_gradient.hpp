// SPDX-License-Identifier: Apache-2.0
#pragma once
// The operand itself, as a constant for derivatives. The passes remove it.

#include "tenon/ops/op.hpp"

namespace tenon::ops {

struct stop_gradient : pointwise_op<1> {
  static constexpr text_view name = "stop_gradient";
  static constexpr int cost = 0;
  static constexpr bool is_locally_constant = true;
  template <class T> static constexpr TENON_HD T eval(T x) { return x; }
};

}  // namespace tenon::ops
