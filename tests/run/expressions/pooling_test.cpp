// SPDX-License-Identifier: Apache-2.0
// Reductions of a few elements that lie apart: windows of images.
#include <algorithm>
#include <cmath>
#include <limits>

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

// Windows whose extents a call has.
template <class T> void expect_windows_of_a_call(std::int64_t height, std::int64_t width) {
  static auto const f = tn::compile(
      [](auto x) { return tn::outputs(tn::sum(x, tn::axis<2, 4>), tn::max(x, tn::axis<2, 4>)); });
  static auto const sums_alone =
      tn::compile([](auto x, auto y) { return tn::sum(x * 2, tn::axis<2, 4>) + y; });
  for (arrangement how : arrangements) {
    auto x = random_array<T, 5>({2, 3, height, 7, width}, how, -9, 9);
    auto y = random_array<T, 3>({2, 3, 7});
    doubles a = x.values();
    for (std::int64_t k = 0; k < a.size(); ++k) a[k] = std::round(a[k]);
    x.set(a);
    a = x.values();
    doubles const by = y.values();
    auto const [sums, largest] = f(x.view());
    doubles const s = result_of(sums), l = result_of(largest),
                  alone = result_of(sums_alone(x.view(), y.view()));
    for (std::int64_t k = 0; k < s.size(); ++k) {
      double sum = 0, best = -100;
      for (std::int64_t i = 0; i < height; ++i)
        for (std::int64_t j = 0; j < width; ++j) {
          double const e = a[((k / 7 * height + i) * 7 + k % 7) * width + j];
          sum += e, best = std::max(best, e);
        }
      ASSERT_EQ(s[k], as_double(from_double<T>(sum))) << height << " x " << width << to_string(how);
      ASSERT_EQ(l[k], best) << height << " x " << width << to_string(how);
      ASSERT_NEAR(alone[k], 2 * sum + by[k], 0.01 * (10 + std::abs(sum))) << to_string(how);
    }
  }
}
// So many that a thread has several of them.
template <class T> void expect_many_windows_of_a_call() {
  auto const f = tn::compile([](auto x) { return tn::max(x, tn::axis<1, 3>); });
  for (std::int64_t columns : {512, 513}) {
    std::int64_t const rows = 1024;
    auto x = random_array<T, 4>({rows, 2, columns, 3});
    doubles const a = x.values(), found = result_of(f(x.view()));
    for (std::int64_t k = 0; k < found.size(); ++k) {
      double best = -100;
      for (std::int64_t i = 0; i < 6; ++i)
        best = std::max(best, a[((k / columns * 2 + i / 3) * columns + k % columns) * 3 + i % 3]);
      ASSERT_EQ(found[k], best) << columns;
    }
  }
}
TEST(pooling, of_many_windows_of_a_call) {
  expect_many_windows_of_a_call<tn::bfloat16>();
  expect_many_windows_of_a_call<float>();
}
TEST(pooling, of_windows_of_a_call) {
  for (std::int64_t height : {1, 2, 3, 5})
    for (std::int64_t width : {1, 2, 3, 6}) {
      expect_windows_of_a_call<tn::bfloat16>(height, width);
      expect_windows_of_a_call<float>(height, width);
    }
}

// Windows by unfold, which overlap or have elements between them.
template <int Size, int Step, class T>
void expect_windows_of_rows(std::int64_t length, arrangement how) {
  static auto const f = tn::compile([](auto x, auto by) {
    auto const all = tn::unfold(x, tn::axis<1>, tn::ct<Size>, tn::ct<Step>);
    return tn::outputs(tn::sum(all * by, tn::axis<2>), tn::max(all, tn::axis<2>));
  });
  auto x = random_array<T, 2>({5, length}, how, -9, 9);
  auto by = random_array<T, 1>({Size});
  doubles a = x.values(), b = by.values();  // of whole numbers, whose sums are exact
  for (std::int64_t k = 0; k < a.size(); ++k) a[k] = std::round(a[k]);
  for (std::int64_t k = 0; k < Size; ++k) b[k] = k - 1.0;
  x.set(a), by.set(b);
  a = x.values();
  tn::view<T const, Size> const weights(by.view().data());
  auto const [sums, largest] = f(x.view(), weights);
  doubles const s = result_of(sums), l = result_of(largest);
  std::int64_t const windows = length < Size ? 0 : (length - Size) / Step + 1;
  ASSERT_EQ(s.size(), 5 * windows) << length;
  for (std::int64_t k = 0; k < s.size(); ++k) {
    std::int64_t const first = k / windows * length + k % windows * Step;
    double sum = 0, best = -100;
    for (int i = 0; i < Size; ++i) sum += a[first + i] * b[i], best = std::max(best, a[first + i]);
    ASSERT_EQ(s[k], as_double(from_double<T>(sum))) << length << to_string(how);
    ASSERT_EQ(l[k], best) << length << to_string(how);
  }
}

