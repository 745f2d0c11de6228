// SPDX-License-Identifier: Apache-2.0
// cast: rounding to half types, truncation with saturation to integers, wrapping between integers,
// bool.
#include <cstdint>
#include <limits>

#include "tenon/ops/cast.hpp"

namespace tenon {
namespace {

template <dtype D, class T> constexpr auto cast(T x) { return ops::cast::eval_as<D>(x); }
constexpr float inf = std::numeric_limits<float>::infinity();

static_assert(cast<dtype::bf16>(1.00390625f) == 1.0f);  // halfway: to even
static_assert(cast<dtype::bf16>(1.01171875f) == 1.015625f);
static_assert(cast<dtype::f16>(65520.0f) == inf);
static_assert(cast<dtype::f16>(2049) == 2048.0f);
static_assert(cast<dtype::f32>(16777217) == 16777216.0f);

static_assert(cast<dtype::i32>(-1.9f) == -1);
static_assert(cast<dtype::i32>(3e9f) == std::numeric_limits<std::int32_t>::max());
static_assert(cast<dtype::i32>(-inf) == std::numeric_limits<std::int32_t>::min());
static_assert(cast<dtype::i32>(2147483647.5) == std::numeric_limits<std::int32_t>::max());
static_assert(cast<dtype::i64>(9.3e18f) == std::numeric_limits<std::int64_t>::max());
static_assert(cast<dtype::i64>(inf) == std::numeric_limits<std::int64_t>::max());
static_assert(cast<dtype::i8>(127.9f) == 127 && cast<dtype::i8>(-128.9f) == -128);
static_assert(cast<dtype::u8>(-1.0f) == 0 && cast<dtype::u8>(256.0f) == 255);

static_assert(cast<dtype::u8>(300) == 44);
static_assert(cast<dtype::i8>(std::int64_t{-129}) == 127);
static_assert(cast<dtype::f64>(true) == 1.0);

static_assert(cast<dtype::boolean>(0.5f) && cast<dtype::boolean>(256));
static_assert(!cast<dtype::boolean>(-0.0f));

static_assert(ops::bit_cast<dtype::f32, dtype::i32>::eval(1.0f) == 0x3f800000);
static_assert(ops::bit_cast<dtype::f16, dtype::u16>::eval(1.0f) == 0x3c00);
static_assert(ops::bit_cast<dtype::u16, dtype::bf16>::eval(std::uint16_t(0x3f80)) == 1.0f);
static_assert(ops::bit_cast<dtype::i8, dtype::u8>::eval(std::int8_t(-1)) == 255);

}  // namespace
}  // namespace tenon
