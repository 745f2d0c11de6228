// SPDX-License-Identifier: Apache-2.0
#pragma once
// Elementary functions of float for the host, without branches or calls, so that a loop over them
// becomes vector code.
//
// The C library's functions are called element by element: two to five times as long. All is
// computed in double, where neither the reduction of the argument nor the polynomial needs a
// compensated form, and rounded once: within 0.7 units in the last place, subnormal results
// included.

#include "tenon/core/config.hpp"

#if !defined(__CUDA_ARCH__)
namespace tenon::math::host {

// Adding it rounds a double below 2^51 to an integer, which then stands in the low bits.
inline constexpr double to_integer = 0x1.8p52;

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

// Selections are made of bits: a compiler moves arithmetic into the branch that a conditional
// expression is, and then finds control flow in the loop.
inline TENON_HD unsigned bits_of(float x) { return __builtin_bit_cast(unsigned, x); }
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
// The result, or NaN where x is.
inline TENON_HD float unless_nan(float result, float x) {
  int const distance = 0x7f800000 - static_cast<int>(bits_of(x) & 0x7fffffffu);
  return __builtin_bit_cast(float, bits_of(result) | static_cast<unsigned>(distance >> 31));
}

// Where the argument is bounded the result is 0 or infinite, or 1 for tanh.
inline TENON_HD float exp2(float x) {
  power_of_two const power = split_power(bounded(x, 160));
  return unless_nan(static_cast<float>(power.scale + power.scale * power.part), x);
}
inline TENON_HD float exp(float x) {
  power_of_two const power = split_power(double{bounded(x, 104)} * 1.4426950408889634);
  return unless_nan(static_cast<float>(power.scale + power.scale * power.part), x);
}
inline TENON_HD float expm1(float x) {
  power_of_two const power = split_power(double{bounded(x, 104)} * 1.4426950408889634);
  double const result = power.scale * power.part + (power.scale - 1);
  return unless_nan(__builtin_copysignf(static_cast<float>(result), x), x);
}
// (e - 1) / (e + 1), e = exp(2 x)
inline TENON_HD float tanh(float x) {
  power_of_two const power = split_power(double{bounded(x, 20)} * 2.8853900817779268);
  double const grown = power.scale * power.part;
  double const result = (grown + (power.scale - 1)) / (grown + (power.scale + 1));
  return unless_nan(__builtin_copysignf(static_cast<float>(result), x), x);
}

// x / (1 + exp(-y)). @pre y is below 600 in magnitude
inline TENON_HD float times_sigmoid(double x, double y) {
  power_of_two const power = split_power(y * -1.4426950408889634);
  return static_cast<float>(x / (1 + (power.scale + power.scale * power.part)));
}
// Below the lower bounds the activations are zero in float.
inline TENON_HD float silu(float x) {
  return times_sigmoid(replaced(x, x < -160, -160), bounded(x, 160));
}
inline TENON_HD float gelu_tanh(float x) {
  double const u = bounded(x, 12);
  return times_sigmoid(replaced(x, x < -16, -16),
                       u * (1.5957691216057308 + 0.07135481627260025 * (u * u)));
}
// max(x, 0) - t (1 - Phi(t)), t = |x|; the tail is as in ops/normal_tail.hpp.
inline TENON_HD float gelu(float x) {
  double const t = __builtin_fabsf(bounded(x, 15));
  power_of_two const power = split_power(t * t * -0.7213475204444817);
  double const w = 1 / (t + 4), q = (t - 4) * w;
  double p = -0.00012250456;
  p = p * q + 0.00020084588;
  p = p * q + 0.0015731589;
  p = p * q - 0.003530173;
  p = p * q - 0.007530612;
  p = p * q + 0.06040893;
  p = p * q - 0.18652233;
  p = p * q + 0.38713637;
  p = p * q - 0.6078966;
  p = p * q + 0.75528514;
  double const tail = p * w * (power.scale + power.scale * power.part);
  return static_cast<float>(double{replaced(x, x < 0, 0)} - t * tail);
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
  unsigned const bits = bits_of(x), infinity = 0x7f800000;
  unsigned const is_pole = -static_cast<unsigned>(bits == zero);
  unsigned const is_infinite = -static_cast<unsigned>(bits == infinity);
  unsigned const is_nan = -static_cast<unsigned>((bits & 0x7fffffffu) > infinity) |
                          -static_cast<unsigned>(static_cast<int>(bits) < 0 && bits > zero);
  unsigned const limited = (bits_of(result) & ~(is_pole | is_infinite)) | (is_infinite & infinity) |
                           (is_pole & 0xff800000u) | is_nan;
  return __builtin_bit_cast(float, limited);
}
inline TENON_HD float log(float x) {
  return with_limits(static_cast<float>(log_of(x)), x + 0.0f, 0);  // -0 becomes 0
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

// 2 / pi in 32-bit words after the point.
inline constexpr unsigned long long two_over_pi[] = {0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0,
                                                     0xdb629599, 0x3c439041, 0xfe5163ab};

// 29 binary digits of 2 / pi from digit `first` on, the first after the point being digit 0. The
// product with a float is exact in double.
constexpr double digits_of_two_over_pi(int first) {
  unsigned long long const digits = two_over_pi[first / 32] << 32 | two_over_pi[first / 32 + 1];
  long long const exponent = 1023 - (first + 29);
  return static_cast<double>(digits << first % 32 >> 35) *
         __builtin_bit_cast(double, exponent << 52);
}

// 2 / pi for floats of each exponent: less the digits whose product with any such float is a
// multiple of four quarter turns. There are none up to the exponent of entry 0.
struct quarter_turns {
  static constexpr int first_exponent = 152, count = 104;
  double high[count], middle[count], low[count];
};
constexpr quarter_turns make_quarter_turns() {
  quarter_turns result{};
  for (int skipped = 0; skipped < quarter_turns::count; ++skipped) {
    result.high[skipped] = digits_of_two_over_pi(skipped);
    result.middle[skipped] = digits_of_two_over_pi(skipped + 29);
    result.low[skipped] = digits_of_two_over_pi(skipped + 58);
  }
  return result;
}
inline constexpr quarter_turns turns = make_quarter_turns();

// x = quarters + rest quarter turns, where the rest is between -1/2 and 1/2 and right to 2^-30 of
// itself, for every float.
struct angle {
  long long quarters;  // modulo 4
  double rest;
};
inline TENON_HD angle reduce(float x) {
  int const exponent = static_cast<int>(__builtin_bit_cast(unsigned, x) >> 23 & 255u);
  int const entry = exponent > turns.first_exponent ? exponent - turns.first_exponent : 0;
  double const wide = x, high = wide * turns.high[entry], middle = wide * turns.middle[entry];
  double const shifted = (high + middle) + to_integer;
  double const rest = ((high - (shifted - to_integer)) + middle) + wide * turns.low[entry];
  return {__builtin_bit_cast(long long, shifted), rest};
}

// sin((quarters + rest) pi / 2)
inline TENON_HD float sin_of(angle const& a) {
  double const square = a.rest * a.rest;
  double s = -0.004601625879547824;
  s = s * square + 0.07968002269161091;
  s = s * square - 0.6459634594710134;
  s = (s * square + 1.5707963217004837) * a.rest;
  double c = 0.000903356545701639;
  c = c * square - 0.0208599331496123;
  c = c * square + 0.2536691821990685;
  c = c * square - 1.2337005395475786;
  c = c * square + 0.9999999999438266;
  long long const is_odd = -(a.quarters & 1);
  long long const magnitude = (bits_of(c) & is_odd) | (bits_of(s) & ~is_odd);
  return static_cast<float>(__builtin_bit_cast(double, magnitude ^ (a.quarters & 2) << 62));
}
inline TENON_HD float sin(float x) { return sin_of(reduce(x)); }
inline TENON_HD float cos(float x) {
  angle const a = reduce(x);
  return sin_of({a.quarters + 1, a.rest});
}

}  // namespace tenon::math::host
#endif
