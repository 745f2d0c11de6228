// SPDX-License-Identifier: Apache-2.0
#pragma once
// sin and cos of float for devices: both share one reduction of the argument, which the compiler
// then does once for sin(x) and cos(x), and which needs no local memory for any argument, as the C
// library's does.
//
// Sources: W. J. Cody and W. Waite, Software Manual for the Elementary Functions, 1980 (pi / 2 in
// parts); M. H. Payne and R. N. Hanek, Radian reduction for trigonometric functions, SIGNUM
// Newsletter 18(1), 1983.

#include "tenon/core/config.hpp"

namespace tenon::math::circular {

// x = quarters pi / 2 + rest, |rest| <= pi / 4 and right to about one rounding.
struct angle {
  int quarters;  // modulo 4
  float rest;
};

// Above it the number of quarter turns times the first part of pi / 2 is no longer exact.
inline constexpr float largest_exact = 0x1p16f;

// The digits of x 2 / pi from the one of weight 2 on: 96 digits of 2 / pi decide them, and those
// before are multiples of four quarter turns for every float of this exponent. @pre |x| >= 2^16
inline TENON_HD angle reduce_large(float x) {
  constexpr unsigned two_over_pi[] = {0x0u,        0xA2F9836Eu, 0x4E441529u, 0xFC2757D1u,
                                      0xF534DDC0u, 0xDB629599u, 0x3C439041u, 0xFE5163ABu};
  unsigned const bits = __builtin_bit_cast(unsigned, x);
  unsigned const mantissa = (bits & 0x7FFFFFu) | 0x800000u;
  int const first = static_cast<int>(bits >> 23 & 255u) - 150 + 30;  // digit of the table
  int const word = first >> 5, shift = first & 31;                   // at most 4
  // Those from `word` on, by comparisons: an index would put the table into memory.
  unsigned part[4];
  for (int j = 0; j < 4; ++j) part[j] = two_over_pi[j];
  for (int k = 1; k <= 4; ++k)
    for (int j = 0; j < 4; ++j) part[j] = word == k ? two_over_pi[k + j] : part[j];
  auto const digits = [&](int j) { return part[j] << shift | part[j + 1] >> 1 >> (shift ^ 31); };
  unsigned long long const low = static_cast<unsigned long long>(mantissa) * digits(2);
  unsigned long long const middle =
      static_cast<unsigned long long>(mantissa) * digits(1) + (low >> 32);
  unsigned long long const turns = (static_cast<unsigned long long>(mantissa * digits(0)) << 32) +
                                   middle;  // quarter turns times 2^62, modulo 4
  unsigned long long const rounded = turns + (1ull << 61);
  // What is left lies between -1/2 and 1/2 quarter turns.
  long long const rest = static_cast<long long>(turns << 2);
  int const quarters = static_cast<int>(rounded >> 62);
  float const radians =
      static_cast<float>(static_cast<double>(rest) * (0x1.921fb54442d18p+0 * 0x1p-64));
  return x < 0 ? angle{-quarters, -radians} : angle{quarters, radians};
}

// @pre |x| < 2^16, or it is infinite or NaN, whose rest is NaN
inline TENON_HD angle reduce(float x) {
  constexpr float to_integer = 0x1.8p23f;
  float const shifted = __builtin_fmaf(x, 0x1.45f306p-1f, to_integer);
  float const quarters = shifted - to_integer;
  // Parts of pi / 2, all positive: the rest of -0 is -0.
  float rest = __builtin_fmaf(quarters, -0x1.921fb4p+0f, x);
  rest = __builtin_fmaf(quarters, -0x1.4442d0p-24f, rest);
  rest = __builtin_fmaf(quarters, -0x1.846988p-48f, rest);
  return {__builtin_bit_cast(int, shifted), rest};
}

struct circle_point {
  float sine, cosine;
};

// x, or -x where bit 1 of `quarters` is set.
inline TENON_HD float with_sign(float x, unsigned quarters) {
  return __builtin_bit_cast(float, __builtin_bit_cast(unsigned, x) ^ (quarters << 30 & 1u << 31));
}

// Both polynomials, then each in the place that the quarters say. They are within 2^-27 on
// |rest| <= pi / 4, fitted by weighted least squares.
inline TENON_HD circle_point point_at(angle const& a) {
  float const square = a.rest * a.rest;
  float s = __builtin_fmaf(-0x1.994386p-13f, square, 0x1.11073ap-7f);
  s = __builtin_fmaf(s, square, -0x1.555546p-3f);
  s = __builtin_fmaf(s, square, 0.0f);  // not -0, or sin(-0) would be 0
  s = __builtin_fmaf(s, a.rest, a.rest);
  float c = __builtin_fmaf(0x1.99eb4ap-16f, square, -0x1.6c0c32p-10f);
  c = __builtin_fmaf(c, square, 0x1.55554ap-5f);
  c = __builtin_fmaf(c, square, -0.5f);
  c = __builtin_fmaf(c, square, 1.0f);
  bool const is_odd = a.quarters & 1;
  unsigned const quarters = static_cast<unsigned>(a.quarters);
  return {with_sign(is_odd ? c : s, quarters), with_sign(is_odd ? s : c, quarters + 1)};
}

// sin(x) and cos(x) are each one of both. What a large argument needs begins with x again, so that
// all else is in front of the branch, where the compiler has it once for sin(x) and cos(x): H200,
// their sum of 8192 x 8192 f32 takes 125 us, and 133 where the branch gives the angle.
inline TENON_HD circle_point point(float x) {
  circle_point result = point_at(reduce(x));
  if (__builtin_fabsf(x) >= largest_exact) {
    result = point_at(reduce_large(x));
    // Of an infinity it is NaN.
    result.sine += x - x, result.cosine += x - x;
  }
  return result;
}
inline TENON_HD float sin(float x) { return point(x).sine; }
inline TENON_HD float cos(float x) { return point(x).cosine; }

}  // namespace tenon::math::circular
