// SPDX-License-Identifier: Apache-2.0
#pragma once
// What composites share: arguments that a call may leave out, and lists of axes that depend on the rank.

#include "tenon/capture/operators.hpp"

namespace tenon::detail {

// The argument that was given, or the default.
template <class Default>
constexpr Default option_or(Default value) {
  return value;
}
template <class Default, class Given>
constexpr Given option_or(Default, Given given) {
  return given;
}

template <class X>
constexpr bool is_integral_value() {
  if constexpr (is_value<X>)
    return !is_floating(X::type);
  else
    return false;
}
// x in floating point: integers and bool become f32, as operands of a quotient do.
template <class X>
constexpr auto as_floating(X x) {
  if constexpr (is_integral_value<X>())
    return cast<storage_t<default_float>>(x);
  else
    return x;
}
// Integers and bool as i64, which holds what their own type may not: differences, and squares and magnitudes of narrower types.
template <class X>
constexpr auto widened(X x) {
  if constexpr (is_integral_value<X>())
    return cast<long long>(x);
  else
    return x;
}

template <class T>
inline constexpr bool is_function = false;
template <class Body>
inline constexpr bool is_function<function<Body>> = true;

// axis<First, First + 1, ..., Rank - 1>, written as its type for nvcc (see `transpose`).
template <int First, int Rank, int... I>
constexpr auto axes_from(std::integer_sequence<int, I...>) {
  return axis_t<(First + I)...>{};
}
template <int First, class Value>
inline constexpr auto axes_from_to_last = axes_from<First, Value::rank>(std::make_integer_sequence<int, Value::rank - First>{});

}  // namespace tenon::detail
