// SPDX-License-Identifier: Apache-2.0
// Medians and quantiles along any axis against sorted vectors, with NaN and infinities among them.
#include <tenon/sort.hpp>

#include <algorithm>

#include "run/support/arrays.hpp"

namespace {

using reference::doubles;

// The element of a row at `place` in the order of its numbers, between two of them where it is
// none; NaN where the row has one and they are not left out.
double element_at(doubles const& x, std::int64_t row, double fraction, bool is_between,
                  bool skips_nan = false) {
  std::int64_t const n = x.extents[1];
  std::vector<double> numbers;
  for (std::int64_t k = 0; k < n; ++k)
    if (!std::isnan(x[row * n + k])) numbers.push_back(x[row * n + k]);
  bool const has_nan = static_cast<std::int64_t>(numbers.size()) != n;
  if (numbers.empty() || (has_nan && !skips_nan)) return NAN;
  std::sort(numbers.begin(), numbers.end());
  double const place = fraction * static_cast<double>(numbers.size() - 1);
  auto const below = static_cast<std::size_t>(place);
  double const weight = is_between ? place - std::floor(place) : 0;
  return weight == 0 || numbers[below] == numbers[below + 1]
             ? numbers[below]
             : std::fma(weight, numbers[below + 1] - numbers[below], numbers[below]);
}

TEST(order_statistics, medians_and_quantiles) {
  auto const medians = tn::compile([](auto x) {
    return tn::outputs(tn::median(x, tn::axis<1>), tn::nanmedian(x, tn::axis<-1>));
  });
  auto const quantiles = tn::compile([](auto x, auto q) {
    return tn::outputs(tn::quantile(x, q, tn::axis<1>), tn::quantile(x, 0.75, tn::axis<1>));
  });
  auto const of_columns = tn::compile([](auto x) { return tn::median(x, tn::axis<0>); });
  auto const above =
      tn::compile([](auto x) { return x > tn::quantile(x, 0.5, tn::axis<1>, tn::keepdim); });
  for (std::int64_t n : {1, 2, 3, 4, 33, 1024, 1025, 5001})
    for (arrangement how : {arrangement::contiguous, arrangement::transposed}) {
      auto x = random_array<double, 2>({4, n}, how), columns = random_array<double, 2>({n, 4}, how);
      doubles values = x.values();
      values[n / 2] = NAN;                                         // one in row 0
      for (std::int64_t k = 0; k < n; ++k) values[n + k] = NAN;    // all of row 1
      values[2 * n] = INFINITY, values[2 * n + n - 1] = INFINITY;  // twice in row 2
      x.set(values);
      auto const [middle, of_numbers] = medians(x.view());
      auto const [some, upper] = quantiles(x.view(), 0.3);
      doubles const a = result_of(middle), b = result_of(of_numbers), c = result_of(some),
                    d = result_of(upper), e = result_of(above(x.view()));
      for (std::int64_t row = 0; row < 4; ++row) {
        auto const same = [&](double found, double expected) {
          EXPECT_TRUE(found == expected || (std::isnan(found) && std::isnan(expected)))
              << found << " " << expected << " of " << n << " in row " << row;
        };
        same(a[row], element_at(values, row, 0.5, false));
        same(b[row], element_at(values, row, 0.5, false, true));
        same(c[row], element_at(values, row, 0.3, true));
        same(d[row], element_at(values, row, 0.75, true));
        for (std::int64_t k = 0; k < n; ++k)
          EXPECT_EQ(e[row * n + k], values[row * n + k] > element_at(values, row, 0.5, true));
      }
      doubles const turned = columns.values(), f = result_of(of_columns(columns.view()));
      for (std::int64_t column = 0; column < 4; ++column) {
        doubles row({1, n});
        for (std::int64_t k = 0; k < n; ++k) row[k] = turned[k * 4 + column];
        EXPECT_EQ(f[column], element_at(row, 0, 0.5, false));
      }
    }
}

TEST(order_statistics, of_other_types) {
  auto const f = tn::compile([](auto x) {
    return tn::outputs(tn::median(x, tn::axis<0>), tn::nanmedian(x, tn::axis<0>));
  });
  array<int, 1> x({4});
  x.set(doubles({4}, {7, -3, 5, -3}));
  auto const [middle, of_numbers] = f(x.view());
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(middle)>::element_type, int>);
  EXPECT_EQ(result_of(middle)[0], -3);
  EXPECT_EQ(result_of(of_numbers)[0], -3);
  auto const g = tn::compile([](auto x, auto q) { return tn::quantile(x, q, tn::axis<0>); });
  array<tn::half, 1> y({3});
  y.set(doubles({3}, {1, 2, 4}));
  EXPECT_EQ(result_of(g(y.view(), 0.75f))[0], 3);
  EXPECT_EQ(result_of(g(y.view(), 0.f))[0], 1);
  EXPECT_EQ(result_of(g(y.view(), 1.f))[0], 4);
  for (float outside : {-0.25f, 1.25f, NAN})
    EXPECT_TRUE(std::isnan(result_of(g(y.view(), outside))[0]));
}

}  // namespace
