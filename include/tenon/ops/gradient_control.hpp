// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators that only derivatives notice. The passes remove them.

#include "tenon/ops/derivative.hpp"

namespace tenon::ops {

// The operand, as a constant for derivatives.
struct stop_gradient : pointwise_op<1> {
  static constexpr text_view name = "stop_gradient";
  static constexpr int cost = 0;
  static constexpr bool is_locally_constant = true;
  template <class T> static constexpr TENON_HD T eval(T x) { return x; }
};

// The first operand, with the derivative of the second.
struct with_gradient_of : pointwise_op<2> {
  static constexpr text_view name = "with_gradient_of";
  static constexpr int cost = 0;
  template <class T> static constexpr TENON_HD T eval(T x, T) { return x; }
  template <class V> static constexpr V derivative(V d, V, V, V, int k) { return k == 0 ? number(d, 0.0) : d; }
};

}  // namespace tenon::ops
