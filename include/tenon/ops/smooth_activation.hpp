// SPDX-License-Identifier: Apache-2.0
#pragma once
// Activation functions by exponentials beside those of activation.hpp: elu and its kin, mish, logsigmoid, tanhshrink.

#include "tenon/ops/activation.hpp"
#include "tenon/ops/close_exp.hpp"

namespace tenon::ops {

// x where it is positive, otherwise alpha * (exp(x) - 1).
struct elu : pointwise_op<2> {
  static constexpr text_view name = "elu";
  static constexpr dtype_rule rule = rules::to_float;
  static constexpr int cost = 18;
  static constexpr interval domain{-87, 88};
  static constexpr double tolerance_ulp = 3;
  static constexpr double defaults[] = {1};
  template <class T> static TENON_HD T eval(T x, T alpha) { return x > 0 ? x : alpha * math::expm1(x); }
  static TENON_HD float eval_narrow(float x, float alpha) { return x > 0 ? x : alpha * math::approximate::expm1(x); }
  template <class V> static constexpr V derivative(V d, V x, V alpha, V, int k) {
    return k == 0 ? of<where>(x > 0.0, d, d * (alpha * of<exp>(x)))
                  : unless(x > 0.0, d * of<expm1>(x));
  }
  static double reference(double x, double alpha) { return x > 0 ? x : alpha * std::expm1(x); }
};

// 1.0507 elu(x, 1.6733): the constants that keep mean 0 and variance 1.
struct selu : activation_op {
  static constexpr text_view name = "selu";
  static constexpr int cost = 20;
  static constexpr interval domain{-87, 1e30};
  template <class T> static TENON_HD T eval(T x) {
    return x > 0 ? T(1.0507009873554805) * x : T(1.7580993408473766) * math::expm1(x);
  }
  static TENON_HD float eval_narrow(float x) {
    return x > 0 ? 1.05070102f * x : 1.75809932f * math::approximate::expm1(x);
  }
  template <class V> static constexpr V derivative(V d, V x, V) {
    return of<where>(x > 0.0, 1.0507009873554805 * d, d * (1.7580993408473766 * of<exp>(x)));
  }
  static double reference(double x) {
    long double wide = x;
    return static_cast<double>(x > 0 ? 1.0507009873554804934193349852946L * wide
                                     : 1.7580993408473768599402175208123L * std::expm1(wide));
  }
};

// x tanh(softplus(x)), by e = exp(-|x|): tanh(log(1 + exp(x))) is a quotient of polynomials in it without cancellation.
// mish(-inf) is the limit, -0; PyTorch gives NaN there.
struct mish : activation_op {
  static constexpr text_view name = "mish";
  static constexpr int cost = 38;
  static constexpr interval domain{-108, 1e30};
  // As in times_sigmoid, below -shift the exponential is taken of x + shift and its scale applied last.
  template <class T> static TENON_HD T eval(T x) {
    constexpr T shift = detail::tail<T>::shift;
    x = math::maximum(x, -2 * shift);
    bool is_far = x < -shift;
    T scale = is_far ? detail::tail<T>::scale : T(1);
    T power = math::close_exp(is_far ? x + shift : -math::abs(x));
    T e = power * scale;
    T above = x < 0 ? power * (e + 2) : 1 + 2 * e;
    T below = x < 0 ? e * (e + 2) + 2 : 1 + 2 * e * (1 + e);
    return x * (above / below) * scale;
  }
  // From 20 on the quotient is 1; at -128 the exponential is 0.
  static TENON_HD float eval_narrow(float x) {
    x = math::maximum(x, -128.0f);
    float const e = math::approximate::exp2(math::minimum(x, 20.0f) * 1.44269504f), above = e * (e + 2);
    return x * (above * math::approximate::reciprocal(above + 2));
  }
  template <class V> static constexpr V derivative(V d, V x, V) {
    V const t = of<tanh>(of<softplus>(x));
    return d * (t + x * of<sigmoid>(x) * (1.0 - t * t));
  }
  static double reference(double x) {
    if (x == -math::infinity<double>) return -0.0;
    long double wide = x;
    return static_cast<double>(wide * std::tanh(std::log1p(std::exp(wide))));
  }
};

// log(sigmoid(x)) = -softplus(-x)
struct logsigmoid : activation_op {
  static constexpr text_view name = "logsigmoid";
  static constexpr int cost = 42;
  static constexpr interval domain{-1e30, 104};
  template <class T> static TENON_HD T eval(T x) { return -softplus::eval(-x); }
  static TENON_HD float eval_narrow(float x) { return -softplus::eval_narrow(-x); }
  template <class V> static constexpr V derivative(V d, V x, V) { return d * of<sigmoid>(-x); }
  static double reference(double x) { return -softplus::reference(-x); }
};

// x - tanh(x). Up to 2.5 by Lambert's continued fraction of tanh, where the difference becomes a sum of positive terms:
// x^3 / (3 + x^2 + d), d = x^2 / (5 + x^2 / (7 + ...)).
struct tanhshrink : activation_op {
  static constexpr text_view name = "tanhshrink";
  static constexpr int cost = 70;
  template <class T> static TENON_HD T eval(T x) {
    if (!(math::abs(x) < T(2.5))) return x - math::tanh(x);
    T square = x * x, d = 0;
    for (int k = std::is_same_v<T, float> ? 15 : 27; k >= 5; k -= 2) d = square / (static_cast<T>(k) + d);
    return x * square / (3 + square + d);
  }
  template <class V> static constexpr V derivative(V d, V x, V) {
    V const t = of<tanh>(x);
    return d * (t * t);
  }
  static double reference(double x) {
    if (!(std::fabs(x) < 0.1)) return static_cast<double>(x - std::tanh(static_cast<long double>(x)));
    long double s = static_cast<long double>(x) * x;  // the series, because the difference cancels here
    return static_cast<double>(x * s * (1 / 3.0L - s * (2 / 15.0L - s * (17 / 315.0L - s * (62 / 2835.0L - s * (1382 / 155925.0L - s * (21844 / 6081075.0L - s * (929569 / 638512875.0L))))))));
  }
};

}  // namespace tenon::ops
