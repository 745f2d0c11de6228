// SPDX-License-Identifier: Apache-2.0
#pragma once
// Special functions: lgamma, digamma, i0 and erfinv. Float is computed in double, because near their zeros lgamma and digamma
// are differences of numbers that are larger.

#include <cmath>
#include <type_traits>

#include "tenon/core/type_list.hpp"
#include "tenon/ops/arithmetic.hpp"

namespace tenon::detail {

inline TENON_HD double lgamma(double x) {
#if defined(__CUDA_ARCH__)
  return ::lgamma(x);
#else
  int sign;  // lgamma would write it to a global variable that all threads share
  return ::lgamma_r(x, &sign);
#endif
}

// In [1, 2], around the root: the product of the distance to it, computed to twice the precision, and of a polynomial.
inline TENON_HD double digamma_near_root(double x) {
  double d = (x - 1.4616321449683622) - 9.549995429965697e-17;
  double p = -0.00017312261802727394;
  p = math::fma(p, d, 0.00039917403499883605);
  p = math::fma(p, d, -0.00040427587920188247);
  p = math::fma(p, d, 0.000423302869727366);
  p = math::fma(p, d, -0.0006962303923862455);
  p = math::fma(p, d, 0.0011003326985068057);
  p = math::fma(p, d, -0.0015903256854484034);
  p = math::fma(p, d, 0.0023017947243217925);
  p = math::fma(p, d, -0.003367342597731564);
  p = math::fma(p, d, 0.004927092544644749);
  p = math::fma(p, d, -0.007204811717465386);
  p = math::fma(p, d, 0.010538774679626108);
  p = math::fma(p, d, -0.015424746562676783);
  p = math::fma(p, d, 0.02259764870569479);
  p = math::fma(p, d, -0.033161127280363);
  p = math::fma(p, d, 0.04880428816027699);
  p = math::fma(p, d, -0.072199561238073);
  p = math::fma(p, d, 0.10782405069118742);
  p = math::fma(p, d, -0.16394270544259865);
  p = math::fma(p, d, 0.25849976095565214);
  p = math::fma(p, d, -0.4427631689835915);
  p = math::fma(p, d, 0.9676722454476212);
  return d * p;
}

// From 10 up log(x) - 1 / (2 x) - sum of B(2k) / (2k x^(2k)); below by digamma(x + 1) = digamma(x) + 1 / x from [1, 2].
// @pre x > 0
inline TENON_HD double positive_digamma(double x) {
  if (x < 1) return digamma_near_root(x + 1) - 1 / x;
  if (x < 10) {
    double sum = 0;
    for (; x > 2; sum += 1 / x) x -= 1;
    return digamma_near_root(x) + sum;
  }
  double s = 1 / (x * x);
  double series = s * (1.0 / 12 - s * (1.0 / 120 - s * (1.0 / 252 - s * (1.0 / 240 - s * (1.0 / 132 - s * (691.0 / 32760 - s * (1.0 / 12 - s * (3617.0 / 8160))))))));
  return math::log(x) - 0.5 / x - series;
}
inline TENON_HD double digamma(double x) {
  if (x == 0) return math::copysign(math::infinity<double>, -x);
  if (!(x < 0)) return positive_digamma(x);
  double distance = x - math::round(x);  // to the nearest pole; exact
  if (distance == 0 || x == -math::infinity<double>) return math::nan<double>;
  // pi cot(pi distance), from the nearer one of its pole and its zero.
  double const pi = 3.14159265358979323846, to_zero = 0.5 - math::abs(distance);
  double cotangent = to_zero < 0.25 ? math::copysign(math::tan(pi * to_zero), distance) : 1 / math::tan(pi * distance);
  return positive_digamma(1 - x) - pi * cotangent;
}

// The power series up to 8, whose terms are all positive; beyond, exp(x) / sqrt(x) times a polynomial in 16 / x - 1.
inline TENON_HD double i0(double x) {
  x = math::abs(x);
  if (x <= 8) {
    double quarter = x * x / 4, sum = 1;
    for (int k = 28; k >= 1; --k) sum = math::fma(sum * quarter, 1.0 / (k * k), 1.0);
    return sum;
  }
  if (x > 720) return math::infinity<double>;
  double u = 16 / x - 1;
  double p = 4.135870336904037e-11;
  p = math::fma(p, u, -1.4445666241808038e-10);
  p = math::fma(p, u, -3.0719032844097364e-10);
  p = math::fma(p, u, 9.544598596408217e-10);
  p = math::fma(p, u, 1.1661396927314527e-09);
  p = math::fma(p, u, -2.8927333669603943e-09);
  p = math::fma(p, u, -3.21251295103573e-09);
  p = math::fma(p, u, 5.1432089858622845e-09);
  p = math::fma(p, u, 7.396966587219158e-09);
  p = math::fma(p, u, -4.270649721363825e-09);
  p = math::fma(p, u, -1.335632771743214e-08);
  p = math::fma(p, u, -7.116744499757987e-09);
  p = math::fma(p, u, 7.543775238250733e-09);
  p = math::fma(p, u, 2.162446034312458e-08);
  p = math::fma(p, u, 3.9327123085832934e-08);
  p = math::fma(p, u, 8.871293193604678e-08);
  p = math::fma(p, u, 2.973597885290274e-07);
  p = math::fma(p, u, 1.483848150861771e-06);
  p = math::fma(p, u, 1.1143033791893046e-05);
  p = math::fma(p, u, 0.00013621607437737268);
  p = math::fma(p, u, 0.003360551983667876);
  p = math::fma(p, u, 0.40217650944500816);
  if (x < 700) return math::exp(x) * (p / math::sqrt(x));
  double half_power = math::exp(x / 2);  // exp(x) overflows before i0 does
  return half_power * (p / math::sqrt(x)) * half_power;
}

// Winitzki's approximation, right to 2^-8, and three steps of Halley's method. Near 1 in terms of erfc and 1 - |x|, which is
// exact there.
inline TENON_HD double erfinv_by_iteration(double x) {
  double const half_root_pi = 0.88622692545275801365;
  double a = math::abs(x);
  if (!(a < 1)) return a == 1 ? math::copysign(math::infinity<double>, x) : math::nan<double>;
  if (a < 1e-8) return x * half_root_pi;  // the next term is x^3 / 4
  double l = math::log1p(-a * a), c = 4.3307467508 + l / 2;  // 4.33 = 2 / (0.147 pi)
  double y = math::sqrt(-l / 0.147 / (c + math::sqrt(c * c - l / 0.147)));
  for (int k = 0; k < 3; ++k) {
    double error = a > 0.5 ? (1 - a) - math::erfc(y) : math::erf(y) - a;
    double step = error * half_root_pi * math::exp(y * y);
    y -= step / (1 + y * step);
  }
  return math::copysign(y, x);
}
#if defined(__CUDA_ARCH__)
inline __device__ float erfinv(float x) { return ::erfinvf(x); }
inline __device__ double erfinv(double x) { return ::erfinv(x); }
#else
inline TENON_HD float erfinv(float x) { return static_cast<float>(erfinv_by_iteration(x)); }
inline TENON_HD double erfinv(double x) { return erfinv_by_iteration(x); }
#endif

}  // namespace tenon::detail

