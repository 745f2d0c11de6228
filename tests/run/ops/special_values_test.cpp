// SPDX-License-Identifier: Apache-2.0
// NaN, infinities, zeros of both signs, subnormals and the limits of integers, a row each: what C's Annex F, IEEE 754 or
// PyTorch's documentation says, bit by bit but for the payload of NaN.
// tenon-test: nvcc-host
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include "tenon/ops/special.hpp"
#include "tenon/ops/tables.hpp"

namespace tenon {
namespace {

float const inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
float const tiny = std::numeric_limits<float>::denorm_min(), huge = std::numeric_limits<float>::max();


bool is_same(float x, float y) {
  return (std::isnan(x) && std::isnan(y)) || (x == y && std::signbit(x) == std::signbit(y));
}

// In float, and in double where the expected number is not a neighbour that double does not have.
template <class Op> void expect(float expected, auto... operands) {
  std::string text(Op::name);
  ((text += ' ' + std::to_string(operands)), ...);
  float const result = eval_in<Op, dtype::f32>(operands...);
  EXPECT_TRUE(is_same(result, expected)) << text << ": " << result << ", not " << expected;
  if (Op::name == "nextafter") return;
  float const in_double = static_cast<float>(eval_in<Op, dtype::f64>(static_cast<double>(operands)...));
  EXPECT_TRUE(is_same(in_double, expected)) << text << " in double: " << in_double << ", not " << expected;
}

TEST(special_values, of_rounding) {
  using namespace ops;
  for (float x : {0.0f, -0.0f, inf, -inf, nan, 8388609.0f, -16777216.0f, huge})
    expect<floor>(x, x), expect<ceil>(x, x), expect<trunc>(x, x), expect<round>(x, x);
  expect<floor>(-1, -tiny), expect<ceil>(1, tiny), expect<trunc>(-0.0f, -0.75f), expect<ceil>(-0.0f, -0.75f);
  expect<round>(0, 0.5f), expect<round>(-0.0f, -0.5f), expect<round>(2, 1.5f), expect<round>(2, 2.5f), expect<round>(-4, -3.5f);
  expect<frac>(-0.75f, -2.75f), expect<frac>(0, 3), expect<frac>(nan, inf), expect<frac>(tiny, tiny);
  expect<sign>(0, -0.0f), expect<sign>(nan, nan), expect<sign>(-1, -inf), expect<sign>(1, tiny);
}

TEST(special_values, of_quotients) {
  using namespace ops;
  for (float y : {3.0f, -3.0f, inf, -inf}) expect<ops::fmod>(0, 0.0f, y), expect<ops::fmod>(-0.0f, -0.0f, y);
  expect<ops::fmod>(nan, inf, 2.0f), expect<ops::fmod>(nan, 1.0f, 0.0f), expect<ops::fmod>(-1, -1.0f, inf);
  expect<ops::fmod>(-1.5f, -5.5f, 2.0f), expect<ops::fmod>(1.5f, 5.5f, -2.0f);
  expect<ops::remainder>(0.5f, -5.5f, 2.0f), expect<ops::remainder>(-0.5f, 5.5f, -2.0f), expect<ops::remainder>(nan, 1.0f, 0.0f);
  expect<ops::remainder>(inf, -1.0f, inf), expect<ops::remainder>(1, 1.0f, inf), expect<ops::remainder>(-0.0f, -4.0f, 2.0f);
  expect<floor_divide>(-3, -5.5f, 2.0f), expect<floor_divide>(2, 5.5f, 2.0f), expect<floor_divide>(-1, -1.0f, inf);
  expect<floor_divide>(inf, 1.0f, 0.0f), expect<floor_divide>(-inf, 1.0f, -0.0f), expect<floor_divide>(nan, 0.0f, 0.0f);
  expect<floor_divide>(nan, inf, 2.0f), expect<floor_divide>(-0.0f, 0.0f, -2.0f), expect<floor_divide>(9, 1.0f, 0.1f);
  expect<floor_divide>(5880413, 2.01706997e16f, 3.43015e9f);
}

TEST(special_values, of_signs_and_classes) {
  using namespace ops;
  expect<ops::copysign>(-inf, inf, -0.0f), expect<ops::copysign>(0, -0.0f, 1.0f), expect<ops::copysign>(-tiny, tiny, -inf);
  EXPECT_TRUE(std::signbit(ops::copysign::eval(nan, -1.0f)));
  expect<ops::nextafter>(tiny, 0.0f, 1.0f), expect<ops::nextafter>(-tiny, 0.0f, -1.0f), expect<ops::nextafter>(0, tiny, -1.0f);
  expect<ops::nextafter>(inf, huge, inf), expect<ops::nextafter>(huge, inf, 0.0f), expect<ops::nextafter>(-0.0f, 0.0f, -0.0f);
  expect<ops::nextafter>(nan, nan, 1.0f), expect<ops::nextafter>(nan, 1.0f, nan);
  EXPECT_TRUE(ops::isnan::eval(nan) && !ops::isnan::eval(inf) && !ops::isfinite::eval(nan) && !ops::isinf::eval(nan));
  EXPECT_TRUE(ops::isfinite::eval(tiny) && ops::isfinite::eval(-huge) && ops::isinf::eval(-inf));
}

TEST(special_values, of_nextafter_in_narrow_types) {
  auto next = [](auto d, float x, float y) { return ops::nextafter::eval_as<decltype(d)::value>(x, y); };
  std::integral_constant<dtype, dtype::f16> f16;
  std::integral_constant<dtype, dtype::bf16> bf16;
  std::integral_constant<dtype, dtype::f8_e5m2> f8;
  EXPECT_EQ(next(f16, 1.0f, 2.0f), 1 + std::ldexp(1.0f, -10));
  EXPECT_EQ(next(f16, 1.0f, -inf), 1 - std::ldexp(1.0f, -11));
  EXPECT_EQ(next(f16, 65504.0f, inf), inf);
  EXPECT_EQ(next(f16, -0.0f, 1.0f), std::ldexp(1.0f, -24));
  EXPECT_EQ(next(bf16, -1.0f, -2.0f), -1 - std::ldexp(1.0f, -7));
  EXPECT_EQ(next(f8, 1.0f, 1.0f), 1.0f);
  EXPECT_EQ(next(f8, 1.0f, 2.0f), 1.25f);
  EXPECT_TRUE(std::isnan(next(f16, 1.0f, nan)));
}

TEST(special_values, of_elementary_functions) {
  using namespace ops;
  for (float zero : {0.0f, -0.0f}) {
    expect<ops::tan>(zero, zero), expect<ops::asin>(zero, zero), expect<ops::atan>(zero, zero), expect<ops::sinh>(zero, zero);
    expect<ops::asinh>(zero, zero), expect<ops::atanh>(zero, zero), expect<ops::cbrt>(zero, zero), expect<ops::expm1>(zero, zero);
    expect<ops::log2>(-inf, zero), expect<ops::log10>(-inf, zero), expect<ops::cosh>(1, zero), expect<ops::erfc>(1, zero);
    expect<exp10>(1, zero), expect<erfinv>(zero, zero), expect<i0>(1, zero), expect<ops::lgamma>(inf, zero);
  }
  for (float x : {inf, -inf}) {
    expect<ops::tan>(nan, x), expect<ops::asin>(nan, x), expect<ops::acos>(nan, x), expect<ops::atanh>(nan, x), expect<erfinv>(nan, x);
    expect<ops::sinh>(x, x), expect<ops::cosh>(inf, x), expect<ops::asinh>(x, x), expect<ops::cbrt>(x, x), expect<i0>(inf, x);
    expect<ops::lgamma>(inf, x), expect<ops::hypot>(inf, x, nan), expect<ops::hypot>(inf, nan, x);
  }
  expect<ops::erfc>(0, inf), expect<ops::erfc>(2, -inf), expect<exp10>(0, -inf), expect<exp10>(inf, inf), expect<ops::expm1>(-1, -inf);
  expect<ops::acosh>(0, 1.0f), expect<ops::acosh>(inf, inf), expect<ops::acosh>(nan, 0.5f), expect<ops::acos>(0, 1.0f);
  expect<ops::atanh>(inf, 1.0f), expect<ops::atanh>(-inf, -1.0f), expect<ops::log2>(nan, -1.0f), expect<ops::log10>(-2, 0.01f);
  expect<ops::log2>(-149, tiny), expect<ops::log2>(10, 1024.0f), expect<exp10>(1000, 3.0f), expect<ops::cbrt>(-3, -27.0f);
  expect<erfinv>(inf, 1.0f), expect<erfinv>(-inf, -1.0f), expect<erfinv>(nan, 1.5f);
  expect<ops::lgamma>(0, 1.0f), expect<ops::lgamma>(0, 2.0f), expect<ops::lgamma>(inf, -3.0f);
  expect<digamma>(-inf, 0.0f), expect<digamma>(inf, -0.0f), expect<digamma>(nan, -2.0f), expect<digamma>(inf, inf), expect<digamma>(nan, -inf);
  float const pi = 3.14159265f;
  expect<ops::atan2>(0, 0.0f, 1.0f), expect<ops::atan2>(-pi, -0.0f, -0.0f), expect<ops::atan2>(pi / 2, 1.0f, 0.0f), expect<ops::atan2>(pi / 4, inf, inf);
  expect<logaddexp>(-inf, -inf, -inf), expect<logaddexp>(inf, inf, inf), expect<logaddexp>(inf, inf, -inf);
  expect<logaddexp>(2, 2.0f, -inf), expect<logaddexp>(nan, nan, -inf);
}

TEST(special_values, of_activations) {
  using namespace ops;
  expect<leaky_relu>(-inf, -inf, 0.01f), expect<leaky_relu>(-0.0f, -0.0f, 0.5f), expect<leaky_relu>(nan, nan, 0.0f);
  expect<elu>(-2, -inf, 2.0f), expect<elu>(inf, inf, 2.0f), expect<elu>(-0.0f, -0.0f, 1.0f), expect<elu>(nan, nan, 1.0f);
  expect<selu>(inf, inf), expect<selu>(-1.7580993f, -inf), expect<mish>(inf, inf), expect<mish>(-0.0f, -inf), expect<mish>(nan, nan);
  expect<logsigmoid>(-inf, -inf), expect<logsigmoid>(-0.0f, inf), expect<tanhshrink>(inf, inf), expect<tanhshrink>(-0.0f, -0.0f);
  expect<hardswish>(-0.0f, -inf), expect<hardswish>(inf, inf), expect<hardswish>(nan, nan), expect<hardsigmoid>(0, -inf);
  expect<softsign>(1, inf), expect<softsign>(-1, -inf), expect<softsign>(1, huge), expect<softsign>(-0.0f, -0.0f);
  expect<softshrink>(nan, nan, 0.5f), expect<hardshrink>(nan, nan, 0.5f), expect<threshold>(nan, nan, 0.0f, 1.0f);
  expect<gelu>(inf, inf), expect<gelu>(-0.0f, -inf), expect<gelu>(nan, nan), expect<gelu>(-0.0f, -0.0f);
}

template <class T> class special_integers : public testing::Test {};
using integers = testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(special_integers, integers);

// Quotients by zero are 0, and the one that overflows wraps.
TYPED_TEST(special_integers, divide_without_a_trap) {
  using T = TypeParam;
  T const low = std::numeric_limits<T>::lowest(), high = std::numeric_limits<T>::max(), zero = 0;
  for (T x : {low, high, zero, T(7)}) {
    EXPECT_EQ(ops::floor_divide::eval(x, zero), zero);
    EXPECT_EQ(ops::remainder::eval(x, zero), zero);
    EXPECT_EQ(ops::fmod::eval(x, zero), zero);
    EXPECT_EQ(ops::floor::eval(x), x);
    EXPECT_EQ(ops::round::eval(x), x);
    EXPECT_EQ(ops::frac::eval(x), zero);
  }
  EXPECT_EQ(ops::floor_divide::eval(high, T(2)), static_cast<T>(high / 2));
  if constexpr (std::is_signed_v<T>) {
    EXPECT_EQ(ops::floor_divide::eval(low, T(-1)), low);
    EXPECT_EQ(ops::remainder::eval(low, T(-1)), zero);
    EXPECT_EQ(ops::fmod::eval(low, T(-1)), zero);
    EXPECT_EQ(ops::floor_divide::eval(low, high), T(-2));
    EXPECT_EQ(ops::remainder::eval(low, high), static_cast<T>(high - 1));
    for (int x = -9; x <= 9; ++x)
      for (int y : {-4, -3, -1, 1, 3, 4}) {
        EXPECT_EQ(ops::floor_divide::eval(T(x), T(y)), T(std::floor(double(x) / y))) << x << ' ' << y;
        EXPECT_EQ(ops::remainder::eval(T(x), T(y)), T(x - y * std::floor(double(x) / y))) << x << ' ' << y;
        EXPECT_EQ(ops::fmod::eval(T(x), T(y)), T(x % y)) << x << ' ' << y;
      }
  }
}

}  // namespace
}  // namespace tenon
