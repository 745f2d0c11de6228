// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic wraps, bool arithmetic is or / xor / and, and the signs of zero.
#include <cstdint>
#include <limits>

#include "tenon/ops/pointwise.hpp"

namespace tenon::ops {
namespace {

constexpr std::int32_t i32_low = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t i32_high = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t i64_high = std::numeric_limits<std::int64_t>::max();

template <class T> constexpr T as(int x) { return static_cast<T>(x); }

static_assert(add::eval(i32_high, 1) == i32_low);
static_assert(sub::eval(i32_low, 1) == i32_high);
static_assert(mul::eval(i32_high, 2) == -2);
static_assert(neg::eval(i32_low) == i32_low);
static_assert(abs::eval(i32_low) == i32_low);
static_assert(abs::eval(-7) == 7);
static_assert(square::eval(65536) == 0);
static_assert(add::eval(i64_high, std::int64_t{1}) == std::numeric_limits<std::int64_t>::min());
static_assert(mul::eval(as<std::int16_t>(-32768), as<std::int16_t>(-32768)) == 0);
static_assert(mul::eval(as<std::uint8_t>(16), as<std::uint8_t>(17)) == 16);
static_assert(abs::eval(as<std::int8_t>(-128)) == -128);
static_assert(neg::eval(as<std::uint8_t>(1)) == 255);

static_assert(add::eval(true, true) && !add::eval(false, false));
static_assert(!sub::eval(true, true) && sub::eval(false, true));
static_assert(mul::eval(true, true) && !mul::eval(true, false));

static_assert(!__builtin_signbit(abs::eval(-0.0f)));
static_assert(__builtin_signbit(neg::eval(0.0f)));
static_assert(!__builtin_signbit(maximum::eval(-0.0f, 0.0f)));
static_assert(__builtin_signbit(minimum::eval(0.0f, -0.0f)));
static_assert(!__builtin_signbit(relu::eval(-0.0)));

static_assert(maximum::eval(-3, 2) == 2 && minimum::eval(-3, 2) == -3);
static_assert(clamp::eval(5.0, 0.0, 1.0) == 1 && clamp::eval(5.0, 2.0, 1.0) == 1);
static_assert(where::eval(true, 1, 2) == 1 && where::eval(false, 1, 2) == 2);

}  // namespace
}  // namespace tenon::ops
