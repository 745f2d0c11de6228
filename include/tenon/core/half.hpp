// SPDX-License-Identifier: Apache-2.0
#pragma once
// half and bfloat16 as storage types: 16 bits that convert to and from float, rounding to nearest even, on any compiler.

#include <cstdint>

#include "tenon/core/config.hpp"

namespace tenon {
namespace detail {

// The bit-level forms are branch-light so that a compiler can vectorise loops over them.
constexpr TENON_HD float bfloat16_bits_to_float(std::uint16_t bits) {
  return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits) << 16);
}
constexpr TENON_HD std::uint16_t float_to_bfloat16_bits(float value) {
  std::uint32_t u = __builtin_bit_cast(std::uint32_t, value);
  std::uint32_t rounded = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
  bool is_nan = (u & 0x7fffffffu) > 0x7f800000u;
  return static_cast<std::uint16_t>(is_nan ? ((u >> 16) | 0x40u) : rounded);
}
constexpr TENON_HD float half_bits_to_float(std::uint16_t bits) {
  std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
  std::uint32_t magnitude = bits & 0x7fffu;
  if (magnitude >= 0x7c00u) return __builtin_bit_cast(float, sign | 0x7f800000u | ((magnitude & 0x3ffu) << 13));
  if (magnitude < 0x400u) {  // zero and subnormals: magnitude * 2^-24 is exact
    float small = static_cast<float>(magnitude) * 5.9604644775390625e-8f;
    return __builtin_bit_cast(float, sign | __builtin_bit_cast(std::uint32_t, small));
  }
  return __builtin_bit_cast(float, sign | ((magnitude << 13) + 0x38000000u));
}
constexpr TENON_HD std::uint16_t float_to_half_bits(float value) {
  std::uint32_t u = __builtin_bit_cast(std::uint32_t, value);
  std::uint16_t sign = static_cast<std::uint16_t>((u >> 16) & 0x8000u);
  u &= 0x7fffffffu;
  if (u > 0x7f800000u) return static_cast<std::uint16_t>(sign | 0x7e00u | ((u >> 13) & 0x3ffu));
  if (u >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u);  // rounds to infinity from 65520 on
  if (u < 0x38800000u) {  // below 2^-14: adding 0.5 lets the float addition round to multiples of 2^-24
    std::uint32_t shifted = __builtin_bit_cast(std::uint32_t, __builtin_bit_cast(float, u) + 0.5f);
    return static_cast<std::uint16_t>(sign | (shifted - 0x3f000000u));
  }
  std::uint32_t rounded = u + 0xfffu + ((u >> 13) & 1u) - 0x38000000u;
  return static_cast<std::uint16_t>(sign | (rounded >> 13));
}

}  // namespace detail

struct half {
  std::uint16_t bits = 0;
  half() = default;
  constexpr TENON_HD explicit half(float value) : bits(encode(value)) {}
  constexpr TENON_HD operator float() const {
#if defined(__CUDA_ARCH__)
    if (!__builtin_is_constant_evaluated()) {
      float value;
      asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
      return value;
    }
#endif
    return detail::half_bits_to_float(bits);
  }

 private:
  static constexpr TENON_HD std::uint16_t encode(float value) {
#if defined(__CUDA_ARCH__)
    if (!__builtin_is_constant_evaluated()) {
      std::uint16_t result;
      asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result) : "f"(value));
      return result;
    }
#endif
    return detail::float_to_half_bits(value);
  }
};

struct bfloat16 {
  std::uint16_t bits = 0;
  bfloat16() = default;
  constexpr TENON_HD explicit bfloat16(float value) : bits(encode(value)) {}
  constexpr TENON_HD operator float() const { return detail::bfloat16_bits_to_float(bits); }

  // What a float is when it has been one of this type: on a device one instruction.
  static constexpr TENON_HD float rounded(float value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if (!__builtin_is_constant_evaluated()) return __builtin_bit_cast(float, pair_of(value));
#endif
    return bfloat16(value);
  }

 private:
  static constexpr TENON_HD std::uint16_t encode(float value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if (!__builtin_is_constant_evaluated()) return static_cast<std::uint16_t>(pair_of(value) >> 16);
#endif
    return detail::float_to_bfloat16_bits(value);
  }
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  // With 0 below it. The conversion of two numbers: that of one goes through a unit of a quarter of the speed.
  static __device__ unsigned pair_of(float value) {
    unsigned pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(value), "f"(0.0f));
    return pair;
  }
#endif
};

}  // namespace tenon