TEST(pooling, of_windows_along_rows) {
  for (std::int64_t length : {1, 2, 3, 4, 9, 16, 31, 64, 257, 1000})
    for (arrangement how : arrangements) {
      expect_windows_of_rows<3, 1, float>(length, how);
      expect_windows_of_rows<3, 2, tn::bfloat16>(length, how);
      expect_windows_of_rows<2, 2, std::int8_t>(length, how);
      expect_windows_of_rows<4, 4, tn::bfloat16>(length, how);
      expect_windows_of_rows<4, 1, tn::bfloat16>(length, how);
      expect_windows_of_rows<2, 3, double>(length, how);
      expect_windows_of_rows<7, 1, float>(length, how);
      expect_windows_of_rows<9, 4, tn::bfloat16>(length, how);
    }
}

TEST(pooling, of_windows_along_the_first_axis) {
  auto const f = tn::compile([](auto x) {
    return tn::min(tn::unfold(x, tn::axis<0>, tn::ct<3>, tn::ct<2>), tn::axis<2>);
  });
  for (std::int64_t width : {1, 7, 64}) {
    auto x = random_array<tn::bfloat16, 2>({12, width});
    doubles const a = x.values(), found = result_of(f(x.view()));
    ASSERT_EQ(found.size(), 5 * width);
    for (std::int64_t k = 0; k < found.size(); ++k) {
      std::int64_t const at = k / width * 2 * width + k % width;
      ASSERT_EQ(found[k], std::min({a[at], a[at + width], a[at + 2 * width]}));
    }
  }
}

TEST(pooling, of_overlapping_windows_of_images) {
  auto const f = tn::compile([](auto x) {
    return tn::sum(tn::unfold(tn::unfold(x, tn::axis<1>, tn::ct<3>, tn::ct<1>), tn::axis<2>,
                              tn::ct<3>, tn::ct<2>),
                   tn::axis<3, 4>);
  });
  for (std::int64_t width : {3, 9, 17, 66, 300})
    for (arrangement how : arrangements) {
      std::int64_t const height = 5, rows = 3, columns = (width - 1) / 2;
      auto x = random_array<float, 3>({2, height, width}, how, -9, 9);
      doubles const a = x.values(), found = result_of(f(x.view()));
      ASSERT_EQ(found.size(), 2 * rows * columns);
      for (std::int64_t k = 0; k < found.size(); ++k) {
        std::int64_t const image = k / columns / rows, row = k / columns % rows,
                           column = k % columns * 2;
        double sum = 0;
        for (std::int64_t i = row; i < row + 3; ++i)
          for (std::int64_t j = column; j < column + 3; ++j)
            sum += a[(image * height + i) * width + j];
        ASSERT_NEAR(found[k], sum, 1e-4) << width << to_string(how);
      }
    }
}

// As images are pooled: windows of 3 x 3, every second one, with a border that is less than all.
TEST(pooling, of_windows_of_a_border) {
  auto const f = tn::compile([](auto x) {
    constexpr float low = -std::numeric_limits<float>::infinity();
    auto const wide =
        tn::pad(tn::pad(x, tn::axis<1>, tn::widths<1, 1>, low), tn::axis<2>, tn::widths<1, 1>, low);
    return tn::max(tn::unfold(tn::unfold(wide, tn::axis<1>, tn::ct<3>, tn::ct<2>), tn::axis<2>,
                              tn::ct<3>, tn::ct<2>),
                   tn::axis<3, 4>);
  });
  for (std::int64_t width : {1, 2, 9, 16, 56}) {
    std::int64_t const height = 6, rows = 3, columns = (width + 1) / 2;
    auto x = random_array<tn::bfloat16, 3>({2, height, width});
    doubles const a = x.values(), found = result_of(f(x.view()));
    ASSERT_EQ(found.size(), 2 * rows * columns);
    for (std::int64_t k = 0; k < found.size(); ++k) {
      std::int64_t const image = k / columns / rows, row = k / columns % rows * 2,
                         column = k % columns * 2;
      double best = -100;
      for (std::int64_t i = std::max<std::int64_t>(row - 1, 0); i < std::min(row + 2, height); ++i)
        for (std::int64_t j = std::max<std::int64_t>(column - 1, 0);
             j < std::min(column + 2, width); ++j)
          best = std::max(best, a[(image * height + i) * width + j]);
      ASSERT_EQ(found[k], best) << width;
    }
  }
}

}  // namespace
