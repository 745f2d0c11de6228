// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums of products and choices under their usual names: lerp, addcmul, addcdiv, masked_fill, fmax, fmin.

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

// x, and the number where the mask is true.
inline constexpr function masked_fill{[](auto x, auto mask, auto number) { return where(mask, number, x); }};

// The greater and the lesser of which one may be NaN: then it is the other one. maximum and minimum give NaN.
inline constexpr function fmax{[](auto x, auto y) { return where(isnan(x), y, where(isnan(y), x, maximum(x, y))); }};
inline constexpr function fmin{[](auto x, auto y) { return where(isnan(x), y, where(isnan(y), x, minimum(x, y))); }};

}  // namespace tenon
