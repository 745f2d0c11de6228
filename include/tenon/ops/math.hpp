// SPDX-License-Identifier: Apache-2.0
#pragma once
// Elementary functions for float and double under one name on host and device, and the
// approximations bf16 allows.

#include <cmath>
#include <limits>
#include <type_traits>

#include "tenon/core/config.hpp"
#include "tenon/ops/circular.hpp"
#include "tenon/ops/device_log.hpp"
#include "tenon/ops/host_math.hpp"

namespace tenon::math {

// Variables, because device code may use a constant but not call std::numeric_limits.
template <class T> inline constexpr T infinity = std::numeric_limits<T>::infinity();
template <class T> inline constexpr T nan = std::numeric_limits<T>::quiet_NaN();
template <class T>
inline constexpr T smallest = std::numeric_limits<T>::has_infinity
                                  ? -infinity<T>
                                  : std::numeric_limits<T>::lowest();
template <class T>
inline constexpr T largest = std::numeric_limits<T>::has_infinity ? infinity<T>
                                                                  : std::numeric_limits<T>::max();

// The host's own forms become vector code; the device's are vector code as they are.
#if defined(__CUDA_ARCH__)
inline __device__ float exp(float x) { return ::expf(x); }
inline __device__ float exp2(float x) { return ::exp2f(x); }
inline __device__ float expm1(float x) { return ::expm1f(x); }
inline __device__ float log(float x) { return device::log(x); }
inline __device__ float log1p(float x) { return ::log1pf(x); }
inline __device__ float log2(float x) { return ::log2f(x); }
inline __device__ float log10(float x) { return ::log10f(x); }
inline __device__ float sin(float x) { return circular::sin(x); }
inline __device__ float cos(float x) { return circular::cos(x); }
inline __device__ float tanh(float x) { return ::tanhf(x); }
inline __device__ float erf(float x) { return ::erff(x); }
#else
inline TENON_HD float exp(float x) { return host::exp(x); }
inline TENON_HD float exp2(float x) { return host::exp2(x); }
inline TENON_HD float expm1(float x) { return host::expm1(x); }
inline TENON_HD float log(float x) { return host::log(x); }
inline TENON_HD float log1p(float x) { return host::log1p(x); }
inline TENON_HD float log2(float x) { return host::log2(x); }
inline TENON_HD float log10(float x) { return host::log10(x); }
inline TENON_HD float sin(float x) { return host::sin(x); }
inline TENON_HD float cos(float x) { return host::cos(x); }
inline TENON_HD float tanh(float x) { return host::tanh(x); }
inline TENON_HD float erf(float x) { return host::erf(x); }
#endif
inline TENON_HD float sqrt(float x) { return ::sqrtf(x); }
inline TENON_HD double sqrt(double x) { return ::sqrt(x); }
inline TENON_HD double exp(double x) { return ::exp(x); }
inline TENON_HD double exp2(double x) { return ::exp2(x); }
inline TENON_HD double expm1(double x) { return ::expm1(x); }
inline TENON_HD double log(double x) { return ::log(x); }
inline TENON_HD double log1p(double x) { return ::log1p(x); }
inline TENON_HD double sin(double x) { return ::sin(x); }
inline TENON_HD double cos(double x) { return ::cos(x); }
inline TENON_HD double tanh(double x) { return ::tanh(x); }
inline TENON_HD double erf(double x) { return ::erf(x); }
inline TENON_HD float erfc(float x) { return ::erfcf(x); }
inline TENON_HD double erfc(double x) { return ::erfc(x); }
inline TENON_HD float pow(float x, float y) { return ::powf(x, y); }
inline TENON_HD double pow(double x, double y) { return ::pow(x, y); }
inline TENON_HD float fma(float x, float y, float z) { return ::fmaf(x, y, z); }
inline TENON_HD double fma(double x, double y, double z) { return ::fma(x, y, z); }
inline TENON_HD double log2(double x) { return ::log2(x); }
inline TENON_HD double log10(double x) { return ::log10(x); }
inline TENON_HD float exp10(float x) { return ::exp10f(x); }
inline TENON_HD double exp10(double x) { return ::exp10(x); }
inline TENON_HD float tan(float x) { return ::tanf(x); }
inline TENON_HD double tan(double x) { return ::tan(x); }
inline TENON_HD float asin(float x) { return ::asinf(x); }
inline TENON_HD double asin(double x) { return ::asin(x); }
inline TENON_HD float acos(float x) { return ::acosf(x); }
inline TENON_HD double acos(double x) { return ::acos(x); }
inline TENON_HD float atan(float x) { return ::atanf(x); }
inline TENON_HD double atan(double x) { return ::atan(x); }
inline TENON_HD float sinh(float x) { return ::sinhf(x); }
inline TENON_HD double sinh(double x) { return ::sinh(x); }
inline TENON_HD float cosh(float x) { return ::coshf(x); }
inline TENON_HD double cosh(double x) { return ::cosh(x); }
inline TENON_HD float asinh(float x) { return ::asinhf(x); }
inline TENON_HD double asinh(double x) { return ::asinh(x); }
inline TENON_HD float acosh(float x) { return ::acoshf(x); }
inline TENON_HD double acosh(double x) { return ::acosh(x); }
inline TENON_HD float atanh(float x) { return ::atanhf(x); }
inline TENON_HD double atanh(double x) { return ::atanh(x); }
inline TENON_HD float cbrt(float x) { return ::cbrtf(x); }
inline TENON_HD double cbrt(double x) { return ::cbrt(x); }
inline TENON_HD float floor(float x) { return ::floorf(x); }
inline TENON_HD double floor(double x) { return ::floor(x); }
inline TENON_HD float ceil(float x) { return ::ceilf(x); }
inline TENON_HD double ceil(double x) { return ::ceil(x); }
inline TENON_HD float trunc(float x) { return ::truncf(x); }
inline TENON_HD double trunc(double x) { return ::trunc(x); }
// To nearest, halves to even.
inline TENON_HD float round(float x) { return ::rintf(x); }
inline TENON_HD double round(double x) { return ::rint(x); }
inline TENON_HD float atan2(float x, float y) { return ::atan2f(x, y); }
inline TENON_HD double atan2(double x, double y) { return ::atan2(x, y); }
inline TENON_HD float hypot(float x, float y) { return ::hypotf(x, y); }
inline TENON_HD double hypot(double x, double y) { return ::hypot(x, y); }
inline TENON_HD float fmod(float x, float y) { return ::fmodf(x, y); }
inline TENON_HD double fmod(double x, double y) { return ::fmod(x, y); }
inline TENON_HD float nextafter(float x, float y) { return ::nextafterf(x, y); }
inline TENON_HD double nextafter(double x, double y) { return ::nextafter(x, y); }

// log1p where x is finite and not negative: a number that can be no other asks no question.
template <class T> inline TENON_HD T log1p_of_finite(T x) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<T, float>) {
    unsigned const bits = __float_as_uint(x);
    return ::log1pf(__uint_as_float(bits < 0x7f7fffffu ? bits : 0x7f7fffffu));
  }
