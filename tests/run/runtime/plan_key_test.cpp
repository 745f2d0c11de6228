// SPDX-License-Identifier: Apache-2.0
// tenon-test: cpu-only
// The key of a plan: words for what the type of an argument leaves open, and for nothing else.
#include <gtest/gtest.h>

#include "tenon/tenon.hpp"

namespace tn = tenon;

// What the type fixes is not in the key; what it leaves open is, for every array there can be.
TEST(plan_key, keys_differ_where_calls_of_one_type_may) {
  using tensor = tn::cpu::tensor<float, "B", 512>;
  using view = tn::cpu::view<float, tn::dyn, 512>;
  static_assert(tn::detail::shape_words<tensor> == 1);
  static_assert(tn::detail::shape_words<view> == 3, "a run-time extent and two strides");
  static_assert(tn::detail::shape_words<tn::cpu::tensor<float, 16, 512>> == 0);
  static_assert(tn::detail::shape_words<float> == 0);

  constexpr int arrays = 33, words = 2 * arrays;
  alignas(16) float memory[8] = {};
  using operands = tn::detail::call_operands<arrays - 1, 1, words>;
  auto const key_of = [&](int changed, std::int64_t length, float* address) {
    operands call(0, true);
    for (int k = 0; k < arrays - 1; ++k)
      call.add(tn::cpu::view<float, tn::dyn>(k == changed ? address : memory,
                                             k == changed ? length : 1));
    call.add_output(tn::cpu::view<float, tn::dyn>(changed == arrays - 1 ? address : memory, 1));
    return call;
  };
  auto const usual = key_of(-1, 1, memory);
  EXPECT_TRUE(usual.key() == key_of(0, 1, memory + 4).key()) << "as aligned as the other";
  for (int k = 0; k < arrays; ++k) {
    EXPECT_FALSE(usual.key() == key_of(k, 1, memory + 1).key()) << "alignment of array " << k;
    EXPECT_NE(usual.key().hash(), key_of(k, 1, memory + 1).key().hash()) << k;
    if (k + 1 < arrays) {
      EXPECT_FALSE(usual.key() == key_of(k, 2, memory).key()) << "length of array " << k;
    }
  }
  EXPECT_FALSE(operands(0, true).key() == operands(1, true).key()) << "device";
  EXPECT_FALSE(operands(0, true).key() == operands(0, false).key()) << "whether outputs are given";
}
