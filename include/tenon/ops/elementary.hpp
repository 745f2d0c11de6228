// SPDX-License-Identifier: Apache-2.0
#pragma once
// Elementary functions: exponentials, logarithms, sine, cosine and hyperbolic tangent, the error
// function and its complement.

#include <cmath>

#include "tenon/ops/derivative.hpp"
#include "tenon/ops/math.hpp"
#include "tenon/ops/normal_tail.hpp"
#include "tenon/ops/op.hpp"

namespace tenon::ops {

// A function of one real number: integers become the default floating type.
struct elementary_op : pointwise_op<1> {
  static constexpr dtype_rule rule = rules::to_float;
  static constexpr double tolerance_ulp = 2;
};

struct exp : elementary_op {
  static constexpr text_view name = "exp";
  static constexpr int cost = 9;
  static constexpr interval domain{-87, 88};
  template <class T> static TENON_HD T eval(T x) { return math::exp(x); }
  static TENON_HD float eval_narrow(float x) { return math::approximate::exp2(x * 1.44269504f); }
  template <class V> static constexpr V derivative(V d, V, V y) { return d * y; }
  static double reference(double x) { return std::exp(x); }
};

struct exp2 : elementary_op {
  static constexpr text_view name = "exp2";
  static constexpr int cost = 4;
  static constexpr interval domain{-126, 127};
  static constexpr double tolerance_ulp = 2.5;
  template <class T> static TENON_HD T eval(T x) { return math::exp2(x); }
  static TENON_HD float eval_narrow(float x) { return math::approximate::exp2(x); }
  template <class V> static constexpr V derivative(V d, V, V y) { return (0.6931471805599453 * d) * y; }
  static double reference(double x) { return std::exp2(x); }
};

struct exp10 : elementary_op {
  static constexpr text_view name = "exp10";
  static constexpr int cost = 12;
  static constexpr interval domain{-37, 38};
  static constexpr double tolerance_ulp = 2.5;
  template <class T> static TENON_HD T eval(T x) { return math::exp10(x); }
  template <class V> static constexpr V derivative(V d, V, V y) { return (2.302585092994046 * d) * y; }
  static double reference(double x) { return static_cast<double>(::exp10l(x)); }
};

// exp(x) - 1 without the cancellation near 0.
struct expm1 : elementary_op {
  static constexpr text_view name = "expm1";
  static constexpr int cost = 16;
  static constexpr interval domain{-87, 88};
  template <class T> static TENON_HD T eval(T x) { return math::expm1(x); }
  static TENON_HD float eval_narrow(float x) { return math::approximate::expm1(x); }
  template <class V> static constexpr V derivative(V d, V, V y) { return d * (y + 1.0); }
  static double reference(double x) { return std::expm1(x); }
};

struct log : elementary_op {
  static constexpr text_view name = "log";
  static constexpr int cost = 25;
  static constexpr bool asks_for_sizes = true;
  static constexpr interval domain{1e-30, 1e30};
  template <class T> static TENON_HD T eval(T x) { return math::log(x); }
  static TENON_HD float eval_narrow(float x) { return math::approximate::log(x); }
  template <class V> static constexpr V derivative(V d, V x, V) { return d / x; }
  static double reference(double x) { return std::log(x); }
};

struct log2 : elementary_op {
  static constexpr text_view name = "log2";
  static constexpr int cost = 22;
  static constexpr interval domain{1e-30, 1e30};
  template <class T> static TENON_HD T eval(T x) { return math::log2(x); }
  static TENON_HD float eval_narrow(float x) { return math::approximate::log(x) * 1.44269504f; }
  template <class V> static constexpr V derivative(V d, V x, V) { return (1.4426950408889634 * d) / x; }
  static double reference(double x) { return std::log2(x); }
};

struct log10 : elementary_op {
  static constexpr text_view name = "log10";
  static constexpr int cost = 28;
  static constexpr interval domain{1e-30, 1e30};
  template <class T> static TENON_HD T eval(T x) { return math::log10(x); }
  static TENON_HD float eval_narrow(float x) { return math::approximate::log(x) * 0.434294492f; }
  template <class V> static constexpr V derivative(V d, V x, V) { return (0.4342944819032518 * d) / x; }
  static double reference(double x) { return std::log10(x); }
};

// log(1 + x) without the rounding of 1 + x.
struct log1p : elementary_op {
  static constexpr text_view name = "log1p";
  static constexpr int cost = 30;
  static constexpr bool asks_for_sizes = true;
  static constexpr interval domain{-0.999, 1e30};
  template <class T> static TENON_HD T eval(T x) { return math::log1p(x); }
  static TENON_HD float eval_narrow(float x) { return math::approximate::log1p(x); }
  template <class V> static constexpr V derivative(V d, V x, V) { return d / (x + 1.0); }
  static double reference(double x) { return std::log1p(x); }
};

struct sin : elementary_op {
  static constexpr text_view name = "sin";
  static constexpr int cost = 20;
  static constexpr interval domain{-1e5, 1e5};
  template <class T> static TENON_HD T eval(T x) { return math::sin(x); }
  template <class V> static constexpr V derivative(V d, V x, V) { return d * of<cos>(x); }
  static double reference(double x) { return std::sin(x); }
};

struct cos : elementary_op {
  static constexpr text_view name = "cos";
  static constexpr int cost = 20;
  static constexpr interval domain{-1e5, 1e5};
  template <class T> static TENON_HD T eval(T x) { return math::cos(x); }
  template <class V> static constexpr V derivative(V d, V x, V) { return -d * of<sin>(x); }
  static double reference(double x) { return std::cos(x); }
};

struct tanh : elementary_op {
  static constexpr text_view name = "tanh";
  static constexpr int cost = 16;
  static constexpr interval domain{-20, 20};
  template <class T> static TENON_HD T eval(T x) { return math::tanh(x); }
  static TENON_HD float eval_bf16(float x) { return math::approximate::tanh(x); }
  template <class V> static constexpr V derivative(V d, V, V y) { return d * (1.0 - y * y); }
  static double reference(double x) { return std::tanh(x); }
};

struct erf : elementary_op {
  static constexpr text_view name = "erf";
  static constexpr int cost = 22;
  static constexpr interval domain{-6, 6};
  template <class T> static TENON_HD T eval(T x) { return math::erf(x); }
  template <class V> static constexpr V derivative(V d, V x, V) {
    return (1.1283791670955126 * d) * of<exp>(-(x * x));
  }
  static double reference(double x) { return std::erf(x); }
};

// 1 - erf(x) without the cancellation: the upper tail keeps its relative accuracy.
struct erfc : elementary_op {
  static constexpr text_view name = "erfc";
  static constexpr int cost = 40;
  static constexpr interval domain{-6, 9};
  static constexpr double tolerance_ulp = 4;
  template <class T> static TENON_HD T eval(T x) {
    if constexpr (std::is_same_v<T, float>) {
      float z = math::minimum(math::abs(x), 10.5f);  // erfc(10.5) is zero in float
      float const root = 1.41421354f, root_low = 2.4203e-8f;  // sqrt(2)
      float t = z * root, t_low = math::fma(z, root, -t) + z * root_low;
      float square = math::fma(z, z, 0.0f);  // a product might be contracted with the sum it is used in
      auto half_of_it = detail::normal_tail(t, t_low, square, math::fma(z, z, -square));
      half_of_it.exponent += 1;  // doubled before it may be rounded to a subnormal number
      float tail = half_of_it.number();
      return x < 0 ? 2 - tail : tail;
    } else {
      return math::erfc(x);
    }
  }
  static TENON_HD float eval_narrow(float x) {
    float const tail = 2 * math::approximate::normal_tail(::fminf(math::abs(x) * 1.41421354f, 14.5f));
    return x != x ? x : x < 0 ? 2 - tail : tail;
  }
  template <class V> static constexpr V derivative(V d, V x, V) {
    return (-1.1283791670955126 * d) * of<exp>(-(x * x));
  }
  static double reference(double x) { return static_cast<double>(std::erfc(static_cast<long double>(x))); }
};

struct cbrt : elementary_op {
  static constexpr text_view name = "cbrt";
  static constexpr int cost = 26;
  static constexpr double tolerance_ulp = 4;  // glibc's in double; CUDA's is 1
  template <class T> static TENON_HD T eval(T x) { return math::cbrt(x); }
  template <class V> static constexpr V derivative(V d, V, V y) { return d / (3.0 * (y * y)); }
  static double reference(double x) { return static_cast<double>(std::cbrt(static_cast<long double>(x))); }
};

}  // namespace tenon::ops
