// SPDX-License-Identifier: Apache-2.0
// Calls whose types say that rows are aligned, or whole vectors, have fewer kernels than calls of
// views: the bits are the same.
#include <cmath>
#include <vector>

#include "gtest/gtest.h"
#include "tenon/tenon.hpp"

namespace tn = tenon;

namespace {

constexpr int rows = 5;

// `Columns` is their number, or tn::dyn.
template <tn::extent Columns> void check(int columns) {
  std::vector<float> values(static_cast<std::size_t>(rows * columns));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::sin(0.37f * static_cast<float>(i));
  tn::tensor<float, tn::dyn, tn::dyn> x(values, rows, columns), result(rows, columns);
  auto const known_x = [&] {
    if constexpr (Columns.is_static())
      return tn::tensor<float, tn::dyn, Columns>(values, rows);
    else
      return x.clone();
  }();
  auto const softmax = tn::compile([](auto x) { return tn::softmax(x, tn::axis<-1>); });
  softmax.into(result)(x.view());
  EXPECT_EQ(tn::to_vector(softmax(known_x)), tn::to_vector(result)) << columns;
  auto const layer_norm = tn::compile([](auto x) { return tn::layer_norm(x, tn::axis<-1>); });
  layer_norm.into(result)(x.view());
  EXPECT_EQ(tn::to_vector(layer_norm(known_x)), tn::to_vector(result)) << columns;
}

TEST(same_bits_of_tensors, of_any_extents) {
  for (int columns : {1, 3, 4, 31, 32, 33, 100, 256, 257, 1000, 1024, 4099, 16384, 16388, 20011})
    check<tn::dyn>(columns);
}
TEST(same_bits_of_tensors, of_known_extents) {
  check<16>(16), check<20>(20), check<512>(512), check<16384>(16384);
}

}  // namespace
