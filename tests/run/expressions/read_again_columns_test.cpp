// SPDX-License-Identifier: Apache-2.0
// Elements that are changed by statistics of their columns, of which there are more than the shared
// memory of a cluster holds: each sweep reads them, by several blocks.
#include <cmath>

#include "run/support/arrays.hpp"

namespace {

using reference::doubles;

template <class T>
void expect_standardised(std::int64_t rows, std::int64_t columns, double within) {
  auto const f = tn::compile([](auto x) {
    auto const mean = tn::mean(x, tn::axis<0>, tn::keepdim);
    auto const variance = tn::var(x, tn::axis<0>, tn::correction<0>, tn::keepdim);
    return (x - mean) * tn::rsqrt(variance + 1e-5);
  });
  auto const spread = tn::compile([](auto x) {
    auto const centred = x - tn::mean(x, tn::axis<0>, tn::keepdim);
    return tn::max(tn::abs(centred), tn::axis<0>);
  });
  auto x = random_array<T, 2>({rows, columns}, arrangement::contiguous, -2, 3);
  doubles const a = x.values();
  doubles const s = result_of(f(x.view())), m = result_of(spread(x.view()));
  for (std::int64_t c = 0; c < columns; ++c) {
    double mean = 0, squares = 0, most = 0;
    for (std::int64_t r = 0; r < rows; ++r) mean += a[r * columns + c];
    mean /= static_cast<double>(rows);
    for (std::int64_t r = 0; r < rows; ++r) {
      double const d = a[r * columns + c] - mean;
      squares += d * d, most = std::fmax(most, std::fabs(d));
    }
    double const scale = 1 / std::sqrt(squares / static_cast<double>(rows) + 1e-5);
    for (std::int64_t r = 0; r < rows; ++r)
      ASSERT_NEAR(s[r * columns + c], (a[r * columns + c] - mean) * scale, within) << r << " " << c;
    ASSERT_NEAR(m[c], most, within) << c;
  }
}

TEST(read_again_columns, standardised) {
  expect_standardised<float>(20011, 40, 1e-5);
  expect_standardised<float>(13000, 37, 1e-5);
  expect_standardised<tn::bfloat16>(30000, 72, 2e-2);
  expect_standardised<double>(9000, 33, 1e-10);
}

// Whatever order the blocks of a cluster come in.
TEST(read_again_columns, have_the_same_bits_on_a_second_call) {
  auto const f = tn::compile([](auto x) {
    return x - tn::mean(x, tn::axis<0>, tn::keepdim) * tn::var(x, tn::axis<0>, tn::keepdim);
  });
  auto x = random_array<float, 2>({20000, 36});
  doubles const first = result_of(f(x.view())), second = result_of(f(x.view()));
  EXPECT_EQ(first.values, second.values);
}

}  // namespace
