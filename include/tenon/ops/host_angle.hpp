// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sine and cosine of float for the host, without branches or calls: the argument is reduced in
// double, the polynomials are float.

#include "tenon/ops/host_float.hpp"

#if !defined(__CUDA_ARCH__)
namespace tenon::math::host {

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

// x = quarters pi / 2 + rest, |rest| being at most about pi / 4 and rounded once.
struct angle {
  unsigned quarters;  // modulo 4
  float rest;
};

// Adding it rounds a double below 2^51 to an integer, which then stands in the low bits.
inline constexpr double to_integer = 0x1.8p52;

// Up to this magnitude an angle is near: the product of its quarters with the high part of pi / 2
// is exact.
inline constexpr float near_bound = 0x1p20f;
inline TENON_HD angle reduce_near(float x) {
  constexpr double per_quarter = 0x1.45f306dc9c883p-1, high = 0x1.921fb544p+0,
                   low = 0x1.0b4611a626331p-34;
  double const wide = x, shifted = wide * per_quarter + to_integer, n = shifted - to_integer;
  return {static_cast<unsigned>(__builtin_bit_cast(long long, shifted)),
          static_cast<float>((wide - n * high) - n * low)};
}
// Of every float. NaN and infinities give NaN.
inline TENON_HD angle reduce_far(float x) {
  int const exponent = static_cast<int>(bits_of(x) >> 23 & 255u);
  int const entry = exponent > turns.first_exponent ? exponent - turns.first_exponent : 0;
  double const wide = x, high = wide * turns.high[entry], middle = wide * turns.middle[entry];
  double const shifted = (high + middle) + to_integer;
  double const rest = ((high - (shifted - to_integer)) + middle) + wide * turns.low[entry];
  return {static_cast<unsigned>(__builtin_bit_cast(long long, shifted)),
          static_cast<float>(rest * 1.5707963267948966)};
}
inline TENON_HD bool is_near(float x) {
  return static_cast<int>(bits_of(x) & 0x7fffffffu) <= static_cast<int>(bits_of(near_bound));
}
// A near angle is the same with any neighbours.
inline TENON_HD angle reduce(float x) {
  angle const near = reduce_near(x), far = reduce_far(x);
  unsigned const mask = -static_cast<unsigned>(is_near(x));
  return {(near.quarters & mask) | (far.quarters & ~mask),
          float_of((bits_of(near.rest) & mask) | (bits_of(far.rest) & ~mask))};
}

// sin(quarters pi / 2 + rest). The polynomials are within 2^-27.8 and 2^-33 (host_float.hpp says
// how they were made).
inline TENON_HD float sin_of(angle const& a) {
  float const square = a.rest * a.rest;
  float const s = (-0x1.991c1ap-13f * square + 0x1.1106c6p-7f) * square - 0x1.555544p-3f;
  float const c = (0x1.99e714p-16f * square - 0x1.6c0c26p-10f) * square + 0x1.55554ap-5f;
  float const sine = s * square * a.rest + a.rest;
  float const cosine = c * (square * square) + (1 - 0.5f * square);
  float const magnitude = chosen(a.quarters & 1, cosine, sine);
  return float_of(bits_of(magnitude) ^ (a.quarters & 2) << 30);
}
// Of the magnitude's angle: that of -0 would give +0.
inline TENON_HD float sin_by(angle const& a, float x) {
  return float_of(bits_of(sin_of(a)) ^ (bits_of(x) & 0x80000000u));
}
inline TENON_HD float cos_by(angle const& a) { return sin_of({a.quarters + 1, a.rest}); }

inline TENON_HD float sin(float x) { return sin_by(reduce(__builtin_fabsf(x)), x); }
inline TENON_HD float cos(float x) { return cos_by(reduce(__builtin_fabsf(x))); }
// @pre is_near(x)
inline TENON_HD float sin_near(float x) { return sin_by(reduce_near(__builtin_fabsf(x)), x); }
inline TENON_HD float cos_near(float x) { return cos_by(reduce_near(__builtin_fabsf(x))); }

}  // namespace tenon::math::host
#endif
