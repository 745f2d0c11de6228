// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rest of the circular and hyperbolic functions with their inverses, and functions of two numbers.

#include "tenon/ops/elementary.hpp"

namespace tenon::ops {

struct tan : elementary_op {
  static constexpr text_view name = "tan";
  static constexpr int cost = 34;
  static constexpr interval domain{-1e5, 1e5};
  static constexpr double tolerance_ulp = 4;
  template <class T> static TENON_HD T eval(T x) { return math::tan(x); }
  template <class V> static constexpr V derivative(V d, V, V y) { return d * (1.0 + y * y); }
  static double reference(double x) { return std::tan(x); }
};

struct asin : elementary_op {
  static constexpr text_view name = "asin";
  static constexpr int cost = 22;
  static constexpr interval domain{-1, 1};
  template <class T> static TENON_HD T eval(T x) { return math::asin(x); }
  template <class V> static constexpr V derivative(V d, V x, V) { return d * of<rsqrt>((1.0 - x) * (1.0 + x)); }
  static double reference(double x) { return std::asin(x); }
};

struct acos : elementary_op {
  static constexpr text_view name = "acos";
  static constexpr int cost = 24;
  static constexpr interval domain{-1, 1};
  template <class T> static TENON_HD T eval(T x) { return math::acos(x); }
  template <class V> static constexpr V derivative(V d, V x, V) { return -d * of<rsqrt>((1.0 - x) * (1.0 + x)); }
  static double reference(double x) { return std::acos(x); }
};

struct atan : elementary_op {
  static constexpr text_view name = "atan";
  static constexpr int cost = 20;
  template <class T> static TENON_HD T eval(T x) { return math::atan(x); }
  template <class V> static constexpr V derivative(V d, V x, V) { return d / (1.0 + x * x); }
  static double reference(double x) { return std::atan(x); }
};

struct sinh : elementary_op {
  static constexpr text_view name = "sinh";
  static constexpr int cost = 24;
  static constexpr interval domain{-88, 88};
  static constexpr double tolerance_ulp = 3;
  template <class T> static TENON_HD T eval(T x) { return math::sinh(x); }
  template <class V> static constexpr V derivative(V d, V x, V) { return d * of<cosh>(x); }
  static double reference(double x) { return std::sinh(x); }
};

struct cosh : elementary_op {
  static constexpr text_view name = "cosh";
  static constexpr int cost = 20;
  static constexpr interval domain{-88, 88};
  static constexpr double tolerance_ulp = 3;
  template <class T> static TENON_HD T eval(T x) { return math::cosh(x); }
  template <class V> static constexpr V derivative(V d, V x, V) { return d * of<sinh>(x); }
  static double reference(double x) { return std::cosh(x); }
};

struct asinh : elementary_op {
  static constexpr text_view name = "asinh";
  static constexpr int cost = 40;
  static constexpr double tolerance_ulp = 3;
  template <class T> static TENON_HD T eval(T x) { return math::asinh(x); }
  template <class V> static constexpr V derivative(V d, V x, V) { return d * of<rsqrt>(x * x + 1.0); }
  static double reference(double x) { return std::asinh(x); }
};

struct acosh : elementary_op {
  static constexpr text_view name = "acosh";
  static constexpr int cost = 36;
  static constexpr interval domain{1, 1e30};
  static constexpr double tolerance_ulp = 4;
  template <class T> static TENON_HD T eval(T x) { return math::acosh(x); }
  template <class V> static constexpr V derivative(V d, V x, V) { return d * of<rsqrt>((x - 1.0) * (x + 1.0)); }
  static double reference(double x) { return std::acosh(x); }
};

struct atanh : elementary_op {
  static constexpr text_view name = "atanh";
  static constexpr int cost = 32;
  static constexpr interval domain{-0.9999, 0.9999};
  static constexpr double tolerance_ulp = 3;
  template <class T> static TENON_HD T eval(T x) { return math::atanh(x); }
  template <class V> static constexpr V derivative(V d, V x, V) { return d / ((1.0 - x) * (1.0 + x)); }
  static double reference(double x) { return std::atanh(x); }
};

// Of two real numbers.
struct binary_elementary_op : pointwise_op<2> {
  static constexpr dtype_rule rule = rules::to_float;
  static constexpr double tolerance_ulp = 3;
};

// The angle of the point (y, x), operands in this order.
struct atan2 : binary_elementary_op {
  static constexpr text_view name = "atan2";
  static constexpr int cost = 45;
  template <class T> static TENON_HD T eval(T x, T y) { return math::atan2(x, y); }
  template <class V> static constexpr V derivative(V d, V x, V y, V, int k) {
    return (k == 0 ? d * y : -d * x) / (x * x + y * y);
  }
  static double reference(double x, double y) { return std::atan2(x, y); }
};

// sqrt(x^2 + y^2) without overflow between; infinite when either operand is, even beside NaN.
struct hypot : binary_elementary_op {
  static constexpr text_view name = "hypot";
  static constexpr int cost = 30;
  template <class T> static TENON_HD T eval(T x, T y) { return math::hypot(x, y); }
  template <class V> static constexpr V derivative(V d, V x, V y, V length, int k) {
    return d * ((k == 0 ? x : y) / length);
  }
  static double reference(double x, double y) { return std::hypot(x, y); }
};

// log(exp(x) + exp(y)) = max + log1p(exp(-|x - y|)); near a result of 0 the error is absolute, a rounding of the maximum.
struct logaddexp : binary_elementary_op {
  static constexpr text_view name = "logaddexp";
  static constexpr bool is_commutative = true;
  static constexpr int cost = 46;
  static constexpr interval domain{0, 1e30};
  template <class T> static TENON_HD T eval(T x, T y) {
    T high = math::maximum(x, y);
    if (x == y) return high + T(0.693147180559945309);  // infinite ones must not be subtracted
    return high + math::log1p(math::exp(-math::abs(x - y)));
  }
  template <class V> static constexpr V derivative(V d, V x, V y, V, int k) {
    return d * of<sigmoid>(k == 0 ? x - y : y - x);
  }
  static double reference(double x, double y) {
    if (x == y) return static_cast<double>(x + 0.693147180559945309417L);
    long double high = std::isnan(x) || x > y ? x : y, distance = std::fabs(static_cast<long double>(x) - y);
    return static_cast<double>(high + std::log1p(std::exp(-distance)));
  }
};

}  // namespace tenon::ops