#endif
  return math::log1p(x);
}

#if defined(__CUDA_ARCH__)
inline __device__ float rsqrt(float x) { return ::rsqrtf(x); }
inline __device__ double rsqrt(double x) { return ::rsqrt(x); }
#else
inline TENON_HD float rsqrt(float x) { return 1 / ::sqrtf(x); }
inline TENON_HD double rsqrt(double x) { return 1 / ::sqrt(x); }
#endif

// Clears the sign, also of zero. Compiler builtins, because they are usable in constant evaluation.
template <class T> constexpr TENON_HD T abs(T x) {
  if constexpr (std::is_same_v<T, float>)
    return __builtin_fabsf(x);
  else if constexpr (std::is_same_v<T, double>)
    return __builtin_fabs(x);
  else
    return x < 0 ? -x : x;
}
template <class T> constexpr TENON_HD T copysign(T x, T sign) {
  if constexpr (std::is_same_v<T, float>)
    return __builtin_copysignf(x, sign);
  else if constexpr (std::is_same_v<T, double>)
    return __builtin_copysign(x, sign);
  else
    return (x < 0) == (sign < 0) ? x : -x;
}

// 0 where the condition holds, else x. Of bits: a compiler would compute x in a branch, and a loop
// with a branch does not become vector code.
template <class T> constexpr TENON_HD T zero_if(bool condition, T x) {
  using word = std::conditional_t<std::is_same_v<T, float>, int, long long>;
  word const kept = static_cast<word>(condition) - 1;
  return __builtin_bit_cast(T, __builtin_bit_cast(word, x) & kept);
}

namespace detail {
template <bool IsMaximum, class T> constexpr TENON_HD T extremum(T x, T y) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  if constexpr (std::is_same_v<T, float>) {
    if (!__builtin_is_constant_evaluated()) {
      float result;
      if constexpr (IsMaximum)
        asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(x), "f"(y));
      else
        asm("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(x), "f"(y));
      return result;
    }
  }
#endif
  T const first = (IsMaximum ? x > y : x < y) ? x : y;
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    // The other choice differs from the first where both are zeros and where one is NaN. Bits are
    // combined, because a loop with a branch does not become vector code.
    using word = std::conditional_t<std::is_same_v<T, float>, int, long long>;
    T const second = (IsMaximum ? y > x : y < x) ? y : x;
    word const a = __builtin_bit_cast(word, first), b = __builtin_bit_cast(word, second);
    word const is_nan = -(static_cast<word>(x != x) | static_cast<word>(y != y));
    return __builtin_bit_cast(T, (IsMaximum ? a & b : a | b) | is_nan);
  } else if constexpr (std::is_floating_point_v<T>) {  // long double, of references
    return x != x ? x : first;
  } else {
    return first;
  }
}
}  // namespace detail

