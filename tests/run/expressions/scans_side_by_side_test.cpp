// SPDX-License-Identifier: Apache-2.0
// Scans along an axis that is not the innermost one in memory, against plain loops: strips of rows
// of any number and length, what blocks tell each other, and operands that rows or positions share.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"

namespace {

using reference::doubles;
double plus(double a, double b) { return a + b; }
double greater(double a, double b) { return std::isnan(a) || a > b ? a : b; }

// Along axis 1 of three.
template <class Combine>
doubles scanned(doubles const& x, double identity, Combine const& combine,
                bool is_exclusive = false, bool is_reversed = false) {
  doubles result(x.extents);
  std::int64_t const n = x.extents[1], step = x.extents[2];
  for (std::int64_t o = 0; o < x.extents[0]; ++o)
    for (std::int64_t row = 0; row < step; ++row) {
      double state = identity;
      for (std::int64_t k = 0; k < n; ++k) {
        std::int64_t const at = (o * n + (is_reversed ? n - 1 - k : k)) * step + row;
        double const before = state;
        state = combine(state, x[at]);
        result[at] = is_exclusive ? before : state;
      }
    }
  return result;
}

// Whole numbers whose running sums are small, so that they are exact in every type.
doubles small_numbers(reference::shape const& extents) {
  doubles result(extents);
  std::int64_t const n = extents[1], rows = extents[2];
  for (std::int64_t k = 0; k < result.size(); ++k) {
    std::int64_t const row = k % rows + k / (rows * n), position = k / rows % n;
    result[k] = static_cast<double>((position + row) * 7 % 5 - 2);
  }
  return result;
}

template <class T> void check_sums(std::int64_t outer, std::int64_t n, std::int64_t rows) {
  auto const f = tn::compile([](auto x) { return tn::cumsum(x, tn::axis<1>); });
  doubles const values = small_numbers({outer, n, rows}), expected = scanned(values, 0, plus);
  array<T, 3> x({outer, n, rows}, arrangement::contiguous, values);
  // The second launch finds what the first one left behind.
  for (int run = 0; run < 2; ++run) {
    doubles const found = result_of(f(x.view()));
    for (std::int64_t k = 0; k < found.size(); ++k)
      ASSERT_EQ(found[k], expected[k]) << outer << " x " << n << " x " << rows << " at " << k;
  }
}
template <class T> void check_sums_of_any_shape() {
  for (std::int64_t n : {0, 1, 2, 31, 33, 257, 1025})
    for (std::int64_t rows : {1, 3, 8, 31, 32, 33, 64, 257}) check_sums<T>(1, n, rows);
  for (std::int64_t n : {1, 5, 33, 300})
    for (std::int64_t rows : {4, 64, 101}) check_sums<T>(3, n, rows);
}

TEST(scans_side_by_side, sums_of_floats) { check_sums_of_any_shape<float>(); }
TEST(scans_side_by_side, sums_of_bfloat16) { check_sums_of_any_shape<tn::bfloat16>(); }
TEST(scans_side_by_side, sums_of_half) { check_sums<tn::half>(2, 700, 40); }
TEST(scans_side_by_side, sums_of_doubles) { check_sums<double>(2, 700, 40); }
TEST(scans_side_by_side, sums_of_integers) {
  check_sums<std::int32_t>(2, 700, 40);
  check_sums<std::int64_t>(2, 700, 40);
  check_sums<std::int8_t>(2, 700, 40);
}

// Groups of parts and rounds of groups.
TEST(scans_side_by_side, many_positions_of_few_rows) {
  check_sums<float>(1, 20'000, 33);
  check_sums<float>(1, 70'001, 8);
  check_sums<tn::bfloat16>(1, 140'003, 8);
  check_sums<double>(1, 300'000, 1);
}
// So many rows that a block has all positions of some, and that warps have different rows.
TEST(scans_side_by_side, positions_of_many_rows) {
  check_sums<double>(1, 260, 33'801);
  check_sums<float>(2, 65, 17'005);
  check_sums<float>(1, 7, 68'005);
  check_sums<tn::bfloat16>(1, 31, 140'008);
}

template <class T> void check_arrangements() {
  auto const sums = tn::compile([](auto x, auto y) { return tn::cumsum(x * y, tn::axis<1>); });
  auto const latest = tn::compile([](auto x) {
    auto [values, indices] = tn::cummax_with_index(x, tn::axis<1>);
    return tn::outputs(values, indices);
  });
  for (auto [outer, n, rows] :
       {std::array<std::int64_t, 3>{1, 300, 67}, {2, 37, 131}, {3, 100, 8}, {1, 2100, 5}}) {
    doubles const values = small_numbers({outer, n, rows});
    doubles factors(values.extents);
    for (std::int64_t k = 0; k < factors.size(); ++k) factors[k] = static_cast<double>(k % 4 - 1);
    doubles products(values.extents);
    for (std::int64_t k = 0; k < factors.size(); ++k) products[k] = values[k] * factors[k];
    doubles const sum = scanned(products, 0, plus), maximum = scanned(values, -9, greater);
    // Of one matrix for all, too.
    array<T, 3> same({outer, n, rows}, arrangement::repeated, values);
    doubles const of_first = scanned(same.values(), -9, greater);
    auto const [first_values, first_indices] = latest(same.view());
    ASSERT_EQ(result_of(first_values).values, of_first.values) << n << " x " << rows;
    for (arrangement how : writable_arrangements) {
      array<T, 3> x({outer, n, rows}, how, values),
          y({outer, n, rows}, arrangement::contiguous, factors), a({outer, n, rows}, how),
          b({outer, n, rows}, how);
      array<long long, 3> c({outer, n, rows}, how);
      auto to_sum = a.view(), to_maximum = b.view();
      auto to_index = c.view();
      sums.into(to_sum)(x.view(), y.view());
      latest.into(to_maximum, to_index)(x.view());
      doubles const found = a.result(), largest = b.result(), index = c.result();
      for (std::int64_t k = 0; k < found.size(); ++k) {
        ASSERT_EQ(found[k], sum[k]) << n << " x " << rows << " at " << k << to_string(how);
        ASSERT_EQ(largest[k], maximum[k]) << n << " x " << rows << " at " << k << to_string(how);
        std::int64_t const row = k / (rows * n) * rows * n + k % rows;
        ASSERT_EQ(values[row + static_cast<std::int64_t>(index[k]) * rows], maximum[k]);
      }
    }
  }
}
TEST(scans_side_by_side, rows_of_any_layout_of_floats) { check_arrangements<float>(); }
TEST(scans_side_by_side, rows_of_any_layout_of_bfloat16) { check_arrangements<tn::bfloat16>(); }
TEST(scans_side_by_side, rows_of_any_layout_of_doubles) { check_arrangements<double>(); }

TEST(scans_side_by_side, products_extrema_and_exponentials) {
  auto const f = tn::compile([](auto x) {
    constexpr auto along = tn::axis<1>;
    return tn::outputs(tn::cumprod(1 + x / 16, along), tn::cummax(x, along),
                       tn::logcumsumexp(x, along), tn::cumsum(x, along, tn::exclusive));
  });
  for (auto [n, rows] : {std::array<std::int64_t, 2>{7, 40}, {100, 33}, {600, 66}}) {
    auto x = random_array<double, 3>({2, n, rows}, arrangement::contiguous, -1, 1);
    doubles const v = x.values();
    doubles factors = v;
    for (double& value : factors.values) value = 1 + value / 16;
    doubles const product = scanned(factors, 1, [](double a, double b) { return a * b; }),
                  largest = scanned(v, -9, greater), sums = scanned(v, 0, plus, true),
                  logs = scanned(v, -INFINITY, [](double a, double b) {
                    double const m = std::max(a, b);
                    return m + std::log(std::exp(a - m) + std::exp(b - m));
                  });
    auto const [a, b, c, d] = f(x.view());
    doubles const products = result_of(a), maxima = result_of(b), exponentials = result_of(c),
                  before = result_of(d);
    for (std::int64_t k = 0; k < v.size(); ++k) {
      ASSERT_NEAR(products[k], product[k], 1e-12 * std::abs(product[k]));
      ASSERT_EQ(maxima[k], largest[k]);
      ASSERT_NEAR(exponentials[k], logs[k], 1e-12);
      ASSERT_NEAR(before[k], sums[k], 1e-11);
    }
  }
}

TEST(scans_side_by_side, both_directions) {
  auto const f = tn::compile(
      [](auto x) { return 2 * tn::cumsum(x, tn::axis<0>, tn::exclusive, tn::reversed) + x; });
  for (std::int64_t n : {1, 33, 1000}) {
    doubles const values = small_numbers({1, n, 70}), sums = scanned(values, 0, plus, true, true);
    array<float, 2> x({n, 70}, arrangement::contiguous, doubles({n, 70}, values.values));
    doubles const found = result_of(f(x.view()));
    for (std::int64_t k = 0; k < found.size(); ++k) ASSERT_EQ(found[k], 2 * sums[k] + values[k]);
  }
}

// Elements that rows, positions or both share, before and behind a scan.
TEST(scans_side_by_side, operands_that_are_shared) {
  auto const f = tn::compile([](auto x, auto of_row, auto positions, auto groups) {
    auto of_position = tn::unsqueeze(positions, tn::axis<1>);
    auto of_group = tn::unsqueeze(tn::unsqueeze(groups, tn::axis<1>), tn::axis<2>);
    auto sums = tn::cumsum(x * of_position + of_row, tn::axis<1>);
    return tn::outputs(sums * of_row + of_position, sums - of_group);
  });
  for (auto [n, rows] : {std::array<std::int64_t, 2>{9, 64}, {300, 33}, {70, 128}}) {
    doubles const values = small_numbers({2, n, rows});
    array<float, 3> x({2, n, rows}, arrangement::contiguous, values);
    auto of_row = random_array<int, 1>({rows}, arrangement::contiguous, -3, 3);
    auto of_position = random_array<int, 1>({n}, arrangement::contiguous, -3, 3);
    auto of_group = random_array<int, 1>({2}, arrangement::contiguous, -3, 3);
    doubles const r = of_row.values(), p = of_position.values(), g = of_group.values();
    doubles terms(values.extents);
    for (std::int64_t k = 0; k < terms.size(); ++k)
      terms[k] = values[k] * p[k / rows % n] + r[k % rows];
    doubles const sums = scanned(terms, 0, plus);
    auto const [a, b] = f(x.view(), of_row.view(), of_position.view(), of_group.view());
    doubles const first = result_of(a), second = result_of(b);
    for (std::int64_t k = 0; k < terms.size(); ++k) {
      ASSERT_EQ(first[k], sums[k] * r[k % rows] + p[k / rows % n]) << n << " " << rows << " " << k;
      ASSERT_EQ(second[k], sums[k] - g[k / (rows * n)]) << n << " " << rows << " " << k;
    }
  }
}

TEST(scans_side_by_side, one_scan_behind_another) {
  auto const f = tn::compile([](auto x) {
    auto sums = tn::cumsum(x, tn::axis<0>);
    return tn::outputs(tn::cummax(sums * 2 - x, tn::axis<0>),
                       tn::cumsum(sums, tn::axis<0>, tn::exclusive));
  });
  for (std::int64_t n : {5, 100, 3000}) {
    doubles const values = small_numbers({1, n, 37}), sums = scanned(values, 0, plus);
    doubles terms = sums;
    for (std::int64_t k = 0; k < terms.size(); ++k) terms[k] = 2 * sums[k] - values[k];
    doubles const largest = scanned(terms, -1e9, greater), twice = scanned(sums, 0, plus, true);
    array<float, 2> x({n, 37}, arrangement::contiguous, doubles({n, 37}, values.values));
    for (int run = 0; run < 2; ++run) {
      auto const [a, b] = f(x.view());
      doubles const first = result_of(a), second = result_of(b);
      for (std::int64_t k = 0; k < terms.size(); ++k) {
        ASSERT_EQ(first[k], largest[k]) << n << " " << k;
        ASSERT_EQ(second[k], twice[k]) << n << " " << k;
      }
    }
  }
}

TEST(scans_side_by_side, the_same_bits_in_every_run) {
  auto const f = tn::compile([](auto x) { return tn::cumsum(tn::exp(x), tn::axis<0>); });
  for (auto [n, rows] : {std::array<std::int64_t, 2>{5000, 70}, {40'000, 5}}) {
    auto x = random_array<double, 2>({n, rows}, arrangement::contiguous, -3, 3);
    doubles const first = result_of(f(x.view()));
    for (int run = 0; run < 2; ++run) ASSERT_EQ(result_of(f(x.view())).values, first.values) << n;
  }
}

TEST(scans_side_by_side, nan_and_infinity_stay_in_their_row) {
  auto const f = tn::compile([](auto x) { return tn::cumsum(x, tn::axis<0>); });
  std::int64_t const n = 600, rows = 24;
  doubles values({n, rows});
  for (double& value : values.values) value = 1;
  values[300 * rows + 5] = std::numeric_limits<double>::quiet_NaN();
  values[10 * rows + 6] = std::numeric_limits<double>::infinity();
  array<tn::bfloat16, 2> x({n, rows}, arrangement::contiguous, values);
  doubles const found = result_of(f(x.view()));
  for (std::int64_t k = 0; k < n; ++k)
    for (std::int64_t row = 0; row < rows; ++row) {
      double const at = found[k * rows + row];
      if (row == 5 && k >= 300)
        ASSERT_TRUE(std::isnan(at));
      else if (row == 6 && k >= 10)
        ASSERT_TRUE(std::isinf(at));
      else
        ASSERT_NEAR(at, static_cast<double>(k + 1), 2);
    }
}

}  // namespace
