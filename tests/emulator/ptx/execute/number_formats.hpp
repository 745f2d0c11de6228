// SPDX-License-Identifier: Apache-2.0
#pragma once
// Numbers of 8 and 16 bits.

#include <immintrin.h>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace emulator {

inline float bits_float(std::uint32_t b) {
  float f;
  std::memcpy(&f, &b, 4);
  return f;
}
inline std::uint32_t float_bits(float f) {
  std::uint32_t b;
  std::memcpy(&b, &f, 4);
  return b;
}
inline float half_to_float(std::uint16_t h) { return _cvtsh_ss(h); }
inline float bf16_to_float(std::uint16_t h) {
  return bits_float(static_cast<std::uint32_t>(h) << 16);
}
inline float flush(float x) {
  std::uint32_t b = float_bits(x);
  return (b & 0x7f800000u) == 0 ? bits_float(b & 0x80000000u) : x;
}

// value -> a format of `mantissa` stored bits and an exponent of `width` bits, rounding: 0 even, 1
// zero, 2 minus, 3 plus, 4 away. has_inf: IEEE (f16, bf16, e5m2); otherwise e4m3 (no infinity,
// S.1111.111 is NaN). saturate: to the largest finite one.
inline std::uint32_t round_to(double x, int mantissa, int width, bool has_inf, int rounding,
                              bool saturate) {
  const std::uint32_t sign = std::signbit(x) ? 1u << (mantissa + width) : 0;
  const std::uint32_t top = (1u << width) - 1;
  const std::uint32_t most = has_inf ? ((top - 1) << mantissa | ((1u << mantissa) - 1))
                                     : (top << mantissa | ((1u << mantissa) - 2));
  if (std::isnan(x)) {
    if (mantissa == 10 || mantissa == 7) return 0x7fff;
    return mantissa == 3 ? 0x7f : 0x7f;
  }
  double a = std::fabs(x);
  if (std::isinf(x)) {
    if (saturate || !has_inf) return sign | (saturate ? most : (has_inf ? top << mantissa : 0x7f));
    return sign | top << mantissa;
  }
  int const bias = (1 << (width - 1)) - 1;
  if (a == 0) return sign;
  int e = std::ilogb(a);
  if (e < 1 - bias) e = 1 - bias;
  double unit = std::ldexp(1.0, e - mantissa);
  double q = a / unit;  // exact: a power of two
  double floor = std::floor(q), rest = q - floor;
  bool up;
  switch (rounding) {
    case 0:
      up = rest > 0.5 || (rest == 0.5 && std::fmod(floor, 2) != 0);
      break;
    case 1:
      up = false;
      break;
    case 2:
      up = rest > 0 && sign != 0;
      break;
    case 3:
      up = rest > 0 && sign == 0;
      break;
    default:
      up = rest >= 0.5;
  }
  std::uint64_t n = static_cast<std::uint64_t>(floor) + up;  // in units of 2^(e-mantissa)
  std::uint64_t r = n + (static_cast<std::uint64_t>(e + bias - 1)
                         << mantissa);  // implicit one carries into the exponent
  if (r > most) {
    if (saturate) return sign | most;
    if (!has_inf) return sign | 0x7f;
    bool to_inf =
        rounding == 0 || rounding == 4 || (rounding == 2 && sign) || (rounding == 3 && !sign);
    return sign | (to_inf ? top << mantissa : most);
  }
  return sign | static_cast<std::uint32_t>(r);
}
inline std::uint16_t to_half(double x, int rounding = 0, bool saturate = false) {
  return static_cast<std::uint16_t>(round_to(x, 10, 5, true, rounding, saturate));
}
inline std::uint16_t to_bf16(double x, int rounding = 0, bool saturate = false) {
  return static_cast<std::uint16_t>(round_to(x, 7, 8, true, rounding, saturate));
}
inline std::uint16_t float_to_half(float x) {
  if (x != x) return 0x7fff;
  return _cvtss_sh(x, _MM_FROUND_TO_NEAREST_INT);
}
inline std::uint16_t float_to_bf16(float x) {
  std::uint32_t b = float_bits(x);
  if ((b & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
  return static_cast<std::uint16_t>((b + 0x7fff + (b >> 16 & 1)) >> 16);
}
inline double e4m3_to_double(std::uint8_t v) {
  int e = v >> 3 & 15, m = v & 7;
  double r = e == 15 && m == 7 ? std::nan("")
             : e == 0          ? std::ldexp(m, -9)
                               : std::ldexp(8 + m, e - 10);
  return v & 128 ? -r : r;
}
inline double e5m2_to_double(std::uint8_t v) {
  return half_to_float(static_cast<std::uint16_t>(v << 8));
}

}  // namespace emulator