// IEEE 754-2019 maximum and minimum: NaN if either is NaN, and +0 is larger than -0, so that a
// reduction is the same in any order.
template <class T> constexpr TENON_HD T maximum(T x, T y) { return detail::extremum<true>(x, y); }
template <class T> constexpr TENON_HD T minimum(T x, T y) { return detail::extremum<false>(x, y); }

// (1 - Phi(t)) (t + 3.7578125) exp(t^2 / 2), Phi the normal distribution function, where u is
// t / (t + 3.7578125) - 0.40625: minimax, relative error 2^-25.6 up to t = 14.5.
inline TENON_HD float tail_polynomial(float u) {
  float p = 0.114302106f;
  p = fma(p, u, -0.0160038434f);
  p = fma(p, u, -0.285229057f);
  p = fma(p, u, 0.189315975f);
  p = fma(p, u, 0.559420407f);
  p = fma(p, u, -1.44272494f);
  p = fma(p, u, 1.79126585f);
  p = fma(p, u, -1.47741842f);
  return fma(p, u, 0.874371231f);
}

// One instruction each on the device, flushing subnormals: relative error 2^-22, and 2^-11 for
// tanh. log2 and sqrt take some more for subnormal operands; the error of log2 between 1/2 and 2
// is absolute. For results that are rounded to bfloat16, whose quarter unit in the last place is
// 2^-10, or, all but tanh, to half, where it is 2^-13; and functions by them.
namespace approximate {

inline TENON_HD float exp2(float x) {
#if defined(__CUDA_ARCH__)
  asm("ex2.approx.ftz.f32 %0, %0;" : "+f"(x));
  return x;
#else
  return host::exp2(x);
#endif
}
inline TENON_HD float reciprocal(float x) {
#if defined(__CUDA_ARCH__)
  asm("rcp.approx.ftz.f32 %0, %0;" : "+f"(x));
  return x;
#else
  return 1 / x;
#endif
}
inline TENON_HD float log2(float x) {
#if defined(__CUDA_ARCH__)
  asm("lg2.approx.f32 %0, %0;" : "+f"(x));
  return x;
#else
  return host::log2(x);
#endif
}
inline TENON_HD float sqrt(float x) {
#if defined(__CUDA_ARCH__)
  asm("sqrt.approx.f32 %0, %0;" : "+f"(x));
  return x;
#else
  return ::sqrtf(x);
#endif
}
inline TENON_HD float tanh(float x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 750
  asm("tanh.approx.f32 %0, %0;" : "+f"(x));
  return x;
#else
  return host::tanh(x);
#endif
}

// log(1 + t) = 2 artanh(t / (2 + t)) near 0, where 1 + t would round: error 2^-19 up to 1/4.
inline TENON_HD float log1p_near_0(float t) {
  float const s = t * reciprocal(t + 2), square = s * s;
  return s * (2 + square * (0.666666687f + square * 0.400000006f));
}
inline constexpr float near_0 = 0.25f;
inline TENON_HD float log(float x) {
  float const t = x - 1;
  return math::abs(t) < near_0 ? log1p_near_0(t) : log2(x) * 0.693147182f;
}
inline TENON_HD float log1p(float x) {
  return math::abs(x) < near_0 ? log1p_near_0(x) : log2(x + 1) * 0.693147182f;
}
// By the series near 0: error 2^-17 up to 1/4.
inline TENON_HD float expm1(float x) {
  float const series =
      x * (1 + x * (0.5f + x * (0.166666672f + x * (0.0416666679f + x * 0.00833333377f))));
  return math::abs(x) < near_0 ? series : exp2(x * 1.44269504f) - 1;
}
// 1 - Phi(t): error 2^-18 up to t = 5.6 and 2^-16 beyond, where it is at least 2^-118.
// @pre 0 <= t <= 14.5
inline TENON_HD float normal_tail(float t) {
  float const w = reciprocal(t + 3.7578125f);
  return tail_polynomial(t * w - 0.40625f) * w * exp2(t * t * -0.72134752f);
}

}  // namespace approximate
}  // namespace tenon::math
