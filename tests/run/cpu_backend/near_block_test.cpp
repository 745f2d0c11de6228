// SPDX-License-Identifier: Apache-2.0
// tenon-test: cpu-only
// Sines and cosines of blocks with and without an argument that is far: every element has the bits
// that its argument alone gives.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tenon/tenon.hpp"

namespace {

namespace tn = tenon;
namespace host = tenon::math::host;
using vector = tn::cpu::tensor<float, tn::dyn>;
using matrix = tn::cpu::tensor<float, tn::dyn, tn::dyn>;

void fill(float* x, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) x[i] = static_cast<float>(i % 2003 - 1001) * 0.37f;
}
// Nowhere, at the ends of a block, in the next one.
constexpr std::int64_t far_places[] = {-1, 0, 1023, 1024, 1500};
constexpr float far_values[] = {0x1p21f, -0x1.7p90f, INFINITY, NAN};

TEST(near_block, pointwise_in_place) {
  auto const f = tn::compile([](auto x) { return tn::sin(x) - tn::cos(x * 0.5f); });
  for (std::int64_t size : {1, 31, 1024, 1025, 1501, 70000})
    for (std::int64_t place : far_places)
      for (float far : far_values) {
        if (place >= size) continue;
        vector x(size);
        fill(x.data(), size);
        if (place >= 0) x.data()[place] = far;
        std::vector<float> const before(x.data(), x.data() + size);
        f.into(x)(x);
        for (std::int64_t i = 0; i < size; ++i) {
          float const from = before[static_cast<std::size_t>(i)];
          float const exact = host::sin(from) - host::cos(from * 0.5f);
          if (std::isnan(exact))
            ASSERT_TRUE(std::isnan(x.data()[i])) << i;
          else
            ASSERT_EQ(x.data()[i], exact) << i << " of " << size << " far at " << place;
        }
      }
}

TEST(near_block, an_angle_of_an_angle) {
  auto const f = tn::compile([](auto x) { return tn::sin(tn::cos(x) * 3.0f); });
  vector x(1100), y(1100);
  fill(x.data(), 1100);
  x.data()[700] = 0x1p30f;
  f.into(y)(x);
  for (std::int64_t i = 0; i < 1100; ++i)
    ASSERT_EQ(y.data()[i], host::sin(host::cos(x.data()[i]) * 3.0f)) << i;
}

TEST(near_block, rows_beside_a_row_with_a_far_element) {
  auto const f = tn::compile(
      [](auto x) { return tn::sin(x) * tn::sum(tn::cos(x), tn::axis<-1>, tn::keepdim); });
  matrix x(3, 1030), y(3, 1030), z(3, 1030);
  fill(x.data(), x.size());
  f.into(y)(x);
  x.data()[1030 + 5] = 0x1p40f;
  f.into(z)(x);
  for (std::int64_t i = 0; i < 3; i += 2)
    for (std::int64_t k = 0; k < 1030; ++k)
      ASSERT_EQ(y.data()[i * 1030 + k], z.data()[i * 1030 + k]) << i << ", " << k;
}

}  // namespace
