// SPDX-License-Identifier: Apache-2.0
#pragma once
// Activation functions by the normal distribution: gelu, its slope, and gelu by tanh.

#include "tenon/ops/activation.hpp"
#include "tenon/ops/elementary.hpp"

namespace tenon::detail {

// A constant as high + low, where high is the constant rounded to T.
template <class T, class Constant> struct two_part {
  static constexpr T high = static_cast<T>(Constant::value);
  static constexpr T low =
      static_cast<T>(Constant::value - static_cast<double>(high) + Constant::rest);
};
struct sqrt_half {
  static constexpr double value = 0.7071067811865476, rest = -4.833646656726457e-17;
};
struct sqrt_8_over_pi {
  static constexpr double value = 1.5957691216057308, rest = -9.96930880911092e-17;
};
struct gelu_tanh_cubic {  // 0.044715 * sqrt(8 / pi)
  static constexpr double value = 0.07135481627260025, rest = -6.175149918155315e-19;
};

// The product of x and a number, to twice the precision. The high part is the result of an fma
// because a product might be contracted with a later sum, and then no longer be what low belongs
// to.
template <class T> TENON_HD parts<T> multiply(T x, std::type_identity_t<parts<T>> factor) {
  T rest = x * factor.low;
  T high = math::fma(x, factor.high, rest);
  return {high, math::fma(x, factor.high, -high) + rest};
}

}  // namespace tenon::detail

namespace tenon::ops {

// The derivative of gelu, Phi(x) + x phi(x), phi being Phi's. Below 0 it is phi(t) (R(t) - t) with
// t = |x| and R = (1 - Phi) / phi, and above what that lacks to 1: one exponential for both terms.
struct gelu_slope : activation_op {
  static constexpr text_view name = "gelu_slope";
  static constexpr int cost = 28;
  static constexpr interval domain{-14.3, 14};
  template <class T> static TENON_HD T eval(T x) {
#if defined(__CUDA_ARCH__)
    if constexpr (std::is_same_v<T, float>) return in_float(x);
#endif
    T const near = math::maximum(math::minimum(x, T(40)), T(-40));
    return T(0.5) * erfc::eval(T(-0.7071067811865476) * near) +
           near * (T(0.3989422804014327) * math::exp(T(-0.5) * (near * near)));
  }
  // R / sqrt(2 pi) by a polynomial with an error that is 2^-15 of what remains of it, or of 1/20.
  // NaN is in the square.
  static TENON_HD float eval_narrow(float x) {
    float const t = ::fminf(math::abs(x), 14.5f);
    float const w = math::approximate::reciprocal(t + 3.7578125f), u = math::fma(t, w, -0.40625f);
    float p = 0.359398931f;
    p = math::fma(p, u, -1.45489776f);
    p = math::fma(p, u, 1.80484903f);
    p = math::fma(p, u, -1.47541451f);
    p = math::fma(p, u, 0.874368608f);
    float const below =
        math::fma(p, w, t * -0.398942280f) * math::approximate::exp2(x * x * -0.72134752f);
    return x < 0 ? below : 1 - below;
  }
  template <class V> static constexpr V derivative(V d, V x, V) {
    V const square = x * x;
    return d * (0.3989422804014327 * of<exp>(-0.5 * square) * (2.0 - square));
  }
  static double reference(double x) {
    if (std::isinf(x)) return x > 0 ? 1 : 0;
    long double const wide = x;
    return static_cast<double>(0.5L * std::erfc(-wide * std::sqrt(0.5L)) +
                               wide * std::exp(-0.5L * wide * wide) *
                                   0.39894228040143267793994605993438L);
  }

 private:
#if defined(__CUDA_ARCH__)
  // As gelu below: the exponential has 2^32 that keep it from being subnormal, and its exponent a
  // rest that is exact.
  static __device__ float in_float(float x) {
    constexpr float half_log2e = 0.72134752f, half_log2e_low = 9.6298e-9f;
    constexpr float to_integer = 12582944.0f;         // 1.5 * 2^23 + 32
    constexpr float scale = 2.3283064365386963e-10f;  // 2^-32
    float const t = ::fminf(math::abs(x), 14.75f), scaled = t * -half_log2e;
    float const biased = math::fma(t, scaled, to_integer), n = biased - to_integer;
    float const rest = math::fma(t, scaled, -n),
                scaled_low = math::fma(t, half_log2e_low, math::fma(t, half_log2e, scaled));
    float const power = math::approximate::exp2(math::fma(-t, scaled_low, rest));
    float const e = __int_as_float(__float_as_int(power) + (__float_as_int(biased) << 23));
    float const w = math::approximate::reciprocal(t + 3.7578125f);
    float const p = math::tail_polynomial(math::fma(t, w, -0.40625f));
    float const below = math::fma(p, w, t * -0.398942280f) * e;
    float const beyond = x < 0 ? 0.0f : x != x ? x : 1.0f;
    return math::fma(below, x < 0 ? scale : -scale, beyond);
  }
#endif
};

// x * Phi(x), Phi the normal distribution function; gelu(-inf) is the limit, -0.
struct gelu : activation_op {
  static constexpr text_view name = "gelu";
  static constexpr int cost = 27;
  static constexpr interval domain{-14.3, 14};
  template <class T> static TENON_HD T eval(T x) {
    if constexpr (std::is_same_v<T, float>)
      return in_float(x);
    else
      return by_erfc(x);
  }
  // 1 - Phi(t) = 2^q(t), q minimax with an error that is 2^-11 of the result: one instruction of
  // the slow unit, not two, and nothing to be kept beside t.
  static TENON_HD float eval_bf16(float x) {
    float const t = ::fminf(math::abs(x), 14.5f);
    float q = -3.59108299e-07f;
    q = q * t + 1.94541171e-05f;
    q = q * t - 0.000444783102f;
    q = q * t + 0.00566338934f;
    q = q * t - 0.0452348851f;
    q = q * t - 0.471399635f;
    q = q * t - 1.14399254f;
    q = q * t - 1.00066578f;
    return math::maximum(x, -0.0f) - t * math::approximate::exp2(q);
  }
  template <class V> static constexpr V derivative(V d, V x, V) { return d * of<gelu_slope>(x); }
  static double reference(double x) {
    if (x == -math::infinity<double>) return -0.0;
    return static_cast<double>(0.5L * x * std::erfc(-x * std::sqrt(0.5L)));
  }

