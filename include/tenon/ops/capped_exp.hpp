// SPDX-License-Identifier: Apache-2.0
#pragma once
// The exponential of what a hyperbolic tangent bounds, less the bound: a term of the log-sum-exp of
// capped logits.

#include "tenon/ops/elementary.hpp"

namespace tenon::math {

// exp(c (tanh(k x) - 1)), 0 < c <= 40 and 0 < k, where an exponent may be off by 2^-22 c. e =
// exp(-2 |k x|), so that 1 + e is 1 to 2: its reciprocal begins within 1 / 99 (the polynomial of
// Chebyshev's third) and is within 2^-26 after one step of fourth order. Of multiplications,
// because a third function of the special function unit would be what is waited for: H200, cross
// entropy of 4096 x 65536 bf16 236 us instead of 213.
#if defined(__CUDA_ARCH__)
inline TENON_HD float capped_exp(float x, float k, float c) {
  float const e = approximate::exp2(abs(x) * (k * -2.88539008f)), divisor = 1 + e;
  float const near = fma(fma(e, 0.323232323f, -0.808080808f), e, 0.989898990f);
  float const rest = fma(-divisor, near, 1.0f), nearer = fma(near, rest, near);
  float const tangent = __builtin_copysignf(fma(fma(nearer, rest * rest, nearer), 2.0f, -1.0f), x);
  return approximate::exp2(fma(tangent, c * 1.44269504f, c * -1.44269504f));
}
#else
inline TENON_HD float capped_exp(float x, float k, float c) {
  return host::exp(c * (host::tanh(k * x) - 1));
}
#endif

}  // namespace tenon::math

namespace tenon::ops {

// Of x, k and c.
struct capped_exp : pointwise_op<3> {
  static constexpr text_view name = "capped_exp";
  static constexpr int cost = 20;
  template <class T> static TENON_HD T eval(T x, T k, T c) { return math::capped_exp(x, k, c); }
};

}  // namespace tenon::ops
