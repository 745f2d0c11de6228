// SPDX-License-Identifier: Apache-2.0
// Scans along any axis against plain loops, alone and between what comes before and after.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"

namespace {

using reference::doubles;
constexpr std::int64_t lengths[] = {0, 1, 2, 31, 33, 1023, 1025, 4099};

// The scan of a matrix along `axis`.
template <class Combine>
doubles scanned(doubles const& x, int axis, double identity, Combine const& combine,
                bool is_exclusive = false, bool is_reversed = false) {
  doubles result(x.extents);
  std::int64_t const rows = x.extents[0], columns = x.extents[1];
  std::int64_t const length = axis == 0 ? rows : columns, others = axis == 0 ? columns : rows;
  std::int64_t const step = axis == 0 ? columns : 1, next = axis == 0 ? 1 : columns;
  for (std::int64_t o = 0; o < others; ++o) {
    double state = identity;
    for (std::int64_t k = 0; k < length; ++k) {
      std::int64_t const at = o * next + (is_reversed ? length - 1 - k : k) * step;
      if (is_exclusive) result[at] = state;
      state = combine(state, x[at]);
      if (!is_exclusive) result[at] = state;
    }
  }
  return result;
}
double plus(double a, double b) { return a + b; }
double greater(double a, double b) { return std::isnan(a) || a > b ? a : b; }

template <class F, class Expected>
void check(F const& f, Expected const& expected, double low = -9, double high = 9) {
  for (std::int64_t n : lengths)
    for (arrangement how : arrangements) {
      auto x = random_array<int, 2>({3, n}, how, low, high),
           y = random_array<int, 2>({n, 3}, how, low, high);
      ASSERT_EQ(result_of(f(x.view())).values, expected(x.values()).values) << n << to_string(how);
      ASSERT_EQ(result_of(f(y.view())).values, expected(y.values()).values) << n << to_string(how);
    }
}

TEST(scans, sums_along_both_axes_and_in_both_directions) {
  check(tn::compile([](auto x) { return tn::cumsum(x, tn::axis<1>); }),
        [](doubles const& x) { return scanned(x, 1, 0, plus); });
  check(tn::compile([](auto x) { return tn::cumsum(x, tn::axis<0>); }),
        [](doubles const& x) { return scanned(x, 0, 0, plus); });
  check(tn::compile([](auto x) { return tn::cumsum(x, tn::axis<-1>, tn::exclusive); }),
        [](doubles const& x) { return scanned(x, 1, 0, plus, true); });
  check(tn::compile([](auto x) { return tn::cumsum(x, tn::axis<1>, tn::reversed); }),
        [](doubles const& x) { return scanned(x, 1, 0, plus, false, true); });
  check(tn::compile([](auto x) { return tn::cumsum(x, tn::axis<0>, tn::exclusive, tn::reversed); }),
        [](doubles const& x) { return scanned(x, 0, 0, plus, true, true); });
}

TEST(scans, products_and_extrema) {
  auto const times = [](double a, double b) { return a * b; };
  check(
      tn::compile([](auto x) { return tn::cumprod(x, tn::axis<1>); }),
      [&](doubles const& x) { return scanned(x, 1, 1, times); }, -1, 2);
  check(tn::compile([](auto x) { return tn::cummax(x, tn::axis<1>); }),
        [](doubles const& x) { return scanned(x, 1, -1e9, greater); });
  check(tn::compile([](auto x) { return tn::cummin(x, tn::axis<1>, tn::reversed); }),
        [](doubles const& x) {
          return scanned(
              x, 1, 1e9, [](double a, double b) { return std::min(a, b); }, false, true);
        });
  auto const f = tn::compile([](auto x) { return tn::cummax(x, tn::axis<0>); });
  double const nan = std::numeric_limits<double>::quiet_NaN();
  array<float, 1> x({4});
  x.set(doubles({4}, {1, nan, 5, 0}));
  doubles const found = result_of(f(x.view()));
  EXPECT_EQ(found[0], 1);
  for (int k = 1; k < 4; ++k) EXPECT_TRUE(std::isnan(found[k]));
}

// Whole numbers whose running sums are small, so that they are exact in every type.
template <class T> void check_long_rows(std::int64_t rows, std::int64_t n) {
  auto const sums = tn::compile([](auto x) { return tn::cumsum(x, tn::axis<1>); });
  auto const twice = tn::compile(
      [](auto x) { return 2 * tn::cumsum(x, tn::axis<1>, tn::exclusive, tn::reversed); });
  array<T, 2> x({rows, n});
  doubles values({rows, n});
  for (std::int64_t k = 0; k < rows * n; ++k)
    values[k] = static_cast<double>((k % n + k / n) * 7 % 5 - 2);
  x.set(values);
  doubles const expected = scanned(values, 1, 0, plus),
                reversed = scanned(values, 1, 0, plus, true, true);
  // The second launch finds what the first one left behind.
  for (int run = 0; run < 2; ++run) {
    doubles const found = result_of(sums(x.view())), back = result_of(twice(x.view()));
    for (std::int64_t k = 0; k < rows * n; ++k) {
      ASSERT_EQ(found[k], expected[k]) << rows << " x " << n << " at " << k << ", run " << run;
      ASSERT_EQ(back[k], 2 * reversed[k]) << rows << " x " << n << " at " << k << ", run " << run;
    }
  }
}

TEST(scans, rows_of_any_length) {
  for (std::int64_t n : {1, 31, 33, 1023, 1025, 4096, 4097, 65'536, 65'537, 1'000'003}) {
    check_long_rows<float>(1, n);
    check_long_rows<float>(3, n);
  }
  check_long_rows<float>(65, 20'000);
  check_long_rows<float>(2, 3'000'000);
  for (std::int64_t n : {1025, 65'537, 1'000'003}) {
    check_long_rows<tn::bfloat16>(2, n);
    check_long_rows<double>(2, n);
    check_long_rows<std::int32_t>(2, n);
    check_long_rows<std::int64_t>(2, n);
  }
}

TEST(scans, long_rows_have_the_same_bits_in_every_run) {
  auto const f = tn::compile([](auto x) { return tn::cumsum(tn::exp(x), tn::axis<1>); });
  for (std::int64_t n : {1'000'003, 2'200'000}) {
    auto x = random_array<float, 2>({2, n}, arrangement::contiguous, -3, 3);
    doubles const first = result_of(f(x.view()));
    for (int run = 0; run < 3; ++run) ASSERT_EQ(result_of(f(x.view())).values, first.values) << n;
  }
}

TEST(scans, sums_of_floats_do_not_lose_what_is_small) {
  auto const f = tn::compile([](auto x) { return tn::cumsum(x, tn::axis<0>); });
  array<float, 1> x({200'001});
  doubles values({200'001});
  for (double& value : values.values) value = 1.0f / 3;
  x.set(values);
  doubles const found = result_of(f(x.view()));
  double const third = 1.0f / 3;
  for (std::int64_t k : {0, 1000, 200'000})
    EXPECT_NEAR(found[k], third * static_cast<double>(k + 1),
                third * static_cast<double>(k + 1) * 0x1p-23);
}

// Rows of a block's tiles and rows that all blocks share, of operands and results that are moved as
// vectors, as parts of vectors and one by one.
template <class T> void check_arrangements() {
  auto const sums = tn::compile([](auto x, auto y) { return tn::cumsum(x * y, tn::axis<1>); });
  auto const latest = tn::compile([](auto x) {
    auto [values, indices] = tn::cummax_with_index(x, tn::axis<1>);
    return tn::outputs(values, indices);
  });
  for (auto [rows, n] :
       {std::array<std::int64_t, 2>{1, 4095}, {70, 9001}, {2, 70'001}, {1, 1'300'000}}) {
    doubles values({rows, n}), factors({rows, n});
    for (std::int64_t k = 0; k < rows * n; ++k)
      values[k] = static_cast<double>(k * 7 % 5 - 2), factors[k] = static_cast<double>(k % 4 - 1);
    for (arrangement how : writable_arrangements) {
      array<T, 2> x({rows, n}, how, values), y({rows, n}, arrangement::contiguous, factors),
          products({rows, n}, how), largest({rows, n}, how);
      array<long long, 2> indices({rows, n}, how);
      auto a = products.view(), b = largest.view();
      auto c = indices.view();
      sums.into(a)(x.view(), y.view());
      latest.into(b, c)(x.view());
      doubles const sum = products.result(), maximum = largest.result(), index = indices.result();
      double expected = 0;
      for (std::int64_t k = 0, best = 0; k < rows * n; ++k) {
        if (k % n == 0) expected = 0, best = k;
        expected += values[k] * factors[k];
        if (values[k] >= values[best]) best = k;
        ASSERT_EQ(sum[k], expected) << rows << " x " << n << " at " << k << to_string(how);
        ASSERT_EQ(maximum[k], values[best]) << rows << " x " << n << " at " << k << to_string(how);
        ASSERT_EQ(index[k], best % n) << rows << " x " << n << " at " << k << to_string(how);
      }
    }
  }
}
TEST(scans, rows_of_any_layout_of_floats) { check_arrangements<float>(); }
TEST(scans, rows_of_any_layout_of_bfloat16) { check_arrangements<tn::bfloat16>(); }
TEST(scans, rows_of_any_layout_of_doubles) { check_arrangements<double>(); }

TEST(scans, log_of_the_sum_of_exponentials) {
  auto const f = tn::compile([](auto x) { return tn::logcumsumexp(x, tn::axis<1>); });
  auto x = random_array<double, 2>({3, 100}, arrangement::contiguous, -800, 800);
  doubles const expected = scanned(x.values(), 1, -INFINITY, [](double a, double b) {
    double const m = std::max(a, b);
    return std::isinf(m) ? m : m + std::log(std::exp(a - m) + std::exp(b - m));
  });
  doubles const found = result_of(f(x.view()));
  for (std::int64_t k = 0; k < found.size(); ++k)
    EXPECT_NEAR(found[k], expected[k], 1e-12 * std::abs(expected[k]) + 1e-12);
}

TEST(scans, between_what_comes_before_and_after) {
  // The distribution function of a softmax; its median; a mask from two scans.
  auto const f = tn::compile([](auto x) {
    auto distribution = tn::cumsum(tn::softmax(x, tn::axis<1>), tn::axis<1>);
    return tn::outputs(distribution * 2, tn::sum(tn::cast<int>(distribution < 0.5f), tn::axis<1>));
  });
  auto const rows = tn::compile(
      [](auto x, auto i) { return tn::take(tn::cumsum(x, tn::axis<1>), i, tn::axis<0>); });
  for (std::int64_t n : {1, 33, 1025, 2049}) {
    auto x = random_array<double, 2>({4, n});
    doubles const wanted = scanned(reference::softmax(x.values(), 0b10), 1, 0, plus);
    auto const [distribution, median] = f(x.view());
    doubles const found = result_of(distribution), below = result_of(median);
    for (std::int64_t k = 0; k < wanted.size(); ++k) ASSERT_NEAR(found[k], 2 * wanted[k], 1e-12);
    for (std::int64_t i = 0; i < 4; ++i) {
      double count = 0;
      for (std::int64_t j = 0; j < n; ++j) count += wanted[i * n + j] < 0.5;
      EXPECT_EQ(below[i], count);
    }
    tn::tensor<int, 2> picked(std::vector<int>{3, 0});
    doubles const sums = scanned(x.values(), 1, 0, plus), taken = result_of(rows(x.view(), picked));
    for (std::int64_t j = 0; j < n; ++j) {
      EXPECT_NEAR(taken[j], sums[3 * n + j], 1e-11);
      EXPECT_NEAR(taken[n + j], sums[j], 1e-11);
    }
  }
}

// What a slice leaves of a scan is a scan the other way round where it is reversed.
TEST(scans, flipped_and_cut) {
  auto const f = tn::compile([](auto x) {
    constexpr auto along = tn::axis<1>;
    return tn::outputs(
        tn::flip(tn::cumsum(x, along), along) + x,
        tn::flip(tn::cumsum(tn::flip(x, along), along), along) * x,
        tn::flip(tn::cumsum(x, along, tn::exclusive), tn::axis<-1>) * 2 + x * 0);
  });
  auto const cut = tn::compile([](auto x) {
    constexpr auto along = tn::axis<1>;
    return tn::slice(tn::cumsum(x, along), along, tn::range<0, -1>) *
           tn::slice(x, along, tn::range<1, tn::end>);
  });
  auto const backwards = tn::compile([](auto x) {
    constexpr auto along = tn::axis<1>;
    return tn::slice(tn::cumsum(x, along, tn::reversed), along, tn::range<tn::end, 0, -1>) *
           tn::slice(x, along, tn::range<1, tn::end>);
  });
  auto const latest = tn::compile([](auto x) {
    constexpr auto along = tn::axis<1>;
    return tn::flip(tn::cummax_with_index(x, along).indices, along) +
           tn::cast<long long>(x * 0);
  });
  for (std::int64_t columns : {2, 3, 33, 1025})
    for (arrangement how : writable_arrangements) {
      auto x = random_array<int, 2>({3, columns}, how, -9, 9);
      reference::doubles const v = x.values();
      auto const [flipped, suffixes, exclusive] = f(x.view());
      reference::doubles const a = result_of(flipped), b = result_of(suffixes),
                               c = result_of(exclusive), d = result_of(cut(x.view())),
                               e = result_of(backwards(x.view())), g = result_of(latest(x.view()));
      for (std::int64_t row = 0; row < 3; ++row) {
        auto const at = [&](std::int64_t column) { return v[row * columns + column]; };
        double sum = 0, suffix = 0;
        std::int64_t greatest = 0;
        for (std::int64_t i = 0; i < columns; ++i) {
          std::int64_t const mirror = columns - 1 - i, k = row * columns;
          ASSERT_EQ(c[k + mirror], 2 * sum);
          sum += at(i), suffix += at(mirror);
          if (at(i) >= at(greatest)) greatest = i;
          ASSERT_EQ(a[k + mirror], sum + at(mirror));
          ASSERT_EQ(b[k + mirror], suffix * at(mirror));
          if (i + 1 < columns) {
            ASSERT_EQ(d[row * (columns - 1) + i], sum * at(i + 1));
            ASSERT_EQ(e[row * (columns - 1) + i], suffix * at(i + 1));
          }
          ASSERT_EQ(g[k + mirror], greatest);
        }
      }
    }
}

// Quotients by a value of the row, of any size, are those of one number by another.
TEST(scans, divided_by_what_the_row_has) {
  auto const f = tn::compile([](auto x, auto scale) {
    auto sums = tn::cumsum(x, tn::axis<1>) * scale;
    auto largest = tn::max(tn::abs(x), tn::axis<1>, tn::keepdim) * scale;
    return tn::outputs(sums / largest, sums, largest);
  });
  for (std::int64_t columns : {5, 256, 1000, 4096})
    for (float scale : {1.0f, 3e-39f, 1e30f, 0.0f}) {
      auto x = random_array<float, 2>({3, columns});
      auto const [quotients, sums, largest] = f(x.view(), scale);
      doubles const q = result_of(quotients), a = result_of(sums), b = result_of(largest);
      for (std::int64_t k = 0; k < q.size(); ++k) {
        float const expected = static_cast<float>(a[k]) / static_cast<float>(b[k / columns]);
        EXPECT_TRUE(q[k] == expected || (std::isnan(q[k]) && std::isnan(expected)))
            << columns << " " << scale << " " << k;
      }
    }
}

}  // namespace
