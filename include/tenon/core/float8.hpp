// SPDX-License-Identifier: Apache-2.0
#pragma once
// float8_e4m3 and float8_e5m2 as storage types: 8 bits that convert to and from float, rounding to nearest even.

#include <cstdint>

#include "tenon/core/half.hpp"

namespace tenon {
namespace detail {

// e4m3 has no infinity: 0x7f is NaN, 0x7e is 448, the largest number.
constexpr TENON_HD float float8_e4m3_bits_to_float(std::uint8_t bits) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
  std::uint32_t pair;  // of half, which has every number of e4m3
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(pair) : "h"(static_cast<std::uint16_t>(bits)));
  float result;
  asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(static_cast<std::uint16_t>(pair)));
  return result;
#else
  std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x80u) << 24;
  std::uint32_t magnitude = bits & 0x7fu;
  if (magnitude == 0x7fu) return __builtin_bit_cast(float, sign | 0x7fc00000u);
  if (magnitude < 8u) {  // zero and subnormals: magnitude * 2^-9 is exact
    float small = static_cast<float>(magnitude) * 0.001953125f;
    return __builtin_bit_cast(float, sign | __builtin_bit_cast(std::uint32_t, small));
  }
  return __builtin_bit_cast(float, sign | ((magnitude << 20) + 0x3c000000u));
#endif
}
constexpr TENON_HD std::uint8_t float_to_float8_e4m3_bits(float value) {
  std::uint32_t u = __builtin_bit_cast(std::uint32_t, value);
  std::uint8_t sign = static_cast<std::uint8_t>((u >> 24) & 0x80u);
  u &= 0x7fffffffu;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
  std::uint16_t pair;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(value));
  return u > 0x43e80000u ? static_cast<std::uint8_t>(sign | 0x7fu) : static_cast<std::uint8_t>(pair);
#else
  if (u > 0x43e80000u) return static_cast<std::uint8_t>(sign | 0x7fu);  // above 464, infinite or NaN
  if (u < 0x3c800000u) {  // below 2^-6: adding 2^14 lets the float addition round to multiples of 2^-9
    std::uint32_t shifted = __builtin_bit_cast(std::uint32_t, __builtin_bit_cast(float, u) + 16384.0f);
    return static_cast<std::uint8_t>(sign | (shifted - 0x46800000u));
  }
  std::uint32_t rounded = u + 0x7ffffu + ((u >> 20) & 1u) - 0x3c000000u;
  return static_cast<std::uint8_t>(sign | (rounded >> 20));
#endif
}
// e5m2 is half without its last eight bits.
constexpr TENON_HD float float8_e5m2_bits_to_float(std::uint8_t bits) {
  return half_bits_to_float(static_cast<std::uint16_t>(bits << 8));
}
constexpr TENON_HD std::uint8_t float_to_float8_e5m2_bits(float value) {
  std::uint32_t u = __builtin_bit_cast(std::uint32_t, value);
  std::uint8_t sign = static_cast<std::uint8_t>((u >> 24) & 0x80u);
  u &= 0x7fffffffu;
  if (u > 0x7f800000u) return static_cast<std::uint8_t>(sign | 0x7fu);
  if (u >= 0x47700000u) return static_cast<std::uint8_t>(sign | 0x7cu);  // rounds to infinity from 61440 on
  if (u < 0x38800000u) {  // below 2^-14: adding 2^7 lets the float addition round to multiples of 2^-16
    std::uint32_t shifted = __builtin_bit_cast(std::uint32_t, __builtin_bit_cast(float, u) + 128.0f);
    return static_cast<std::uint8_t>(sign | (shifted - 0x43000000u));
  }
  std::uint32_t rounded = u + 0xfffffu + ((u >> 21) & 1u) - 0x38000000u;
  return static_cast<std::uint8_t>(sign | (rounded >> 21));
}

}  // namespace detail

// A number above 464 and an infinity become NaN, as in PyTorch's float8_e4m3fn; clamp to ±448 first where saturation is
// wanted. Not constructible from an integer, which might be meant as bits.
struct float8_e4m3 {
  std::uint8_t bits = 0;
  float8_e4m3() = default;
  constexpr TENON_HD explicit float8_e4m3(float value) : bits(detail::float_to_float8_e4m3_bits(value)) {}
  float8_e4m3(std::uint8_t) = delete;
  constexpr TENON_HD operator float() const { return detail::float8_e4m3_bits_to_float(bits); }
  explicit operator std::uint8_t() const = delete;
};

// Rounds to infinity from 61440 on, as IEEE formats do.
struct float8_e5m2 {
  std::uint8_t bits = 0;
  float8_e5m2() = default;
  constexpr TENON_HD explicit float8_e5m2(float value) : bits(detail::float_to_float8_e5m2_bits(value)) {}
  float8_e5m2(std::uint8_t) = delete;
  constexpr TENON_HD operator float() const { return detail::float8_e5m2_bits_to_float(bits); }
  explicit operator std::uint8_t() const = delete;
};

}  // namespace tenon
