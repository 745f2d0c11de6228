// SPDX-License-Identifier: Apache-2.0
#pragma once
// Activation functions of straight and bent lines. Their parameters are operands; those that a call leaves out are `defaults`.

#include "tenon/ops/arithmetic.hpp"

namespace tenon::ops {

// x where it is positive, otherwise slope * x.
struct leaky_relu : exact_op<2> {
  static constexpr text_view name = "leaky_relu";
  static constexpr dtype_rule rule = rules::to_float;
  static constexpr int cost = 2;
  static constexpr double defaults[] = {0.01};
  template <class T> static constexpr TENON_HD T eval(T x, T slope) { return x > 0 ? x : x * slope; }
  template <class V> static constexpr V derivative(V d, V x, V slope, V, int k) {
    return k == 0 ? of<where>(x > 0.0, d, d * slope) : unless(x > 0.0, d * x);
  }
  static double reference(double x, double slope) { return eval(x, slope); }
};

// `value` where x is at most `limit`; NaN stays.
struct threshold : exact_op<3> {
  static constexpr text_view name = "threshold";
  static constexpr int cost = 2;
  template <class T> static constexpr TENON_HD T eval(T x, T limit, T value) { return x <= limit ? value : x; }
  template <class V> static constexpr V derivative(V d, V x, V limit, V, V, int k) {
    return k == 0 ? unless(x <= limit, d) : k == 1 ? number(d, 0.0) : when(x <= limit, d);
  }
  static double reference(double x, double limit, double value) { return eval(x, limit, value); }
};

// x moved towards zero by `width`, zero within it; NaN stays.
struct softshrink : exact_op<2> {
  static constexpr text_view name = "softshrink";
  static constexpr dtype_rule rule = rules::to_float;
  static constexpr int cost = 4;
  static constexpr double defaults[] = {0.5};
  template <class T> static constexpr TENON_HD T eval(T x, T width) {
    if (x > width) return x - width;
    if (x < -width) return x + width;
    return x != x ? x : T(0);
  }
  template <class V> static constexpr V derivative(V d, V x, V width, V, int k) {
    return k == 0 ? unless(of<abs>(x) <= width, d)
                  : of<where>(x > width, -d, when(x < -width, d));
  }
  static double reference(double x, double width) { return eval(x, width); }
};

// Zero where x is within `width` of it, otherwise x; NaN stays.
struct hardshrink : exact_op<2> {
  static constexpr text_view name = "hardshrink";
  static constexpr dtype_rule rule = rules::to_float;
  static constexpr int cost = 3;
  static constexpr double defaults[] = {0.5};
  template <class T> static constexpr TENON_HD T eval(T x, T width) { return x >= -width && x <= width ? T(0) : x; }
  template <class V> static constexpr V derivative(V d, V x, V width, V, int k) {
    return k == 0 ? unless(of<abs>(x) <= width, d) : number(d, 0.0);
  }
  static double reference(double x, double width) { return eval(x, width); }
};

struct bent_op : pointwise_op<1> {
  static constexpr dtype_rule rule = rules::to_float;
  static constexpr double tolerance_ulp = 2;
};

// clamp(x / 6 + 1 / 2, 0, 1)
struct hardsigmoid : bent_op {
  static constexpr text_view name = "hardsigmoid";
  static constexpr int cost = 6;
  template <class T> static constexpr TENON_HD T eval(T x) {
    return math::minimum(math::maximum(x + 3, T(0)), T(6)) / 6;
  }
  static TENON_HD float eval_narrow(float x) {
    return math::minimum(math::maximum(x + 3, 0.0f), 6.0f) * 0.166666672f;
  }
  template <class V> static constexpr V derivative(V d, V x, V) {
    return when(of<abs>(x) < 3.0, 0.16666666666666666 * d);
  }
  static double reference(double x) {
    return static_cast<double>(eval(static_cast<long double>(x)));
  }
};

// x * hardsigmoid(x); hardswish(-inf) is the limit, -0, where PyTorch gives NaN.
struct hardswish : bent_op {
  static constexpr text_view name = "hardswish";
  static constexpr int cost = 8;
  template <class T> static constexpr TENON_HD T eval(T x) { return math::maximum(x, T(-3)) * hardsigmoid::eval(x); }
  static TENON_HD float eval_narrow(float x) { return math::maximum(x, -3.0f) * hardsigmoid::eval_narrow(x); }
  template <class V> static constexpr V derivative(V d, V x, V) {
    V const bent = when(x > -3.0, d * (0.3333333333333333 * x + 0.5));
    return of<where>(x < 3.0, bent, d);
  }
  static double reference(double x) {
    return static_cast<double>(math::maximum(static_cast<long double>(x), -3.0L) * hardsigmoid::eval(static_cast<long double>(x)));
  }
};

// x / (1 + |x|); of an infinity the limit, 1 with its sign, where PyTorch gives NaN.
struct softsign : bent_op {
  static constexpr text_view name = "softsign";
  static constexpr int cost = 12;
  template <class T> static constexpr TENON_HD T eval(T x) {
    T const bound = T(1152921504606846976.0);  // 2^60, from where the quotient is 1
    x = math::minimum(math::maximum(x, -bound), bound);
    return x / (1 + math::abs(x));
  }
  template <class V> static constexpr V derivative(V d, V x, V) {
    V const length = 1.0 + of<abs>(x);
    return d / (length * length);
  }
  static double reference(double x) { return static_cast<double>(eval(static_cast<long double>(x))); }
};

}  // namespace tenon::ops
