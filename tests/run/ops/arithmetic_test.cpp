// SPDX-License-Identifier: Apache-2.0
// pow of integers, which constant evaluation cannot show.
// tenon-test: cpu-only
#include <gtest/gtest.h>

#include <cstdint>

#include "tenon/ops/arithmetic.hpp"

namespace tenon {

TEST(pow, of_integers_is_exact_and_wraps) {
  EXPECT_EQ(ops::pow::eval<std::int32_t>(3, 13), 1594323);
  EXPECT_EQ(ops::pow::eval<std::int32_t>(-2, 31), INT32_MIN);
  EXPECT_EQ(ops::pow::eval<std::int32_t>(2, 32), 0);
  EXPECT_EQ(ops::pow::eval<std::int64_t>(7, 22), 3909821048582988049);
  EXPECT_EQ(ops::pow::eval<std::uint8_t>(3, 6), static_cast<std::uint8_t>(729));
  EXPECT_EQ(ops::pow::eval<std::int32_t>(0, 0), 1);
}

TEST(pow, of_a_negative_integer_exponent_truncates) {
  EXPECT_EQ(ops::pow::eval<std::int32_t>(2, -1), 0);
  EXPECT_EQ(ops::pow::eval<std::int32_t>(1, -5), 1);
  EXPECT_EQ(ops::pow::eval<std::int32_t>(-1, -5), -1);
  EXPECT_EQ(ops::pow::eval<std::int64_t>(-1, -4), 1);
}

TEST(fma, of_integers_wraps) { EXPECT_EQ(ops::fma::eval<std::int32_t>(1 << 30, 4, 5), 5); }

}  // namespace tenon