namespace tenon::ops {

struct special_op : pointwise_op<1> {
  static constexpr dtype_rule rule = rules::to_float;
  static constexpr double tolerance_ulp = 5;
};

// log |gamma(x)|; in double relative accuracy ends near the zeros at negative x.
struct lgamma : special_op {
  static constexpr text_view name = "lgamma";
  static constexpr int cost = 200;
  static constexpr interval domain{1e-6, 1e30};
  template <class T> static TENON_HD T eval(T x) { return static_cast<T>(detail::lgamma(x)); }
  template <class V> static constexpr V derivative(V d, V x, V) { return d * of<digamma>(x); }
  static double reference(double x) {
    int sign;
    return static_cast<double>(::lgammal_r(x, &sign));
  }
};

// The derivative of lgamma. At 0 the pole of the other side (-inf at +0), NaN at the negative integers, as in PyTorch; in
// double relative accuracy ends near the zeros at negative x.
struct digamma : special_op {
  static constexpr text_view name = "digamma";
  static constexpr bool is_differentiable = false;
  static constexpr int cost = 250;
  static constexpr interval domain{1e-6, 1e30};
  template <class T> static TENON_HD T eval(T x) { return static_cast<T>(detail::digamma(x)); }
  static double reference(double x) {
    if (x == 0 || x == -math::infinity<double>) return eval(x);
    long double wide = x, reflected = 0, shift = 0, pi = 3.14159265358979323846264338328L;
    if (x < 0) {
      long double distance = wide - std::nearbyint(wide);
      if (distance == 0) return math::nan<double>;
      reflected = pi / std::tan(pi * distance);
      wide = 1 - wide;
    }
    for (; wide < 40; wide += 1) shift += 1 / wide;
    long double s = 1 / (wide * wide);
    long double series = s * (1 / 12.0L - s * (1 / 120.0L - s * (1 / 252.0L - s * (1 / 240.0L - s * (1 / 132.0L - s * (691 / 32760.0L))))));
    return static_cast<double>(std::log(wide) - 0.5L / wide - series - shift - reflected);
  }
};

// The modified Bessel function of the first kind, order 0.
struct i0 : special_op {
  static constexpr text_view name = "i0";
  static constexpr bool is_differentiable = false;
  static constexpr int cost = 200;
  static constexpr interval domain{-88, 88};
  template <class T> static TENON_HD T eval(T x) { return static_cast<T>(detail::i0(x)); }
  // The power series, whose terms are all positive.
  static double reference(double x) {
    if (!(std::fabs(x) < 720)) return std::fabs(x) * math::infinity<double>;
    long double quarter = static_cast<long double>(x) * x / 4, term = 1, sum = 1;
    for (int k = 1; term > sum * 1e-22L; ++k) sum += term *= quarter / (static_cast<long double>(k) * k);
    return static_cast<double>(sum);
  }
};

// The inverse of erf: infinite at 1 and -1, NaN beyond.
struct erfinv : special_op {
  static constexpr text_view name = "erfinv";
  static constexpr int cost = 60;
  static constexpr interval domain{-1, 1};
  template <class T> static TENON_HD T eval(T x) { return detail::erfinv(x); }
  template <class V> static constexpr V derivative(V d, V, V y) {
    return d * (0.886226925452758 * of<exp>(y * y));
  }
  static double reference(double x) {
    long double a = std::fabs(x), y = detail::erfinv_by_iteration(static_cast<double>(a));
    if (!(a < 1) || a < 1e-12L) return static_cast<double>(std::copysign(a < 1 ? 0.886226925452758013649L * a : y, x));
    for (int k = 0; k < 2; ++k)
      y -= (a > 0.5L ? (1 - a) - std::erfc(y) : std::erf(y) - a) * 0.886226925452758013649L * std::exp(y * y);
    return static_cast<double>(std::copysign(y, x));
  }
};

using special_table = type_list<lgamma, digamma, i0, erfinv>;

}  // namespace tenon::ops