 private:
  // t (1 - Phi(t)) = z p(z) exp(-t^2 / 2) with z = t / (t + 3.7578125), a quotient that is right to
  // one rounding, and p minimax with a relative error of 2^-25.6, which contains that half_log2e is
  // rounded. The exponent is n, an integer, and a rest that is exact: what the product's rounding
  // takes away is added. 2^n is an addition to the exponent's bits, with 2^32 that keep exp2 from
  // being subnormal. There is no branch: with one, most warps would go both ways.
  static TENON_HD float in_float(float x) {
#if !defined(__CUDA_ARCH__)
    return math::host::gelu(x);
#else
    constexpr float half_log2e = 0.72134752f, to_integer = 12582944.0f;  // 1.5 * 2^23 + 32
    float const t = ::fminf(math::abs(x), 14.5f), scaled = t * -half_log2e;
    float const biased = math::fma(t, scaled, to_integer), n = biased - to_integer;
    float const rest = math::fma(t, scaled, -n), scaled_low = math::fma(t, half_log2e, scaled);
    float const power = math::approximate::exp2(math::fma(-t, scaled_low, rest));
    float const e = __int_as_float(__float_as_int(power) + (__float_as_int(biased) << 23));
    float const shifted = t + 3.7578125f, w = math::approximate::reciprocal(shifted), about = t * w;
    float const z = math::fma(math::fma(-shifted, about, t), w, about), u = z - 0.40625f;
    float const p = math::tail_polynomial(u);
    return math::fma(z * p * e, -2.3283064365386963e-10f, math::maximum(x, -0.0f));  // 2^-32
#endif
  }
  // Phi(x) = erfc(z) / 2 with z = -x / sqrt(2) does not cancel as 1 + erf does. In the tail erfc
  // magnifies the rounding of z by 2 z^2, up to 170: z's low part corrects it to first order,
  // erfc'(z) being about -2 z erfc(z). The correction comes last because erfc is subnormal where x
  // erfc is not.
  template <class T> static TENON_HD T by_erfc(T x) {
    using constant = detail::two_part<T, detail::sqrt_half>;
    x = math::maximum(x, T(-40));
    T bounded = math::minimum(x, T(40));
    auto z = detail::multiply(-bounded, {constant::high, constant::low});
    T result = T(0.5) * x * math::erfc(z.high);
    return z.high > 0 ? result * (1 - 2 * z.high * z.low) : result;
  }
};

// x * (1 + tanh(y / 2)) / 2 = x * sigmoid(y), y = sqrt(8 / pi) (x + 0.044715 x^3): gelu as many
// networks were trained.
struct gelu_tanh : activation_op {
  static constexpr text_view name = "gelu_tanh";
  static constexpr int cost = 52;
  static constexpr interval domain{-10.6, 14};
  // The sigmoid's tail magnifies the rounding of y by |y|, up to 100, so y is computed as a sum of
  // two numbers.
  template <class T> static TENON_HD T eval(T x) {
#if !defined(__CUDA_ARCH__)
    if constexpr (std::is_same_v<T, float>) return math::host::gelu_tanh(x);
#endif
    using linear = detail::two_part<T, detail::sqrt_8_over_pi>;
    using cubic = detail::two_part<T, detail::gelu_tanh_cubic>;
    T const bound = 2 * detail::tail<T>::shift;
    x = math::maximum(x, -bound);
    T u = math::minimum(x, bound);
    T square = u * u;
    T square_low = math::fma(u, u, -square);
    auto term = detail::multiply(square, {cubic::high, cubic::low});
    T factor = linear::high + term.high;
    T part = factor - linear::high;  // Knuth's exact sum: either term may be the larger
    T factor_low = (linear::high - (factor - part)) + (term.high - part) +
                   (term.low + cubic::high * square_low + linear::low);
    return detail::times_sigmoid(x, detail::multiply(u, {factor, factor_low}));
  }
  static TENON_HD float eval_narrow(float x) {
    x = math::maximum(x, -14.0f);
    float q = 0.102943243f * x * x + 2.30220819f;  // y / (x log 2)
    return x * math::approximate::reciprocal(1 + math::approximate::exp2(-x * q));
  }
  template <class V> static constexpr V derivative(V d, V x, V) {
    V const s = of<sigmoid>(x * (1.5957691216057308 + 0.07135481627260025 * (x * x)));
    V const slope = 1.5957691216057308 + 0.21406444881780075 * (x * x);
    return d * (s * (1.0 + x * slope * (1.0 - s)));
  }
  static double reference(double x) {
    if (x == -math::infinity<double>) return -0.0;
    long double wide = x;
    long double y = 1.59576912160573071176L * (wide + 0.044715L * wide * wide * wide);
    return static_cast<double>(wide / (1 + std::exp(-y)));
  }
};

}  // namespace tenon::ops
