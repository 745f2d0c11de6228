// SPDX-License-Identifier: Apache-2.0
// cast of NaN, which nvcc cannot compare in constant evaluation.
// tenon-test: cpu-only
#include "tenon/ops/cast.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace tenon {

TEST(cast, of_nan) {
  float const nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(ops::cast::eval_as<dtype::i32>(nan), 0);
  EXPECT_EQ(ops::cast::eval_as<dtype::u8>(nan), 0);
  EXPECT_EQ(ops::cast::eval_as<dtype::i64>(static_cast<double>(nan)), 0);
  EXPECT_TRUE(ops::cast::eval_as<dtype::boolean>(nan));
  EXPECT_TRUE(std::isnan(ops::cast::eval_as<dtype::f16>(nan)));
  EXPECT_TRUE(std::isnan(ops::cast::eval_as<dtype::bf16>(nan)));
}

}  // namespace tenon
