// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the derivative rules of operators are written in: arithmetic, comparisons and `of<Op>(x...)` on any type of quantity.
//
// A rule turns the derivative d of a scalar by the operator's result into the one by an operand, V being a quantity:
//   one operand     V derivative(V d, V x, V result)
//   several         V derivative(V d, V x, V y, V result, int operand)
//   a reduction     V derivative(V d, V element, V result, Over over), d and result repeated along the reduced axes
// Factors that are constant stand beside d, which varies along the fewest axes.
// An operator whose result does not change with its operands, except by steps, says `is_locally_constant` instead.

#include <type_traits>

#include "tenon/ops/op.hpp"

namespace tenon::ops {

// Named by rules before they are defined.
struct abs;
struct add;
struct copysign;
struct cos;
struct cosh;
struct digamma;
struct div;
struct equal;
struct erfc;
struct exp;
struct expm1;
struct floor_divide;
struct greater;
struct greater_equal;
struct less;
struct less_equal;
struct log;
struct logical_and;
struct logical_or;
struct mul;
struct neg;
struct pow;
struct rsqrt;
struct sigmoid;
struct sign;
struct sin;
struct sinh;
struct softplus;
struct sub;
struct sum;
struct tanh;
struct trunc;
struct where;

namespace derivation {

// Base of what rules compute with. A quantity has, beside its class and found by its arguments,
//   apply_operator(type_box<Op>, operands...)   of quantities and of numbers, one quantity at least
//   constant_like(quantity, number)
struct quantity {};

template <class... V>
concept quantities = (std::is_base_of_v<quantity, V> || ...);

template <class Op, class... V> constexpr auto of(V... operands) {
  return apply_operator(type_box<Op>{}, operands...);
}

template <class A, class B> requires quantities<A, B> constexpr auto operator+(A a, B b) { return of<add>(a, b); }
template <class A, class B> requires quantities<A, B> constexpr auto operator-(A a, B b) { return of<sub>(a, b); }
template <class A, class B> requires quantities<A, B> constexpr auto operator*(A a, B b) { return of<mul>(a, b); }
template <class A, class B> requires quantities<A, B> constexpr auto operator/(A a, B b) { return of<div>(a, b); }
template <class A, class B> requires quantities<A, B> constexpr auto operator<(A a, B b) { return of<less>(a, b); }
template <class A, class B> requires quantities<A, B> constexpr auto operator<=(A a, B b) { return of<less_equal>(a, b); }
template <class A, class B> requires quantities<A, B> constexpr auto operator>(A a, B b) { return of<greater>(a, b); }
template <class A, class B> requires quantities<A, B> constexpr auto operator>=(A a, B b) { return of<greater_equal>(a, b); }
template <class A, class B> requires quantities<A, B> constexpr auto operator==(A a, B b) { return of<equal>(a, b); }
template <class A, class B> requires quantities<A, B> constexpr auto operator&&(A a, B b) { return of<logical_and>(a, b); }
template <class A> requires quantities<A> constexpr auto operator-(A a) { return of<neg>(a); }

// x as a quantity.
template <class V> constexpr V number(V like, double x) { return constant_like(like, x); }

// d where the condition holds, elsewhere nothing: also where d is infinite or NaN.
template <class V> constexpr V when(V condition, V d) { return of<where>(condition, d, 0.0); }
template <class V> constexpr V unless(V condition, V d) { return of<where>(condition, 0.0, d); }

}  // namespace derivation

using derivation::number;
using derivation::of;
using derivation::unless;
using derivation::when;

}  // namespace tenon::ops
