// SPDX-License-Identifier: Apache-2.0
#pragma once
// Activation functions: one operator each, so that their tails keep relative accuracy and bfloat16
// has cheaper forms.

#include <cmath>
#include <type_traits>

#include "tenon/ops/arithmetic.hpp"

namespace tenon::detail {

// A number as an unevaluated sum, to twice the precision.
template <class T> struct parts { T high, low; };

// exp(-shift) = scale; below -2 shift every activation here is zero in T.
template <class T> struct tail {
  static constexpr bool is_float = std::is_same_v<T, float>;
  static constexpr T shift = is_float ? T(64) : T(512);
  static constexpr T scale = is_float ? T(1.603810890548638e-28) : T(4.377491037053051e-223);
};

// x * sigmoid(y.high + y.low). exp(y) may be subnormal where the product is not: for y below
// -shift, where y + shift is exact, exp(y + shift) is taken and the scale is applied last.
// @pre x and y do not both become infinite in the negative direction.
template <class T> TENON_HD T times_sigmoid(T x, std::type_identity_t<parts<T>> y) {
  bool is_far = y.high < -tail<T>::shift;
  T scale = is_far ? tail<T>::scale : T(1);
  T power = math::exp(is_far ? y.high + tail<T>::shift : -math::abs(y.high));
  power += power * (y.high < 0 ? y.low : -y.low);
  return x * (y.high < 0 ? power : T(1)) / (1 + power * scale) * scale;
}

}  // namespace tenon::detail

namespace tenon::ops {

// NaN stays NaN; relu(-0) is +0.
struct relu : exact_op<1> {
  static constexpr text_view name = "relu";
  static constexpr bool makes_zeros = true;
  template <class T> static constexpr TENON_HD T eval(T x) { return math::maximum(x, T(0)); }
  template <class V> static constexpr V derivative(V d, V x, V) { return unless(x <= 0.0, d); }
  static double reference(double x) { return std::isnan(x) || x > 0 ? x : 0; }
};

struct activation_op : pointwise_op<1> {
  static constexpr dtype_rule rule = rules::to_float;
  static constexpr double tolerance_ulp = 5;
};

// 1 / (1 + exp(-x)); for x < 0 as exp(x) / (1 + exp(x)), which does not lose sigmoid(-100) =
// exp(-100).
struct sigmoid : activation_op {
  static constexpr text_view name = "sigmoid";
  static constexpr int cost = 30;
  static constexpr bool asks_for_sizes = true;
  static constexpr interval domain{-104, 90};
  template <class T> struct quotient { T number, by; };
  template <class T> static TENON_HD quotient<T> fraction(T x) {
    T power = math::exp(-math::abs(x));
    return {x < 0 ? power : T(1), 1 + power};
  }
  template <class T> static TENON_HD T eval(T x) {
    auto const [number, by] = fraction(x);
    return number / by;
  }
  static TENON_HD float eval_narrow(float x) {
    return math::approximate::reciprocal(1 + math::approximate::exp2(x * -1.44269504f));
  }
  template <class V> static constexpr V derivative(V d, V, V y) { return d * (y * (1.0 - y)); }
  static double reference(double x) {
    return static_cast<double>(1 / (1 + std::exp(-static_cast<long double>(x))));
  }
};

// x * sigmoid(x). silu(-inf) is the limit, -0; PyTorch gives NaN there.
struct silu : activation_op {
  static constexpr text_view name = "silu";
  static constexpr int cost = 36;
  static constexpr interval domain{-108, 90};
  template <class T> static TENON_HD T eval(T x) {
    if constexpr (std::is_same_v<T, float>) return in_float(x);
    x = math::maximum(x, -2 * detail::tail<T>::shift);
    return detail::times_sigmoid(x, {x, T(0)});
  }
  static TENON_HD float eval_narrow(float x) {
    x = math::maximum(x, -128.0f);
    return x * sigmoid::eval_narrow(x);
  }
  template <class V> static constexpr V derivative(V d, V x, V) {
    V const s = of<sigmoid>(x);
    return d * (s * (1.0 + x * (1.0 - s)));
  }
  static double reference(double x) {
    if (x == -math::infinity<double>) return -0.0;
    return static_cast<double>(x / (1 + std::exp(-static_cast<long double>(x))));
  }

 private:
  // max(x, 0) - t e / (1 + e) with t = |x|, e = exp(-t), and the quotient right to one rounding; t
  // is n log 2 and a rest, as in gelu below. No branch of a division keeps elements from being
  // computed together: H200, silu(layer_norm(x)) of 256 x 40960 f32 25.1 us instead of 33.7.
  static TENON_HD float in_float(float x) {
#if !defined(__CUDA_ARCH__)
    return math::host::silu(x);
#else
    constexpr float log2e = 1.44269502f, log2e_low = 1.92596299e-8f;
    constexpr float to_integer = 12582944.0f;         // 1.5 * 2^23 + 32
    constexpr float scale = 2.3283064365386963e-10f;  // 2^-32
    float const t = ::fminf(math::abs(x), 109.0f);
    float const biased = math::fma(t, -log2e, to_integer), n = biased - to_integer;
    float const rest = math::fma(t, -log2e_low, math::fma(t, -log2e, -n));
    float const e = __int_as_float(__float_as_int(math::approximate::exp2(rest)) +
                                   (__float_as_int(biased) << 23));
    float const below = math::fma(e, scale, 1.0f), w = math::approximate::reciprocal(below);
    float const above = t * e, about = above * w;
    float const quotient = math::fma(math::fma(-about, below, above), w, about);
    return math::fma(quotient, -scale, math::maximum(x, -0.0f));
#endif
  }
};

// log(1 + exp(x)) = log1p(exp(-|x|)) + max(x, 0), exact in both tails and therefore without a
// threshold.
struct softplus : activation_op {
  static constexpr text_view name = "softplus";
  static constexpr int cost = 42;
  static constexpr interval domain{-104, 1e30};
  template <class T> static TENON_HD T eval(T x) {
    // Of NaN the maximum is NaN.
    return math::log1p_of_finite(math::exp(-math::abs(x))) + math::maximum(x, T(0));
  }
  static TENON_HD float eval_narrow(float x) {
    float const power = math::approximate::exp2(math::abs(x) * -1.44269504f);
    return math::approximate::log1p(power) + math::maximum(x, 0.0f);
  }
  template <class V> static constexpr V derivative(V d, V x, V) { return d * of<sigmoid>(x); }
  static double reference(double x) {
    long double wide = x;
    return static_cast<double>(std::log1p(std::exp(-std::fabs(wide))) + (x > 0 ? wide : 0));
  }
};

}  // namespace tenon::ops
