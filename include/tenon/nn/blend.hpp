// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums of products and choices under their usual names: lerp, addcmul, addcdiv, masked_fill, fmax, fmin.

#include <type_traits>

#include "tenon/nn/options.hpp"

namespace tenon {

// x + weight * (y - x), from the nearer end, so that weight 0 gives x and weight 1 gives y.
inline constexpr function lerp{[](auto x, auto y, auto weight) {
  auto difference = detail::widened(y) - detail::widened(x);
  return where(weight < 0.5, fma(weight, difference, x), fma(weight - 1, difference, y));
}};

// x + factor * a * b; factor is 1 unless given.
inline constexpr function addcmul{[](auto x, auto a, auto b, auto... factor) { return fma((a * ... * factor), b, x); }};

// x + factor * a / b; factor is 1 unless given.
inline constexpr function addcdiv{[](auto x, auto a, auto b, auto... factor) { return x + (a * ... * factor) / b; }};

// x, and the number where the mask is true.
inline constexpr function masked_fill{[](auto x, auto mask, auto number) { return where(mask, number, x); }};

namespace detail {

// choose(x, y) of two of which one may be NaN: then it is the other one. `worst` never wins.
template <class X, class Y, class Choose>
constexpr auto of_numbers(X x, Y y, Choose choose, double worst) {
  if constexpr (is_value<Y> && !is_value<X>)
    return of_numbers(y, x, choose, worst);
  else if constexpr (is_value<Y>)
    return where(isnan(x), y, where(isnan(y), x, choose(x, y)));
  else if constexpr (std::is_floating_point_v<Y>)
    return where(isnan(x), y, choose(x, y != y ? static_cast<Y>(worst) : y));
  else
    return where(isnan(x), y, choose(x, y));
}

}  // namespace detail

// The greater and the lesser of which one may be NaN: then it is the other one. maximum and minimum give NaN.
inline constexpr function fmax{[](auto x, auto y) { return detail::of_numbers(x, y, maximum, -__builtin_inf()); }};
inline constexpr function fmin{[](auto x, auto y) { return detail::of_numbers(x, y, minimum, __builtin_inf()); }};

}  // namespace tenon
