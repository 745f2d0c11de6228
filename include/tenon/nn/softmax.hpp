// SPDX-License-Identifier: Apache-2.0
#pragma once
// The softmax family, written over primitives as a user would write it.

#include "tenon/capture/operators.hpp"

namespace tenon {

// exp(x - max) / sum of it along the axis; a row of only -inf gives NaN.
inline constexpr function softmax{[](auto x, auto along) {
  auto shifted = exp(x - max(x, along, keepdim));
  return shifted / sum(shifted, along, keepdim);
}};

// x - max - log(sum(exp(x - max))) along the axis.
inline constexpr function log_softmax{[](auto x, auto along) {
  auto shifted = x - max(x, along, keepdim);
  return shifted - log(sum(exp(shifted), along, keepdim));
}};

}  // namespace tenon
