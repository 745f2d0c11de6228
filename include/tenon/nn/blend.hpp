// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums of products under their usual names: lerp, addcmul, addcdiv.

#include "tenon/capture/operators.hpp"

namespace tenon {

// x + weight * (y - x), from the nearer end, so that weight 0 gives x and weight 1 gives y.
inline constexpr function lerp{[](auto x, auto y, auto weight) {
  auto difference = y - x;
  return where(weight < 0.5, fma(weight, difference, x), fma(weight - 1, difference, y));
}};

// x + factor * a * b; factor is 1 unless given.
inline constexpr function addcmul{[](auto x, auto a, auto b, auto... factor) { return fma((a * ... * factor), b, x); }};

// x + factor * a / b; factor is 1 unless given.
inline constexpr function addcdiv{[](auto x, auto a, auto b, auto... factor) { return x + (a * ... * factor) / b; }};

}  // namespace tenon
