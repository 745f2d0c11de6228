// SPDX-License-Identifier: Apache-2.0
#pragma once
// The upper tail of the normal distribution in float, by an own form: CUDA's erfcf is off by 4.5 units in the last place, too
// much for what is built on it.

#include "tenon/ops/close_exp.hpp"

namespace tenon::detail {

// value * 2^exponent, which may be subnormal where what it is multiplied to is not.
struct scaled_float {
  float value;
  int exponent;

  TENON_HD float number() const {
    int const half = exponent / 2;
    return value * math::power_of_two(half) * math::power_of_two(exponent - half);
  }
};

// 1 - Phi(t + low) = M exp(-exponent), exponent + exponent_low being half the square of t + low. M is p(q) / (t + 4) with
// q = (t - 4) / (t + 4), p minimax with a relative error of 2^-25.7. What the roundings of t, of t + 4 and of its reciprocal
// take away goes into `rest`: near t = 0 it would cost three units in the last place, as the rounding of the exponent would
// cost a hundred where t is large. The products are not rounded either before the last sum.
// @pre 0 <= t <= 15
inline TENON_HD scaled_float normal_tail(float t, float low, float exponent, float exponent_low) {
  math::split_exp const power = math::split_exp_of(-exponent);
  float shifted = t + 4;
  float w = 1 / shifted;
  float rest = math::fma(-shifted, w, 1.0f) - ((t - (shifted - 4)) + low) * w;
  float q = math::fma(-8.0f, w, 1.0f) - 8 * w * rest;
  float p = -0.00012250456f;
  p = math::fma(p, q, 0.00020084588f);
  p = math::fma(p, q, 0.0015731589f);
  p = math::fma(p, q, -0.003530173f);
  p = math::fma(p, q, -0.007530612f);
  p = math::fma(p, q, 0.06040893f);
  p = math::fma(p, q, -0.18652233f);
  p = math::fma(p, q, 0.38713637f);
  p = math::fma(p, q, -0.6078966f);
  p = math::fma(p, q, 0.75528514f);
  float quotient = math::fma(p, w, 0.0f);  // a product might be contracted with the sum it is used in
  float correction = rest - exponent_low;
  float part = math::fma(power.part, correction, correction) + power.part;
  return {quotient + math::fma(quotient, part, math::fma(p, w, -quotient)), power.exponent};
}

}  // namespace tenon::detail
