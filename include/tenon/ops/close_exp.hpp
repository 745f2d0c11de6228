// SPDX-License-Identifier: Apache-2.0
#pragma once
// The exponential of float for functions built on it whose own roundings leave no room for CUDA's
// expf, which is off by up to 2 units in the last place, or which need it in parts.

#include "tenon/ops/math.hpp"

namespace tenon::math {

inline TENON_HD float power_of_two(int n) {  // @pre -126 <= n <= 127
  return __builtin_bit_cast(float, static_cast<unsigned>(n + 127) << 23);
}

// exp(x) = (1 + part) 2^exponent, -0.3 < part < 0.42.
struct split_exp {
  float part;
  int exponent;
};
// A polynomial within 2^-28 on |f| <= ln(2) / 2, fitted by weighted least squares. @pre |x| < 2^21
inline TENON_HD split_exp split_exp_of(float x) {
  constexpr float to_integer = 0x1.8p23f;
  float const shifted = fma(x, 1.44269504f, to_integer), n = shifted - to_integer;
  float const f = fma(n, 0x1.05c610p-29f, fma(n, -0x1.62e430p-1f, x));
  float p = 0x1.6a23cep-10f;
  p = fma(p, f, 0x1.123a20p-7f);
  p = fma(p, f, 0x1.5558f2p-5f);
  p = fma(p, f, 0x1.555492p-3f);
  p = fma(p, f, 0x1.fffffcp-2f);
  // As integers: of NaN there is no int, and the part is NaN.
  int const exponent = __builtin_bit_cast(int, shifted) - __builtin_bit_cast(int, to_integer);
  return {fma(f * f, p, f), exponent};
}

// Within 1 unit in the last place on devices, at six instructions more than CUDA's; below -87 it is
// exp(-87). @pre x <= 88
#if defined(__CUDA_ARCH__)
inline TENON_HD float close_exp(float x) {
  split_exp const e = split_exp_of(maximum(x, -87.0f));
  return (1 + e.part) * power_of_two(e.exponent);
}
#else
inline TENON_HD float close_exp(float x) { return exp(x); }
#endif
inline TENON_HD double close_exp(double x) { return exp(x); }

}  // namespace tenon::math
