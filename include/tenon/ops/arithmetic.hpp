// SPDX-License-Identifier: Apache-2.0
#pragma once
// Arithmetic operators: sums, products, quotients, roots and powers.

#include <cmath>
#include <type_traits>

#include "tenon/ops/derivative.hpp"
#include "tenon/ops/math.hpp"
#include "tenon/ops/op.hpp"
#include "tenon/ops/rounded.hpp"

namespace tenon::detail {

// Integer arithmetic wraps, and that of bool is or, xor and and: done unsigned, where overflow is
// defined, and in at least 32 bits, because narrower operands would be promoted to int.
template <class T> constexpr TENON_HD auto modular(T x) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<std::conditional_t<(sizeof(T) <= 4), unsigned, unsigned long long>>(x);
  else
    return x;
}

// Written so that an unsigned operand is not compared with zero, which nvcc warns about.
template <class T> constexpr TENON_HD bool is_negative(T x) {
  if constexpr (std::is_unsigned_v<T>)
    return false;
  else
    return x < 0;
}

}  // namespace tenon::detail

namespace tenon::ops {

// Correctly rounded in floating point, constexpr, and constant folded.
template <int Arity> struct exact_op : pointwise_op<Arity> {
  static constexpr bool is_foldable = true;
  static constexpr double tolerance_ulp = 0.5;
};

struct add : exact_op<2> {
  static constexpr text_view name = "add";
  static constexpr bool is_commutative = true;
  template <class T> static constexpr TENON_HD T eval(T x, T y) {
    return static_cast<T>(math::rounded_sum(detail::modular(x), detail::modular(y)));
  }
  template <class V> static constexpr V derivative(V d, V, V, V, int) { return d; }
  static double reference(double x, double y) { return x + y; }
};

struct sub : exact_op<2> {
  static constexpr text_view name = "sub";
  template <class T> static constexpr TENON_HD T eval(T x, T y) {
    return static_cast<T>(math::rounded_sum(detail::modular(x), -detail::modular(y)));
  }
  template <class V> static constexpr V derivative(V d, V, V, V, int k) { return k == 0 ? d : -d; }
  static double reference(double x, double y) { return x - y; }
};

struct mul : exact_op<2> {
  static constexpr text_view name = "mul";
  static constexpr unsigned zeros_through = 0b11;
  static constexpr bool is_commutative = true;
  template <class T> static constexpr TENON_HD T eval(T x, T y) {
    return static_cast<T>(math::rounded_product(detail::modular(x), detail::modular(y)));
  }
  template <class V> static constexpr V derivative(V d, V x, V y, V, int k) { return d * (k == 0 ? y : x); }
  static double reference(double x, double y) { return x * y; }
};

struct div : exact_op<2> {
  static constexpr text_view name = "div";
  static constexpr dtype_rule rule = rules::to_float;
  static constexpr int cost = 22;
  static constexpr bool asks_for_sizes = true;
  template <class T> static constexpr TENON_HD T eval(T x, T y) {
    // Constant evaluation may not divide by zero; fold keeps a node whose value is infinite.
    if (__builtin_is_constant_evaluated() && y == 0) return math::infinity<T>;
    return x / y;
  }
  // By a reciprocal, which is found once where y is the same for many x; scaled, because it may leave
  // the range of normal numbers where the quotient does not. Error below 2^-21.
  static TENON_HD float eval_narrow(float x, float y) {
    float scale = math::abs(y) > 0x1p125f ? 0.25f : math::abs(y) < 0x1p-125f ? 0x1p24f : 1.0f;
    return x * scale * math::approximate::reciprocal(y * scale);
  }
  template <class V> static constexpr V derivative(V d, V, V y, V quotient, int k) {
    return k == 0 ? d / y : -(d / y) * quotient;
  }
  static double reference(double x, double y) { return x / y; }
};

struct reciprocal : exact_op<1> {
  static constexpr text_view name = "reciprocal";
  static constexpr dtype_rule rule = rules::to_float;
  static constexpr int cost = 19;
  static constexpr bool asks_for_sizes = true;
  template <class T> static constexpr TENON_HD T eval(T x) { return div::eval(T(1), x); }
  static TENON_HD float eval_narrow(float x) { return div::eval_narrow(1, x); }
  template <class V> static constexpr V derivative(V d, V, V y) { return -d * y * y; }
  static double reference(double x) { return 1 / x; }
};

// Keeps the sign of zero: -(+0) is -0.
struct neg : exact_op<1> {
  static constexpr text_view name = "neg";
  static constexpr unsigned zeros_through = 0b1;
  template <class T> static constexpr TENON_HD T eval(T x) {
    return static_cast<T>(-detail::modular(x));
  }
  template <class V> static constexpr V derivative(V d, V, V) { return -d; }
  static double reference(double x) { return -x; }
};

// The absolute value of the most negative integer wraps to itself.
struct abs : exact_op<1> {
  static constexpr text_view name = "abs";
  static constexpr unsigned zeros_through = 0b1;
  template <class T> static constexpr TENON_HD T eval(T x) {
    if constexpr (std::is_floating_point_v<T>)
      return math::abs(x);
    else
      return detail::is_negative(x) ? neg::eval(x) : x;
  }
  template <class V> static constexpr V derivative(V d, V x, V) { return d * of<sign>(x); }
  static double reference(double x) { return std::fabs(x); }
};

struct square : exact_op<1> {
  static constexpr text_view name = "square";
  static constexpr unsigned zeros_through = 0b1;
  static constexpr interval domain{-1e18, 1e18};
  template <class T> static constexpr TENON_HD T eval(T x) { return mul::eval(x, x); }
  template <class V> static constexpr V derivative(V d, V x, V) { return (2.0 * d) * x; }
  static double reference(double x) { return x * x; }
};

// x * y + z, rounded once.
struct fma : pointwise_op<3> {
  static constexpr text_view name = "fma";
  static constexpr interval domain{-1e15, 1e15};
  // The reference itself rounds the sum to double before it is rounded to float.
  static constexpr double tolerance_ulp = 0.5000001;
  template <class T> static TENON_HD T eval(T x, T y, T z) {
    if constexpr (std::is_floating_point_v<T>)
      return math::fma(x, y, z);
    else
      return add::eval(mul::eval(x, y), z);
  }
  template <class V> static constexpr V derivative(V d, V x, V y, V, V, int k) {
    return k == 0 ? d * y : k == 1 ? d * x : d;
  }
  static double reference(double x, double y, double z) { return std::fma(x, y, z); }
};

struct sqrt : pointwise_op<1> {
  static constexpr text_view name = "sqrt";
  static constexpr unsigned zeros_through = 0b1;
  static constexpr dtype_rule rule = rules::to_float;
  static constexpr int cost = 17;
  static constexpr interval domain{0, 1e30};
  static constexpr double tolerance_ulp = 0.5;
  template <class T> static TENON_HD T eval(T x) { return math::sqrt(x); }
  static TENON_HD float eval_narrow(float x) { return math::approximate::sqrt(x); }
  template <class V> static constexpr V derivative(V d, V, V y) { return (0.5 * d) / y; }
  static double reference(double x) { return std::sqrt(x); }
};

struct rsqrt : pointwise_op<1> {
  static constexpr text_view name = "rsqrt";
  static constexpr dtype_rule rule = rules::to_float;
  static constexpr int cost = 4;
  static constexpr interval domain{1e-30, 1e30};
  static constexpr double tolerance_ulp = 2;
  template <class T> static TENON_HD T eval(T x) { return math::rsqrt(x); }
  template <class V> static constexpr V derivative(V d, V, V y) { return (-0.5 * d) * (y * (y * y)); }
  static double reference(double x) { return 1 / std::sqrt(x); }
};

// Integers stay integers and wrap; a negative exponent gives the truncated quotient: 0 unless the
// base is 1 or -1.
struct pow : pointwise_op<2> {
  static constexpr text_view name = "pow";
  static constexpr int cost = 60;
  static constexpr interval domain{0, 12};
  template <class T> static TENON_HD T eval(T base, T exponent) {
    if constexpr (std::is_floating_point_v<T>)
      return math::pow(base, exponent);
    else
      return integer_power(base, exponent);
  }
  template <class V> static constexpr V derivative(V d, V x, V e, V power, int k) {
    return k == 0 ? unless(e == 0.0, d * (e * of<pow>(x, e - 1.0)))
                  : unless(x == 0.0 && e >= 0.0, d * (power * of<log>(x)));
  }
  static double reference(double base, double exponent) { return std::pow(base, exponent); }

 private:
  template <class T> static TENON_HD T integer_power(T base, T exponent) {
    if (detail::is_negative(exponent)) {
      if (base == T(1)) return T(1);
      if (base != neg::eval(T(1))) return T(0);
    }
    auto power = detail::modular(base);
    auto remaining =
        detail::modular(exponent);  // of a negative exponent the lowest bit is its parity
    auto result = detail::modular(T(1));
    for (; remaining != 0; remaining >>= 1) {
      if (remaining & 1u) result *= power;
      power *= power;
    }
    return static_cast<T>(result);
  }
};

}  // namespace tenon::ops
