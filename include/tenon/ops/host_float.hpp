// SPDX-License-Identifier: Apache-2.0
#pragma once
// Exponentials and what is made of them in float arithmetic for the host, without branches or
// calls: a vector register holds twice as many elements as of double.
//
// Every form is right with and without fused multiply-adds. The polynomials are minimax fits
// (least squares, reweighted until the greatest errors are equal), their coefficients rounded to
// float one by one, the lower ones first, with the others fitted anew; the error beside each is
// that of the rounded coefficients relative to the function.

#include "tenon/core/config.hpp"

#if !defined(__CUDA_ARCH__)
namespace tenon::math::host {

// Selections are made of bits: a compiler moves arithmetic into the branch that a conditional
// expression is, and then finds control flow in the loop.
inline TENON_HD unsigned bits_of(float x) { return __builtin_bit_cast(unsigned, x); }
inline TENON_HD float float_of(unsigned bits) { return __builtin_bit_cast(float, bits); }
// NaN becomes a bound in these three; nan_where brings it back.
inline TENON_HD float at_most(float x, float positive_bound) {
  int const bits = __builtin_bit_cast(int, x), bound = __builtin_bit_cast(int, positive_bound);
  return __builtin_bit_cast(float, bits < bound ? bits : bound);
}
inline TENON_HD float at_least(float x, float negative_bound) {
  unsigned const bits = bits_of(x), bound = bits_of(negative_bound);
  return __builtin_bit_cast(float, bits < bound ? bits : bound);
}
inline TENON_HD float magnitude_up_to(float bound, float x) {
  return at_most(float_of(bits_of(x) & 0x7fffffffu), bound);
}
inline TENON_HD float nan_where(float x, float result) {
  return float_of(bits_of(result) | -static_cast<unsigned>(x != x));
}
// The sign of x at what is not negative.
inline TENON_HD float with_sign_of(float x, float magnitude) {
  return float_of(bits_of(magnitude) | (bits_of(x) & 0x80000000u));
}
inline TENON_HD float chosen(bool condition, float first, float second) {
  unsigned const mask = -static_cast<unsigned>(condition);
  return float_of((bits_of(first) & mask) | (bits_of(second) & ~mask));
}
// As integers, which floats that are not negative are in the order of: no select of a float.
inline TENON_HD bool is_below(float bound, float magnitude) {
  return static_cast<int>(bits_of(magnitude)) < static_cast<int>(bits_of(bound));
}

// Adding it rounds a float below 2^22 to an integer, which then stands in the low bits.
inline constexpr float float_to_integer = 0x1.8p23f;
// log(2); the product of the high part with an integer of eight bits is exact.
inline constexpr float log_2_high = 0x1.62e4p-1f, log_2_low = 0x1.7f7d1cp-20f;
inline constexpr float log2_e = 0x1.715476p0f;

// exp(f) - 1, within 2^-28.2 of exp(f). @pre |f| is at most log(2) / 2
inline TENON_HD float exp_beside_1(float f) {
  float const square = f * f;
  float const high = 0x1.6a4002p-10f * square + (0x1.1239ecp-7f * f + 0x1.5558bep-5f);
  return square * (high * square + (0x1.555492p-3f * f + 0x1.fffffcp-2f)) + f;
}
// 2^f - 1, within 2^-28.2 of 2^f. @pre |f| is at most 1/2
inline TENON_HD float exp2_beside_1(float f) {
  float const square = f * f;
  float const high = 0x1.41781ep-13f * f + 0x1.5f0ae2p-10f;
  float const middle = 0x1.3b2dd6p-7f * f + 0x1.c6af78p-5f;
  return f * ((high * square + middle) * square + (0x1.ebfbdcp-3f * f + 0x1.62e430p-1f));
}

// (1 + part) 2^n, with n + Bias in the low bits of `biased`.
struct scaled_part {
  float part;
  unsigned biased;

