// SPDX-License-Identifier: Apache-2.0
#pragma once
// The natural logarithm of a device: of usual numbers, which need no question, and of all.

#include "tenon/core/config.hpp"

#if defined(__CUDA_ARCH__)
namespace tenon::math::device {

// log(x) + below * log(2): x = 2^k (1 + f) with 1 + f between sqrt(1/2) and sqrt(2), and
// log(1 + f) = f - f^2 / 2 + f^3 p(f), within 2^-27.3 (host_float.hpp says how p was made).
// @pre x is positive, normal and finite
inline __device__ float log_of_normal(float x, float below = 0) {
  unsigned const bits = __float_as_uint(x), exponent = (bits - 0x3f3504f3u) & 0xff800000u;
  float const k = __fmaf_rn(static_cast<float>(static_cast<int>(exponent)), 0x1p-23f, below),
              f = __fadd_rn(__uint_as_float(bits - exponent), -1.0f);
  float p = -0x1.38c9fap-4f;
  p = __fmaf_rn(p, f, 0x1.0573b2p-3f);
  p = __fmaf_rn(p, f, -0x1.0d8bfap-3f);
  p = __fmaf_rn(p, f, 0x1.22d710p-3f);
  p = __fmaf_rn(p, f, -0x1.547164p-3f);
  p = __fmaf_rn(p, f, 0x1.99a028p-3f);
  p = __fmaf_rn(p, f, -0x1.00022ap-2f);
  p = __fmaf_rn(p, f, 0x1.555554p-2f);
  p = __fmaf_rn(p, f, -0.5f);
  return __fmaf_rn(k, 0.693147182f, __fmaf_rn(__fmul_rn(f, p), f, f));
}

inline __device__ float log(float x) {
  bool const is_below = x < 0x1p-126f;
  float const normal = is_below ? x * 0x1p23f : x, infinity = __int_as_float(0x7f800000);
  float result = log_of_normal(normal, is_below ? -23.0f : 0.0f);
  // Infinity; NaN of what is negative.
  if (__float_as_uint(normal) >= 0x7f800000u) result = __fmaf_rn(normal, infinity, infinity);
  return normal == 0 ? -infinity : result;
}

}  // namespace tenon::math::device
#endif
