// SPDX-License-Identifier: Apache-2.0
// float8: every pattern decodes to its value, every value and every midpoint encodes to nearest even.
#include "tenon/core/float8.hpp"

#include <limits>

namespace tenon {
namespace {

// The definition: sign, exponent with a bias, fraction; exponent 0 is subnormal.
template <int FractionBits, int Bias> constexpr float defined(unsigned bits) {
  unsigned fraction = bits & ((1u << FractionBits) - 1), exponent = (bits & 0x7fu) >> FractionBits;
  float value = static_cast<float>(fraction) + (exponent ? static_cast<float>(1u << FractionBits) : 0.0f);
  int power = static_cast<int>(exponent ? exponent : 1u) - Bias - FractionBits;
  for (; power > 0; --power) value *= 2;
  for (; power < 0; ++power) value /= 2;
  return bits & 0x80u ? -value : value;
}
template <class T> constexpr float decoded(unsigned bits) {
  T x{};
  x.bits = static_cast<std::uint8_t>(bits);
  return x;
}

// `last` is the largest finite pattern.
template <class T, int FractionBits, int Bias> constexpr bool converts_every_pattern(unsigned last) {
  for (unsigned bits = 0; bits <= last; ++bits) {
    float value = defined<FractionBits, Bias>(bits);
    if (decoded<T>(bits) != value || decoded<T>(bits | 0x80u) != -value) return false;
    if (T(value).bits != bits || T(-value).bits != (bits | 0x80u)) return false;
    if (bits == last) continue;
    float next = defined<FractionBits, Bias>(bits + 1), middle = (value + next) / 2;
    float above = middle + (next - value) / 1024, below = middle - (next - value) / 1024;
    if (T(middle).bits != bits + bits % 2 || T(above).bits != bits + 1 || T(below).bits != bits) return false;
  }
  return true;
}
static_assert(converts_every_pattern<float8_e4m3, 3, 7>(0x7e));
static_assert(converts_every_pattern<float8_e5m2, 2, 15>(0x7b));
static_assert(decoded<float8_e4m3>(0x7e) == 448.0f && decoded<float8_e5m2>(0x7b) == 57344.0f);

constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();

// Beyond its range e4m3 is NaN, e5m2 infinite.
static_assert(float8_e4m3(464.0f).bits == 0x7e && float8_e4m3(464.0001f).bits == 0x7f);
static_assert(float8_e4m3(-1e30f).bits == 0xff && float8_e4m3(inf).bits == 0x7f && float8_e4m3(nan).bits == 0x7f);
static_assert(float8_e5m2(61439.9f).bits == 0x7b && float8_e5m2(61440.0f).bits == 0x7c);
static_assert(float8_e5m2(inf).bits == 0x7c && float8_e5m2(-inf).bits == 0xfc && float8_e5m2(nan).bits == 0x7f);
static_assert(decoded<float8_e5m2>(0xfc) == -inf);
static_assert(float8_e4m3(-0.0f).bits == 0x80 && float8_e5m2(-0.0f).bits == 0x80);
static_assert(float8_e4m3(1e-30f).bits == 0 && float8_e5m2(1e-30f).bits == 0);

}  // namespace
}  // namespace tenon
