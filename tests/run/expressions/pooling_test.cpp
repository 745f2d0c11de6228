// SPDX-License-Identifier: Apache-2.0
// Reductions of a few elements that lie apart: windows of images.
#include <algorithm>
#include <cmath>

#include "run/support/arrays.hpp"
#include "tenon/grad.hpp"

namespace {

using reference::doubles;

// Windows of Height x Width of matrices with 12 columns: all of them, and of each the sum and the
// greatest element.
template <int Height, int Width> struct windows_of_twelve {
  static constexpr int columns = 12 / Width;
  template <class X> static constexpr auto of(X x) {
    return tn::reshape(x, tn::shape<-1, Height, columns, Width>);
  }
};
template <int Height, int Width, class T> void expect_pools(std::int64_t rows) {
  using windows = windows_of_twelve<Height, Width>;
  auto const f = tn::compile([](auto x) {
    auto const all = windows::of(x * 2);
    return tn::outputs(tn::sum(all, tn::axis<1, 3>), tn::max(all, tn::axis<1, 3>));
  });
  auto x = random_array<T, 2>({rows * Height, 12}, arrangement::contiguous, -9, 9);
  doubles a = x.values();  // of whole numbers, whose sums are exact
  for (std::int64_t k = 0; k < a.size(); ++k) a[k] = std::round(a[k]);
  x.set(a);
  auto const [sums, largest] = f(x.view());
  doubles const s = result_of(sums), l = result_of(largest);
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t column = 0; column < windows::columns; ++column) {
      double sum = 0, best = -100;
      for (int i = 0; i < Height; ++i)
        for (int j = 0; j < Width; ++j) {
          double const e = 2 * a[(row * Height + i) * 12 + column * Width + j];
          sum += e, best = std::max(best, e);
        }
      std::int64_t const at = row * windows::columns + column;
      EXPECT_EQ(s[at], as_double(from_double<T>(sum))) << rows;
      EXPECT_EQ(l[at], best) << rows;
    }
}

TEST(pooling, of_windows) {
  for (std::int64_t rows : {1, 5, 1000}) {
    expect_pools<2, 2, float>(rows);
    expect_pools<3, 3, float>(rows);
    expect_pools<2, 6, double>(rows);
    expect_pools<2, 2, int>(rows);
    expect_pools<4, 4, tn::bfloat16>(rows);
  }
}

// More than sixteen elements are reduced as rows are.
TEST(pooling, of_larger_windows) {
  for (std::int64_t rows : {1, 7}) expect_pools<6, 6, float>(rows);
}

TEST(pooling, and_back_to_what_is_pooled) {
  using windows = windows_of_twelve<2, 2>;
  auto const f = tn::compile([](auto x) {
    auto const all = windows::of(x);
    return tn::reshape(all - tn::mean(all, tn::axis<1, 3>, tn::keepdim), tn::shape<-1, 12>);
  });
  auto const slope =
      tn::grad([](auto x, auto w) { return tn::sum(tn::mean(windows::of(x), tn::axis<1, 3>) * w); },
               tn::wrt<0>);
  for (std::int64_t rows : {2, 64}) {
    auto x = random_array<float, 2>({rows, 12});
    auto w = random_array<float, 2>({rows / 2, 6});
    doubles const a = x.values(), by = w.values(), rest = result_of(f(x.view())),
                  slopes = result_of(slope(x.view(), w.view()));
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < 12; ++j) {
        double mean = 0;
        for (std::int64_t k = 0; k < 4; ++k)
          mean += a[(i / 2 * 2 + k / 2) * 12 + j / 2 * 2 + k % 2] / 4;
        EXPECT_NEAR(rest[i * 12 + j], a[i * 12 + j] - mean, 1e-6) << rows;
        EXPECT_NEAR(slopes[i * 12 + j], by[i / 2 * 6 + j / 2] / 4, 1e-7) << rows;
      }
  }
}

}  // namespace
