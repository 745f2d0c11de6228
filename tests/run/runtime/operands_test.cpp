// SPDX-License-Identifier: Apache-2.0
// tenon-test: nvcc-host
// Operands and outputs that a user would expect to be accepted: numbers of any arithmetic type, temporaries as outputs.
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "tenon/tenon.hpp"

namespace tn = tenon;

namespace {

TEST(operands, numbers_of_types_that_are_no_element_types) {
  tn::cpu::tensor<float, tn::dyn> x(std::vector<float>{1, 2, 3}, 3), z(3);
  auto const scale = tn::compile([](auto a, auto b) { return a * b; });
  EXPECT_EQ(scale(x, std::size_t{3})(2), 9.0f);
  EXPECT_EQ(scale(x, 3u)(2), 9.0f);
  EXPECT_EQ(scale(x, 0.5L)(2), 1.5f);
  EXPECT_EQ(scale(x, '\2')(2), 6.0f);
  z = x * 3u + std::size_t{1};
  EXPECT_EQ(z(2), 10.0f);
}

TEST(operands, output_is_a_temporary) {
  tn::cpu::tensor<float, tn::dyn> x(std::vector<float>{1, 2, 3}, 3), z(3);
  auto const twice = tn::compile([](auto a) { return a + a; });
  twice.into(z.view())(x);
  EXPECT_EQ(z(2), 6.0f);
  twice.on({}).into(tn::cpu::view<float, tn::dyn>(z.data(), 3))(z);
  EXPECT_EQ(z(2), 12.0f);
}

}  // namespace