  // 2^n. @pre Bias is 127 and what moves n between -126 and 127
  TENON_HD float scale() const { return float_of(biased << 23); }
};
template <int Bias> TENON_HD scaled_part parts_of_exp(float x) {
  float const shifted = x * log2_e + (float_to_integer + Bias);
  float const n = shifted - (float_to_integer + Bias);
  return {exp_beside_1((x - n * log_2_high) - n * log_2_low), bits_of(shifted)};
}
// Of any n that a float's exponent may be, by two factors. @pre Bias is 254
inline TENON_HD float number_of(scaled_part const& e) {
  unsigned const half = e.biased >> 1;
  float const first = float_of(half << 23), second = float_of((e.biased - half) << 23);
  return (e.part * first + first) * second;
}

// Beyond the bounds the result is 0 or infinite.
inline TENON_HD float exp(float x) {
  return nan_where(x, number_of(parts_of_exp<254>(at_most(at_least(x, -104.0f), 89.0f))));
}
inline TENON_HD float exp2(float x) {
  float const bounded = at_most(at_least(x, -152.0f), 129.0f);
  float const shifted = bounded + (float_to_integer + 254);
  float const f = bounded - (shifted - (float_to_integer + 254));
  return nan_where(x, number_of({exp2_beside_1(f), bits_of(shifted)}));
}

// 1 - 2 / (exp(2 t) + 1), t = |x|; where that is below 1/2 a polynomial within 2^-29.7.
inline TENON_HD float tanh(float x) {
  float const t = magnitude_up_to(10, x), square = t * t, fourth = square * square;
  float const high = -0x1.9921a2p-8f * fourth + (0x1.58e518p-6f * square - 0x1.b91e7ep-5f);
  float const p = high * fourth + (0x1.110ceep-3f * square - 0x1.55554ap-2f);
  scaled_part const e = parts_of_exp<127>(t + t);
  float const large = 1 - 2 / (e.scale() * e.part + (e.scale() + 1));
  float const result = chosen(is_below(0.55f, t), t * (square * p) + t, large);
  return nan_where(x, with_sign_of(x, result));
}

// 1 - 2^q(t), t = |x|, 2^q within 2^-30 of 1; where that is below 1/2 a polynomial within 2^-30.
inline TENON_HD float erf(float x) {
  float const t = magnitude_up_to(4, x), square = t * t;
  float p = 0x1.37a1c4p-8f;
  p = p * square - 0x1.b6a5c8p-6f;
  p = p * square + 0x1.ce2720p-4f;
  p = p * square - 0x1.812738p-2f;
  p = p * square + 0x1.06eba8p-3f;
  float even = -0x1.aff768p-17f, odd = 0x1.100666p-13f;
  even = even * square - 0x1.cf981cp-13f;
  odd = odd * square - 0x1.cd6294p-9f;
  even = even * square + 0x1.042798p-5f;
  odd = odd * square - 0x1.35a1bcp-3f;
  even = even * square - 0x1.d597e8p-1f;
  odd = odd * square - 0x1.a0d314p+0f;
  float const q = odd * t + (even * square + 0x1.16b2e2p-15f);
  float const shifted = q + (float_to_integer + 127);
  scaled_part const e{exp2_beside_1(q - (shifted - (float_to_integer + 127))), bits_of(shifted)};
  float const large = (1 - e.scale()) - e.scale() * e.part;
  return nan_where(x, with_sign_of(x, chosen(is_below(0.4775f, t), t * p + t, large)));
}

// max(x, 0) - t e / (1 + e), t = |x|, e = exp(-t), which 2^32 keeps from being subnormal. Its part
// is multiplied last, where its rounding counts least.
inline TENON_HD float silu(float x) {
  float const t = magnitude_up_to(110, x);
  scaled_part const e = parts_of_exp<127 + 32>(-t);
  float const above = t * e.scale(), below = (e.part * e.scale() + e.scale()) * 0x1p-32f + 1;
  return nan_where(x, (above * e.part + above) / below * -0x1p-32f + at_least(x, -0.0f));
}

// max(x, 0) - t (1 - Phi(t)), t = |x|: the product is z p(z) exp(-t^2 / 2) with
// z = t / (t + 3.7578125) and p within 2^-25.7. Half the square of t is an exact number of few bits
// and a rest; 2^32 keeps the exponential from being subnormal.
inline TENON_HD float gelu(float x) {
  float const t = magnitude_up_to(14.5f, x), few_bits = float_of(bits_of(t) & 0xfffff000u);
  float const half_square = few_bits * few_bits * -0.5f;
  float const rest = (t - few_bits) * (t + few_bits) * -0.5f;
  float const shifted = half_square * log2_e + (float_to_integer + 127 + 32);
  float const n = shifted - (float_to_integer + 127 + 32);
  float const f = (half_square - n * log_2_high) + (rest - n * log_2_low);
  scaled_part const e{exp_beside_1(f), bits_of(shifted)};
  float const z = t / (t + 3.7578125f), u = z - 0.40625f, square = u * u;
  float p = 0x1.db71a8p-4f * square + (-0x1.09636cp-6f * u - 0x1.249ba8p-2f);
  p = p * square + (0x1.83e908p-3f * u + 0x1.1e7428p-1f);
  p = p * u - 0x1.7156dep+0f;
  p = p * u + 0x1.ca9050p+0f;
  p = p * u - 0x1.7a3810p+0f;
  p = p * u + 0x1.bfad98p-1f;
  float const product = z * p * e.scale();
  return nan_where(x, (product * e.part + product) * -0x1p-32f + at_least(x, -0.0f));
}

}  // namespace tenon::math::host
#endif
