// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators on single elements.

#include "conformance/standard/support.hpp"

namespace standard {

// Integers truncate towards zero.
template <class X, class Y> constexpr auto div(X x, Y y) {
  if constexpr (is_floating<X>)
    return x / y;
  else
    return tn::floor_divide(x - tn::fmod(x, y), y);
}
template <class X, class Low, class High> constexpr auto clip(X x, Low low, High high) {
  return like(x, tn::minimum(tn::maximum(x, low), high));
}
template <class X> constexpr auto selu(X x, double alpha, double gamma) {
  return gamma * tn::where(x > 0, x, alpha * tn::expm1(tn::minimum(x, 0)));
}
template <class X> constexpr auto hard_sigmoid(X x, double alpha, double beta) {
  return tn::clamp(alpha * x + beta, 0, 1);
}
template <class X> constexpr auto shrink(X x, double lambda, double bias) {
  return like(x, tn::where(x < -lambda, x + bias, tn::where(x > lambda, x - bias, x * 0)));
}
template <class X> constexpr auto swish(X x, double alpha) { return x * tn::sigmoid(alpha * x); }

}  // namespace standard
