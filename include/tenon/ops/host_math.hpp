// SPDX-License-Identifier: Apache-2.0
#pragma once
// Elementary functions of float for the host, without branches or calls, so that a loop over them
// becomes vector code.
//
// The C library's functions are called element by element: two to five times as long, erf twenty
// times. Of those here all but log are computed in double, where neither the reduction of the
// argument nor the polynomial needs a compensated form, and rounded once: within 0.7 units in the
// last place, subnormal results included.

#include "tenon/ops/host_angle.hpp"
#include "tenon/ops/host_float.hpp"

#if !defined(__CUDA_ARCH__)
namespace tenon::math::host {

// 2^v = scale + scale * part, where part is exact to 2^-26.5 relative to itself.
struct power_of_two {
  double scale, part;
};
// @pre -1000 <= v <= 1000
inline TENON_HD power_of_two split_power(double v) {
  double const shifted = v + (to_integer + 1023);
  double const f = v - (shifted - (to_integer + 1023));
  double p = 0.00015403503110476626;
  p = p * f + 0.0013390735915000175;
  p = p * f + 0.009618237525860059;
  p = p * f + 0.055503574328434;
  p = p * f + 0.2402264979475398;
  p = p * f + 0.6931471879268458;
  long long const exponent = __builtin_bit_cast(long long, shifted) << 52;
  return {__builtin_bit_cast(double, exponent), p * f};
}

inline TENON_HD long long bits_of(double x) { return __builtin_bit_cast(long long, x); }

// x, but not beyond `bound` in magnitude; NaN becomes a number.
inline TENON_HD float bounded(float x, float bound) {
  int const magnitude = static_cast<int>(bits_of(x) & 0x7fffffffu);
  int const limit = static_cast<int>(bits_of(bound));
  unsigned const least = static_cast<unsigned>(magnitude < limit ? magnitude : limit);
  return __builtin_bit_cast(float, (bits_of(x) & 0x80000000u) | least);
}
// `other` where the condition holds, else x.
inline TENON_HD float replaced(float x, bool condition, float other) {
  unsigned const mask = -static_cast<unsigned>(condition);
  return __builtin_bit_cast(float, (bits_of(x) & ~mask) | (bits_of(other) & mask));
}
inline TENON_HD float expm1(float x) {
  power_of_two const power = split_power(double{bounded(x, 104)} * 1.4426950408889634);
  double const result = power.scale * power.part + (power.scale - 1);
  return nan_where(x, __builtin_copysignf(static_cast<float>(result), x));
}

// x / (1 + exp(-y)). @pre y is below 600 in magnitude
inline TENON_HD float times_sigmoid(double x, double y) {
  power_of_two const power = split_power(y * -1.4426950408889634);
  return static_cast<float>(x / (1 + (power.scale + power.scale * power.part)));
}
// Below -16 it is zero in float.
inline TENON_HD float gelu_tanh(float x) {
  double const u = bounded(x, 12);
  return times_sigmoid(replaced(x, x < -16, -16),
                       u * (1.5957691216057308 + 0.07135481627260025 * (u * u)));
}

// log(u): u = 2^k m with m between sqrt(1/2) and sqrt(2), log(m) = 2 artanh((m - 1) / (m + 1)).
// @pre u is positive, normal and finite
inline TENON_HD double log_of(double u) {
  unsigned long long const least = 0x3fe6a09e667f3bcd;  // sqrt(1/2)
  unsigned long long const above = static_cast<unsigned long long>(bits_of(u)) - least +
                                   (1023ull << 52);  // k + 1023 from bit 52 on
  unsigned long long const exponent = above >> 52;
  double const k = __builtin_bit_cast(double, exponent | 0x4330000000000000) - (0x1p52 + 1023);
  double const m = __builtin_bit_cast(
      double, static_cast<unsigned long long>(bits_of(u)) - (exponent << 52) + (1023ull << 52));
  double const s = (m - 1) / (m + 1), square = s * s;
  double p = 0.2992863726401585;
  p = p * square + 0.3997468496047386;
  p = p * square + 0.6666681692189677;
  p = p * square + 1.9999999986094834;
  return k * 0.6931471805599453 + p * s;
}
// What the logarithm is where it is no number of log_of: `zero` are the bits of the argument at
// which it is -infinity; every number below gives NaN.
inline TENON_HD float with_limits(float result, float x, unsigned zero) {
  unsigned const bits = bits_of(x), negative = zero | 0x80000000u;
  unsigned const is_pole = -static_cast<unsigned>(bits == zero);
  unsigned const is_kept = -static_cast<unsigned>(static_cast<int>(bits) >= 0x7f800000);
  unsigned const is_nan = -static_cast<unsigned>(bits > negative);
  unsigned const limited = (bits_of(result) & ~(is_pole | is_kept)) | (is_kept & bits) |
                           (is_pole & 0xff800000u) | is_nan;
  return __builtin_bit_cast(float, limited);
}
// In float: x = 2^k (1 + f) with 1 + f between sqrt(1/2) and sqrt(2), a subnormal x as 2^-23 of a
// normal number. log(1 + f) = f - f^2 / 2 + f^3 p(f), within 2^-27.3 (host_float.hpp says how p was
// made).
inline TENON_HD float log(float x) {
  unsigned const is_subnormal = -static_cast<unsigned>(bits_of(x) < 0x00800000u);
  float const normal = chosen(bits_of(x) < 0x00800000u, x * 0x1p23f, x);
  int const exponent = static_cast<int>(bits_of(normal) - bits_of(0x1.6a09e6p-1f)) >> 23;
  float const f = float_of(bits_of(normal) - (static_cast<unsigned>(exponent) << 23)) - 1;
  float const k = static_cast<float>(exponent - static_cast<int>(is_subnormal & 23u));
  float const square = f * f, fourth = square * square;
  float const p0 = -0x1.00022ap-2f * f + 0x1.555554p-2f, p2 = -0x1.547164p-3f * f + 0x1.99a028p-3f,
              p4 = -0x1.0d8bfap-3f * f + 0x1.22d710p-3f, p6 = -0x1.38c9fap-4f * f + 0x1.0573b2p-3f;
  float const p = (p6 * square + p4) * fourth + (p2 * square + p0);
  float const rest = 0.5f * square - (f * square * p + k * log_2_low);
  return with_limits(k * log_2_high + (f - rest), x + 0.0f, 0);  // -0 becomes 0
}
inline TENON_HD float log2(float x) {
  return with_limits(static_cast<float>(log_of(x) * 1.4426950408889634), x + 0.0f, 0);
}
inline TENON_HD float log10(float x) {
  return with_limits(static_cast<float>(log_of(x) * 0.4342944819032518), x + 0.0f, 0);
}
// What 1 + x rounds off is added where it counts: below 1/2 in magnitude, 2^-29 and less.
inline TENON_HD float log1p(float x) {
  double const u = 1 + static_cast<double>(x);
  long long const is_small = -static_cast<long long>((bits_of(x) & 0x7fffffffu) < bits_of(0.5f));
  double const lost = __builtin_bit_cast(double, bits_of(double{x} - (u - 1)) & is_small);
  float const result = static_cast<float>(log_of(u) + lost);
  return with_limits(__builtin_copysignf(result, x), x, bits_of(-1.0f));
}

}  // namespace tenon::math::host
#endif
