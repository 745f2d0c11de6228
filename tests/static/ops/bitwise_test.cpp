// SPDX-License-Identifier: Apache-2.0
// Bits, shifts beyond the width, signs and classes of numbers, in every integer type.
#include "tenon/ops/pointwise.hpp"

#include <cstdint>
#include <limits>

namespace tenon::ops {
namespace {

template <class T> constexpr T as(int x) { return static_cast<T>(x); }

static_assert(bitwise_and::eval(12, 10) == 8 && bitwise_or::eval(12, 10) == 14 && bitwise_xor::eval(12, 10) == 6);
static_assert(bitwise_and::eval(as<std::int8_t>(-1), as<std::int8_t>(0x70)) == 0x70);
static_assert(bitwise_not::eval(0) == -1 && bitwise_not::eval(as<std::uint8_t>(0)) == 255);
static_assert(bitwise_not::eval(std::uint64_t{0}) == std::numeric_limits<std::uint64_t>::max());
static_assert(bitwise_xor::eval(true, true) == false && bitwise_not::eval(true) == false && bitwise_not::eval(false));

static_assert(shift_left::eval(1, 31) == std::numeric_limits<std::int32_t>::min());
static_assert(shift_left::eval(1, 32) == 0 && shift_left::eval(-1, 33) == 0 && shift_left::eval(1, -1) == 0);
static_assert(shift_left::eval(as<std::uint8_t>(255), as<std::uint8_t>(4)) == 0xf0);
static_assert(shift_left::eval(as<std::uint8_t>(1), as<std::uint8_t>(8)) == 0);
static_assert(shift_left::eval(std::int64_t{1}, std::int64_t{63}) == std::numeric_limits<std::int64_t>::min());
static_assert(shift_left::eval(std::int64_t{1}, std::int64_t{1} << 32) == 0, "the count's upper half counts");
static_assert(shift_right::eval(-8, 1) == -4 && shift_right::eval(-8, 32) == -1 && shift_right::eval(-8, -1) == -1);
static_assert(shift_right::eval(8, 32) == 0 && shift_right::eval(as<std::int16_t>(-1), as<std::int16_t>(16)) == -1);
static_assert(shift_right::eval(std::uint32_t{0x80000000u}, std::uint32_t{31}) == 1);
static_assert(shift_right::eval(std::uint64_t{1} << 63, std::uint64_t{64}) == 0);
static_assert(shift_left::eval(true, false) && !shift_left::eval(true, true) && !shift_right::eval(true, true));

static_assert(sign::eval(-7) == -1 && sign::eval(0) == 0 && sign::eval(as<std::uint16_t>(9)) == 1 && sign::eval(true));
static_assert(sign::eval(-2.5f) == -1 && !__builtin_signbit(sign::eval(-0.0f)));
static_assert(copysign::eval(2.0, -0.0) == -2 && copysign::eval(-3.0f, 1.0f) == 3);
static_assert(isfinite::eval(3e38f) && isinf::eval(-math::infinity<double>) && !isinf::eval(5) && isfinite::eval(5));
static_assert(!isnan::eval(1.0f) && !isnan::eval(1));

static_assert(!bitwise_and::accepts(dtype::f16) && !shift_left::accepts(dtype::f8_e4m3));
static_assert(bitwise_and::accepts(dtype::u64) && bitwise_not::accepts(dtype::boolean));
static_assert(bitwise_and::rule.result(dtype::u16) == dtype::u16 && isnan::rule.result(dtype::i32) == dtype::boolean);

static_assert(leaky_relu::eval(-2.0, 0.5) == -1 && leaky_relu::eval(3.0f, 0.5f) == 3);
static_assert(threshold::eval(2, 2, 7) == 7 && threshold::eval(3, 2, 7) == 3);
static_assert(softshrink::eval(-2.0f, 0.5f) == -1.5f && softshrink::eval(0.5f, 0.5f) == 0);
static_assert(hardshrink::eval(-0.5f, 0.5f) == 0 && hardshrink::eval(0.75f, 0.5f) == 0.75f);
static_assert(hardsigmoid::eval(-3.0f) == 0 && hardsigmoid::eval(0.0f) == 0.5f && hardsigmoid::eval(3.0f) == 1);

}  // namespace
}  // namespace tenon::ops
