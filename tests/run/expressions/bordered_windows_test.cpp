// SPDX-License-Identifier: Apache-2.0
// Windows of images with a border: neighbours in a row that are read once for all of them, if the
// rows are whole vectors, and one by one if not.
#include <algorithm>
#include <cmath>
#include <limits>

#include "run/support/arrays.hpp"

namespace {

using reference::doubles;
using bf16 = tn::bfloat16;
constexpr float low = -std::numeric_limits<float>::infinity();

// Windows of Height x Width, every `Step`th, of images with a border of so many elements.
template <int Height, int Width, int Step, int Above, int Below, int Left, int Right> struct pool {
  template <class X, class F> static constexpr auto of(X x, F outside) {
    auto const tall = tn::pad(x, tn::axis<1>, tn::widths<Above, Below>, outside);
    auto const wide = tn::pad(tall, tn::axis<2>, tn::widths<Left, Right>, outside);
    return tn::unfold(tn::unfold(wide, tn::axis<1>, tn::ct<Height>, tn::ct<Step>), tn::axis<2>,
                      tn::ct<Width>, tn::ct<Step>);
  }
  static std::int64_t windows_of(std::int64_t length, std::int64_t size) {
    return length < size ? 0 : (length - size) / Step + 1;
  }
  static std::int64_t rows(std::int64_t height) {
    return windows_of(height + Above + Below, Height);
  }
  static std::int64_t columns(std::int64_t width) {
    return windows_of(width + Left + Right, Width);
  }
  // visit(k, elements of window k, as many as there are inside)
  template <class Visit>
  static void for_each(doubles const& a, double outside, Visit const& visit) {
    std::int64_t const height = a.extents[1], width = a.extents[2], r = rows(height),
                       c = columns(width);
    for (std::int64_t k = 0; k < a.extents[0] * r * c; ++k) {
      std::vector<double> elements;
      for (int i = 0; i < Height; ++i)
        for (int j = 0; j < Width; ++j) {
          std::int64_t const row = k / c % r * Step + i - Above, column = k % c * Step + j - Left;
          bool const is_inside = row >= 0 && row < height && column >= 0 && column < width;
          elements.push_back(is_inside ? a[(k / c / r * height + row) * width + column] : outside);
        }
      visit(k, elements);
    }
  }
};
// NaN is the greatest of all.
double greatest(std::vector<double> const& all) {
  double result = all[0];
  for (double const x : all)
    if (x > result || x != x) result = x;
  return result;
}

// Whole numbers, between which NaN and infinities are, if T has them.
template <class T> array<T, 3> images(extents_of_rank<3> const& extents, arrangement how) {
  auto x = random_array<T, 3>(extents, how, std::is_unsigned_v<T> ? 0 : -9, 9);
  doubles a = x.values();
  for (std::int64_t k = 0; k < a.size(); ++k) {
    a[k] = std::round(a[k]);
    if (tn::is_floating(tn::dtype_of<T>) && k % 97 == 5) a[k] = k % 2 ? NAN : -INFINITY;
  }
  x.set(a);
  return x;
}

constexpr extents_of_rank<3> shapes[] = {{2, 7, 64}, {3, 8, 16}, {2, 5, 112}, {1, 3, 63},
                                         {2, 1, 8},  {1, 6, 30}, {70, 4, 32}, {1, 4, 1}};

template <class Pool, class T> void expect_greatest(double outside) {
  static auto const f = tn::compile([](auto x) {
    if constexpr (tn::is_floating(tn::dtype_of<T>))
      return tn::max(Pool::of(x, low), tn::axis<3, 4>);
    else
      return tn::max(Pool::of(x, 0), tn::axis<3, 4>);
  });
  for (auto const& extents : shapes)
    for (arrangement how : {arrangement::contiguous, arrangement::misaligned, arrangement::padded,
                            arrangement::repeated, arrangement::transposed, arrangement::stepped}) {
      auto x = images<T>(extents, how);
      doubles const a = x.values(), found = result_of(f(x.view())), again = result_of(f(x.view()));
      ASSERT_EQ(found.size(), extents[0] * Pool::rows(extents[1]) * Pool::columns(extents[2]));
      Pool::for_each(a, outside, [&](std::int64_t k, std::vector<double> const& elements) {
        double const best = greatest(elements);
        ASSERT_TRUE(found[k] == best || (best != best && found[k] != found[k]))
            << k << ": " << found[k] << ", not " << best << ", of " << extents[0] << " x "
            << extents[1] << " x " << extents[2] << ", " << to_string(how);
        ASSERT_TRUE(again[k] == found[k] || best != best);
      });
    }
}
template <class T> void expect_all_greatest(double outside) {
  expect_greatest<pool<3, 3, 2, 1, 1, 1, 1>, T>(outside);
  expect_greatest<pool<3, 3, 1, 1, 1, 1, 1>, T>(outside);
  expect_greatest<pool<2, 5, 3, 0, 3, 2, 4>, T>(outside);
  // Windows that lie beyond both ends, as a whole.
  expect_greatest<pool<2, 2, 2, 4, 3, 9, 8>, T>(outside);
}
TEST(bordered_windows, greatest_of_bfloat16) { expect_all_greatest<bf16>(low); }
TEST(bordered_windows, greatest_of_float) { expect_all_greatest<float>(low); }
TEST(bordered_windows, greatest_of_double) {
  expect_greatest<pool<3, 3, 2, 1, 1, 1, 1>, double>(low);
}
TEST(bordered_windows, greatest_of_bytes) { expect_all_greatest<std::uint8_t>(0); }
TEST(bordered_windows, greatest_of_few_steps) {
  expect_greatest<pool<2, 4, 4, 1, 1, 1, 1>, bf16>(low);
  expect_greatest<pool<1, 3, 5, 0, 0, 1, 1>, bf16>(low);
}

// Borders that differ, rows first or columns first, and what is read beside the windows.
template <class T> void expect_sums() {
  static auto const f = tn::compile([](auto x) {
    auto const wide = tn::pad(x, tn::axis<2>, tn::widths<1, 1>, 3);
    auto const all = tn::pad(wide, tn::axis<1>, tn::widths<1, 1>, 5);
    auto const windows = tn::unfold(tn::unfold(all, tn::axis<1>, tn::ct<3>, tn::ct<1>), tn::axis<2>,
                                    tn::ct<3>, tn::ct<1>);
    return tn::outputs(tn::sum(windows, tn::axis<3, 4>) - x, x * 2);
  });
  for (auto const& extents : shapes)
    for (arrangement how :
         {arrangement::contiguous, arrangement::padded, arrangement::transposed}) {
      auto x = whole_numbers<T, 3>(extents, how);
      auto const [sums, twice] = f(x.view());
      doubles const a = x.values(), s = result_of(sums), t = result_of(twice);
      std::int64_t const height = extents[1], width = extents[2];
      for (std::int64_t k = 0; k < a.size(); ++k) {
        std::int64_t const plane = k / width / height, r = k / width % height, c = k % width;
        double sum = -a[k];
        for (std::int64_t i = r - 1; i <= r + 1; ++i)
          for (std::int64_t j = c - 1; j <= c + 1; ++j)
            sum += i < 0 || i >= height  ? 5
                   : j < 0 || j >= width ? 3
                                         : a[(plane * height + i) * width + j];
        ASSERT_NEAR(s[k], sum, sizeof(T) < 4 ? 2 : 0)
            << k << " of " << height << " x " << width << to_string(how);
        ASSERT_EQ(t[k], 2 * a[k]);
      }
    }
}
TEST(bordered_windows, sums) {
  expect_sums<float>();
  expect_sums<bf16>();
}

// What decides beside the border need not change between vectors.
template <int Columns> void expect_some_columns() {
  static auto const f = tn::compile([](auto x) {
    auto const wide = tn::pad(x, tn::axis<1>, tn::widths<1, 1>, 3);
    auto const column = tn::iota(wide, tn::axis<1>);
    auto const some = tn::where(column < Columns, wide, 7);
    return tn::slice(some, tn::axis<1>, tn::range<0, -2>) +
           tn::slice(some, tn::axis<1>, tn::range<2, tn::end>) * 2;
  });
  for (std::int64_t width : {16, 48, 64}) {
    auto x = whole_numbers<float, 2>({5, width});
    doubles const a = x.values(), found = result_of(f(x.view()));
    auto const at = [&](std::int64_t row, std::int64_t column) {
      if (column >= Columns) return 7.0;
      return column < 1 || column > width ? 3.0 : a[row * width + column - 1];
    };
    for (std::int64_t k = 0; k < a.size(); ++k)
      ASSERT_EQ(found[k], at(k / width, k % width) + 2 * at(k / width, k % width + 2))
          << k << " of " << width;
  }
}
TEST(bordered_windows, of_some_columns) {
  expect_some_columns<17>();  // whole vectors of what is inside
  expect_some_columns<18>();
}

// Borders of two widths, which are named by the same positions.
TEST(bordered_windows, of_two_borders) {
  auto const f = tn::compile([](auto x) {
    auto const one = tn::pad(x, tn::axis<1>, tn::widths<1, 3>, 5);
    auto const two = tn::pad(x, tn::axis<1>, tn::widths<2, 2>, 6);
    auto const first = [](auto y) { return tn::slice(y, tn::axis<1>, tn::range<0, -4>); };
    auto const last = [](auto y) { return tn::slice(y, tn::axis<1>, tn::range<4, tn::end>); };
    return first(one) + first(two) * 2 + last(one) * 3 + last(two) * 4;
  });
  for (std::int64_t width : {16, 40, 41}) {
    auto x = whole_numbers<float, 2>({6, width});
    doubles const a = x.values(), found = result_of(f(x.view()));
    for (std::int64_t k = 0; k < a.size(); ++k) {
      auto const at = [&](std::int64_t further, double otherwise) {
        std::int64_t const column = k % width + further;
        return column < 0 || column >= width ? otherwise : a[k / width * width + column];
      };
      ASSERT_EQ(found[k], at(-1, 5) + 2 * at(-2, 6) + 3 * at(3, 5) + 4 * at(2, 6)) << k;
    }
  }
}

// Windows of what is padded to as many as there were, beside what they are of: neighbouring
// channels.
template <class T> void expect_responses(std::int64_t plane) {
  static auto const f = tn::compile([](auto x) {
    auto const padded = tn::pad(x * x, tn::axis<1>, tn::widths<2, 2>, 0);
    return x * 2 - tn::sum(tn::unfold(padded, tn::axis<1>, tn::ct<5>, tn::ct<1>), tn::axis<3>);
  });
  for (std::int64_t channels : {1, 2, 3, 8, 33}) {
    auto x = whole_numbers<T, 3>({3, channels, plane});
    doubles const a = x.values(), found = result_of(f(x.view()));
    for (std::int64_t k = 0; k < a.size(); ++k) {
      std::int64_t const channel = k / plane % channels;
      double sum = 0;
      for (std::int64_t j = -2; j <= 2; ++j)
        if (channel + j >= 0 && channel + j < channels) sum += a[k + j * plane] * a[k + j * plane];
      ASSERT_NEAR(found[k], a[k] * 2 - sum, sizeof(T) < 4 ? std::fabs(a[k] * 2 - sum) / 128 : 0)
          << k << " of " << channels << " x " << plane;
    }
  }
}
TEST(bordered_windows, of_neighbouring_channels) {
  for (std::int64_t plane : {1, 9, 32, 100})
    expect_responses<float>(plane), expect_responses<bf16>(plane);
}

}  // namespace
