// SPDX-License-Identifier: Apache-2.0
// Conversions of the half types: to nearest even, subnormals, infinities and NaN.
#include "tenon/core/half.hpp"

namespace tenon::test {
namespace {

using detail::bfloat16_bits_to_float;
using detail::float_to_bfloat16_bits;
using detail::float_to_half_bits;
using detail::half_bits_to_float;

constexpr float inf = __builtin_huge_valf(), nan = __builtin_nanf("");

// Every half is a float and comes back unchanged; NaNs stay NaN.
template <class Encode, class Decode>
constexpr bool survives(unsigned first, unsigned last, unsigned infinity, Encode encode,
                        Decode decode) {
  for (unsigned bits = first; bits <= last; ++bits) {
    float value = decode(static_cast<std::uint16_t>(bits));
    bool is_nan = (bits & 0x7fffu) > infinity;
    if (is_nan != (value != value)) return false;
    if (!is_nan && encode(value) != bits) return false;
    if (is_nan && (encode(value) & 0x7fffu) <= infinity) return false;
  }
  return true;
}
static_assert(survives(0x0000, 0x3fff, 0x7c00, float_to_half_bits, half_bits_to_float));
static_assert(survives(0x4000, 0x7fff, 0x7c00, float_to_half_bits, half_bits_to_float));
static_assert(survives(0x8000, 0xbfff, 0x7c00, float_to_half_bits, half_bits_to_float));
static_assert(survives(0xc000, 0xffff, 0x7c00, float_to_half_bits, half_bits_to_float));
static_assert(survives(0x0000, 0x7fff, 0x7f80, float_to_bfloat16_bits, bfloat16_bits_to_float));
static_assert(survives(0x8000, 0xffff, 0x7f80, float_to_bfloat16_bits, bfloat16_bits_to_float));

// half: 10 bits after the leading one.
static_assert(float(half(1.0f)) == 1 && float(half(-65504.0f)) == -65504);
static_assert(float(half(2049.0f)) == 2048 && float(half(2051.0f)) == 2052, "ties to even");
static_assert(float(half(2049.001f)) == 2050 && float(half(2050.999f)) == 2050);
static_assert(float(half(65519.0f)) == 65504 && float(half(65520.0f)) == inf);
static_assert(float(half(1e10f)) == inf && float(half(-inf)) == -inf);
static_assert(half(5.9604645e-8f).bits == 1, "2^-24, the smallest");
static_assert(half(2.9802322e-8f).bits == 0 && half(2.98024e-8f).bits == 1,
              "half of it is a tie to 0");
static_assert(half(8.940697e-8f).bits == 2, "1.5 of it is a tie to 2");
static_assert(half(6.1035156e-5f).bits == 0x0400 && half(6.0975552e-5f).bits == 0x03ff);
static_assert(half(6.1005354e-5f).bits == 0x0400, "a tie rounds up to the smallest normal number");
static_assert(half(1e-30f).bits == 0 && half(-1e-30f).bits == 0x8000 && half(-0.0f).bits == 0x8000);
static_assert((half(nan).bits & 0x7fff) > 0x7c00);

// bfloat16: 7 bits after the leading one, float's range.
static_assert(float(bfloat16(257.0f)) == 256 && float(bfloat16(259.0f)) == 260, "ties to even");
static_assert(float(bfloat16(257.001f)) == 258);
static_assert(float(bfloat16(3.4028235e38f)) == inf && float(bfloat16(-inf)) == -inf);
static_assert(bfloat16(-0.0f).bits == 0x8000 && bfloat16(1e-45f).bits == 0);
static_assert(bfloat16(9.1835e-41f).bits == 1, "2^-133, the smallest");
static_assert((bfloat16(nan).bits & 0x7fff) > 0x7f80);
static_assert((float_to_bfloat16_bits(__builtin_bit_cast(float, 0x7f800001u)) & 0x7fff) > 0x7f80,
              "a NaN whose payload is cut off stays NaN");
static_assert((float_to_half_bits(__builtin_bit_cast(float, 0x7f800001u)) & 0x7fff) > 0x7c00);

}  // namespace
}  // namespace tenon::test
