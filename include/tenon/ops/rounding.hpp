// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rounding to an integral value, the fraction, the sign, and quotients and remainders that go with them.

#include "tenon/ops/arithmetic.hpp"

namespace tenon::detail {

// Division of integers as NumPy defines it: by zero it gives 0 (and so does the remainder), and the quotient of the lowest
// integer by -1 wraps; neither traps.
template <class T> TENON_HD T truncated_quotient(T x, T y) {
  if (y == T(0)) return T(0);
  if constexpr (std::is_signed_v<T>)
    if (y == T(-1)) return ops::neg::eval(x);
  return static_cast<T>(x / y);
}
template <class T> TENON_HD T truncated_remainder(T x, T y) {
  if (y == T(0)) return T(0);
  if constexpr (std::is_signed_v<T>)
    if (y == T(-1)) return T(0);
  return static_cast<T>(x % y);
}

// Nonzero, and of the other sign than the divisor: floor and truncation differ.
template <class T> TENON_HD bool lies_across_zero(T remainder, T divisor) {
  return remainder != T(0) && is_negative(remainder) != is_negative(divisor);
}

}  // namespace tenon::detail

namespace tenon::ops {

// Integers are integral already; NaN and infinities stay, and so does the sign of zero.
struct rounding_op : pointwise_op<1> {
  static constexpr double tolerance_ulp = 0;
};

struct floor : rounding_op {
  static constexpr text_view name = "floor";
  static constexpr bool is_locally_constant = true;
  template <class T> static TENON_HD T eval(T x) {
    if constexpr (std::is_floating_point_v<T>) return math::floor(x);
    else return x;
  }
  static double reference(double x) { return std::floor(x); }
};

struct ceil : rounding_op {
  static constexpr text_view name = "ceil";
  static constexpr bool is_locally_constant = true;
  template <class T> static TENON_HD T eval(T x) {
    if constexpr (std::is_floating_point_v<T>) return math::ceil(x);
    else return x;
  }
  static double reference(double x) { return std::ceil(x); }
};

struct trunc : rounding_op {
  static constexpr text_view name = "trunc";
  static constexpr bool is_locally_constant = true;
  template <class T> static TENON_HD T eval(T x) {
    if constexpr (std::is_floating_point_v<T>) return math::trunc(x);
    else return x;
  }
  static double reference(double x) { return std::trunc(x); }
};

// Halves to even: round(2.5) = 2.
struct round : rounding_op {
  static constexpr text_view name = "round";
  static constexpr bool is_locally_constant = true;
  template <class T> static TENON_HD T eval(T x) {
    if constexpr (std::is_floating_point_v<T>) return math::round(x);
    else return x;
  }
  static double reference(double x) { return std::nearbyint(x); }
};

// x - trunc(x), which is exact; NaN of an infinity.
struct frac : rounding_op {
  static constexpr text_view name = "frac";
  static constexpr int cost = 2;
  template <class T> static TENON_HD T eval(T x) { return static_cast<T>(x - trunc::eval(x)); }
  template <class V> static constexpr V derivative(V d, V, V) { return d; }
  static double reference(double x) { return x - std::trunc(x); }
};

// -1, 0 or 1; NaN of NaN, and +0 of either zero.
struct sign : exact_op<1> {
  static constexpr text_view name = "sign";
  static constexpr bool is_locally_constant = true;
  static constexpr int cost = 3;
  template <class T> static constexpr TENON_HD T eval(T x) {
    if (x != x) return x;
    return detail::is_negative(x) ? static_cast<T>(-1) : static_cast<T>(x != T(0));
  }
  static double reference(double x) { return std::isnan(x) ? x : (x > 0) - (x < 0); }
};

// x - trunc(x / y) * y, exactly: the sign of x. An integer modulo 0 is 0.
struct fmod : pointwise_op<2> {
  static constexpr text_view name = "fmod";
  static constexpr int cost = 60;
  static constexpr double tolerance_ulp = 0;
  template <class T> static TENON_HD T eval(T x, T y) {
    if constexpr (std::is_floating_point_v<T>) return math::fmod(x, y);
    else return detail::truncated_remainder(x, y);
  }
  template <class V> static constexpr V derivative(V d, V x, V y, V, int k) {
    return k == 0 ? d : -d * of<trunc>(x / y);
  }
  static double reference(double x, double y) { return std::fmod(x, y); }
};

// x - floor(x / y) * y: the sign of y. An integer modulo 0 is 0.
struct remainder : pointwise_op<2> {
  static constexpr text_view name = "remainder";
  static constexpr int cost = 64;
  static constexpr double tolerance_ulp = 0.5;
  template <class T> static TENON_HD T eval(T x, T y) {
    T rest = fmod::eval(x, y);
    return detail::lies_across_zero(rest, y) ? static_cast<T>(rest + y) : rest;
  }
  template <class V> static constexpr V derivative(V d, V x, V y, V, int k) {
    return k == 0 ? d : -d * of<floor_divide>(x, y);
  }
  static double reference(double x, double y) { return eval(x, y); }
};

// floor(x / y) of the exact quotient, rounded once if it is beyond the integers of T. An integer divided by 0 is 0.
struct floor_divide : pointwise_op<2> {
  static constexpr text_view name = "floor_divide";
  static constexpr bool is_locally_constant = true;
  static constexpr int cost = 90;
  static constexpr double tolerance_ulp = 1;
  template <class T> static TENON_HD T eval(T x, T y) {
    T rest = fmod::eval(x, y);
    bool across = detail::lies_across_zero(rest, y);
    if constexpr (!std::is_floating_point_v<T>) {
      T quotient = detail::truncated_quotient(x, y);
      return across ? static_cast<T>(quotient - 1) : quotient;
    } else {
      if (y == 0) return x / y;
      // (x - rest) / y is integral but for two roundings; what they took away is x - quotient * y - rest, counted in y.
      T quotient = math::round((x - rest) / y);
      T const exact_below = std::is_same_v<T, float> ? T(33554432) : T(18014398509481984);  // 2^25, 2^54
      if (quotient != 0 && math::abs(quotient) < exact_below)
        quotient += math::round((math::fma(-quotient, y, x) - rest) / y);
      if (across) quotient -= 1;
      return quotient == 0 ? math::copysign(T(0), x / y) : quotient;
    }
  }
  static double reference(double x, double y) { return eval(x, y); }
};

}  // namespace tenon::ops
