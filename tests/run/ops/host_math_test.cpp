// SPDX-License-Identifier: Apache-2.0
// tenon-test: cpu-only
// The host's own functions of float against the C library's of double: a prime stride through all
// floats, and every special value.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "tenon/ops/gelu.hpp"

namespace {

namespace host = tenon::math::host;

double unit_in_the_last_place(double number) {
  int exponent;
  std::frexp(number, &exponent);
  return std::ldexp(1.0, std::max(exponent, -125) - 24);
}

// In units in the last place; infinite where one is special and the other is not.
double error_of(float result, double exact) {
  float const rounded = static_cast<float>(exact);
  if (std::isnan(result) || std::isnan(rounded))
    return std::isnan(result) && std::isnan(rounded) ? 0 : std::numeric_limits<double>::infinity();
  if (std::isinf(result) || std::isinf(rounded))
    return result == rounded ? 0 : std::numeric_limits<double>::infinity();
  if (exact == 0 && std::signbit(result) != std::signbit(exact))
    return std::numeric_limits<double>::infinity();
  return std::fabs(result - exact) / unit_in_the_last_place(exact);
}

float float_of(std::uint32_t bits) {
  float result;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}

struct worst_case {
  double units = 0;
  float at = 0;
};
template <class Function, class Reference>
worst_case worst_of(Function function, Reference reference) {
  worst_case worst;
  auto const look_at = [&](float x) {
    double const units = error_of(function(x), reference(static_cast<double>(x)));
    if (units > worst.units) worst = {units, x};
  };
  for (std::uint64_t bits = 0; bits < 1ull << 32; bits += 5003)
    look_at(float_of(static_cast<std::uint32_t>(bits)));
  float const infinity = std::numeric_limits<float>::infinity();
  for (float magnitude :
       {0.0f, 1.0f, 0.5f, 104.0f, 160.0f, 88.7228394f, 0.55f, 0.4775f, 0x1p20f, 1048576.06f, 14.5f,
        3.4028235e38f, 0x1p-149f, 0x1p-126f, infinity, std::nanf("")})
    look_at(magnitude), look_at(-magnitude);
  return worst;
}

#define EXPECT_WITHIN(limit, function, reference)                                       \
  do {                                                                                  \
    worst_case const worst =                                                            \
        worst_of([](float x) { return function; }, [](double x) { return reference; }); \
    EXPECT_LE(worst.units, limit) << #function " at " << worst.at;                      \
  } while (false)

TEST(host_math, exponentials) {
  EXPECT_WITHIN(1.1, host::exp(x), std::exp(x));
  EXPECT_WITHIN(1.4, host::exp2(x), std::exp2(x));
  EXPECT_WITHIN(0.75, host::expm1(x), std::expm1(x));
  EXPECT_WITHIN(1.4, host::tanh(x), std::tanh(x));
}
TEST(host_math, error_function) { EXPECT_WITHIN(1.6, host::erf(x), std::erf(x)); }
TEST(host_math, logarithms) {
  EXPECT_WITHIN(1.0, host::log(x), std::log(x));
  EXPECT_WITHIN(0.6, host::log2(x), std::log2(x));
  EXPECT_WITHIN(0.6, host::log10(x), std::log10(x));
  EXPECT_WITHIN(0.6, host::log1p(x), std::log1p(x));
}
// Over the whole range: the largest floats are 2^126 turns.
TEST(host_math, angles) {
  EXPECT_WITHIN(1.6, host::sin(x), std::sin(x));
  EXPECT_WITHIN(1.6, host::cos(x), std::cos(x));
}
// So that no result depends on the elements beside it.
TEST(host_math, near_angles_have_the_bits_of_the_form_for_all) {
  for (std::uint64_t bits = 0; bits < 1ull << 32; bits += 5003) {
    float const x = float_of(static_cast<std::uint32_t>(bits));
    if (!host::is_near(x)) continue;
    ASSERT_EQ(host::bits_of(host::sin_near(x)), host::bits_of(host::sin(x))) << x;
    ASSERT_EQ(host::bits_of(host::cos_near(x)), host::bits_of(host::cos(x))) << x;
  }
}
// The form for devices has no instruction of theirs.
TEST(device_math, angles) {
  EXPECT_WITHIN(1.6, tenon::math::circular::sin(x), std::sin(x));
  EXPECT_WITHIN(1.6, tenon::math::circular::cos(x), std::cos(x));
}
TEST(host_math, activations) {
  EXPECT_WITHIN(2.8, host::silu(x), tenon::ops::silu::reference(x));
  EXPECT_WITHIN(0.75, host::gelu_tanh(x), tenon::ops::gelu_tanh::reference(x));
  EXPECT_WITHIN(4.2, host::gelu(x), tenon::ops::gelu::reference(x));
}

}  // namespace
