// SPDX-License-Identifier: Apache-2.0
// Reductions of everything that slices leave of a tensor, whose rows lie apart.
#include <algorithm>
#include <cmath>

#include "run/support/arrays.hpp"

namespace {

using reference::doubles;

template <class T> void expect_differences(std::int64_t rows, std::int64_t columns) {
  auto const f = tn::compile([](auto x) {
    auto const d = tn::slice(x, tn::axis<1>, tn::range<1, tn::end>) -
                   tn::slice(x, tn::axis<1>, tn::range<0, -1>);
    return tn::outputs(tn::sum(tn::abs(tn::cast<float>(d))), tn::mean(tn::cast<float>(d * d)));
  });
  for (arrangement how : {arrangement::contiguous, arrangement::transposed, arrangement::padded}) {
    auto x = random_array<T, 2>({rows, columns}, how, -9, 9);
    doubles a = x.values();  // of whole numbers, whose sums are exact
    for (std::int64_t k = 0; k < a.size(); ++k) a[k] = std::round(a[k]);
    x.set(a);
    double sum = 0, squares = 0;
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 1; j < columns; ++j) {
        double const d = a[i * columns + j] - a[i * columns + j - 1];
        sum += std::fabs(d), squares += d * d;
      }
    auto const [total, mean] = f(x.view());
    std::string const what =
        std::to_string(rows) + " x " + std::to_string(columns) + " " + to_string(how);
    EXPECT_EQ(result_of(total)[0], sum) << what;
    double const expected = squares / static_cast<double>(rows * (columns - 1));
    EXPECT_NEAR(result_of(mean)[0], expected, 1e-6 * expected) << what;
  }
}

TEST(cut_tensor, differences_of_neighbours) {
  for (auto const& [rows, columns] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {1, 2}, {7, 3}, {33, 65}, {300, 257}, {5, 4097}, {2000, 18}}) {
    expect_differences<float>(rows, columns);
    expect_differences<tn::bfloat16>(rows, columns);
  }
}

TEST(cut_tensor, nothing_is_left) {
  auto const f =
      tn::compile([](auto x) { return tn::sum(tn::slice(x, tn::axis<1>, tn::range<1, -1>)); });
  auto x = random_array<float, 2>({5, 2});
  EXPECT_EQ(result_of(f(x.view()))[0], 0);
}

TEST(cut_tensor, parts_of_an_inner_axis) {
  auto const steepest = tn::compile([](auto x) {
    return tn::max(tn::slice(x, tn::axis<2>, tn::range<1, tn::end>) -
                   tn::slice(x, tn::axis<2>, tn::range<0, -1>));
  });
  auto const every_second = tn::compile(
      [](auto x) { return tn::sum(tn::slice(x, tn::axis<3>, tn::range<0, tn::end, 2>)); });
  for (std::int64_t width : {1, 6, 129}) {
    auto x = random_array<float, 4>({2, 3, 5, width}, arrangement::contiguous, -9, 9);
    doubles a = x.values();
    for (std::int64_t k = 0; k < a.size(); ++k) a[k] = std::round(a[k]);
    x.set(a);
    double most = -100, sum = 0;
    for (std::int64_t k = 0; k < a.size(); ++k) {
      if (k / width % 5 > 0) most = std::max(most, a[k] - a[k - width]);
      if (k % width % 2 == 0) sum += a[k];
    }
    EXPECT_EQ(result_of(steepest(x.view()))[0], most) << width;
    EXPECT_EQ(result_of(every_second(x.view()))[0], sum) << width;
  }
}

TEST(cut_tensor, scaled_by_its_norm) {
  auto const f = tn::compile([](auto x) {
    auto const inner = tn::slice(x, tn::axis<1>, tn::range<1, -1>);
    auto const norm = tn::sqrt(tn::sum(inner * inner));
    return tn::outputs(inner / norm, norm);
  });
  for (auto const& [rows, columns] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{3, 5}, {100, 514}, {7, 3001}}) {
    auto x = random_array<float, 2>({rows, columns});
    doubles const a = x.values();
    double squares = 0;
    for (std::int64_t k = 0; k < a.size(); ++k)
      if (k % columns > 0 && k % columns < columns - 1) squares += a[k] * a[k];
    double const norm = std::sqrt(squares);
    auto const [scaled, length] = f(x.view());
    EXPECT_NEAR(result_of(length)[0], norm, 1e-5 * norm) << rows;
    doubles const s = result_of(scaled);
    for (std::int64_t k = 0; k < s.size(); ++k)
      ASSERT_NEAR(s[k], a[k / (columns - 2) * columns + 1 + k % (columns - 2)] / norm, 1e-6) << k;
  }
}

// Variance is of states that are not reduced again: one sweep, as of any tensor.
TEST(cut_tensor, its_variance) {
  auto const f =
      tn::compile([](auto x) { return tn::var(tn::slice(x, tn::axis<1>, tn::range<1, -1>)); });
  auto x = random_array<float, 2>({40, 70});
  doubles const a = x.values();
  std::vector<double> inner;
  for (std::int64_t k = 0; k < a.size(); ++k)
    if (k % 70 > 0 && k % 70 < 69) inner.push_back(a[k]);
  double mean = 0, squares = 0;
  for (double e : inner) mean += e / static_cast<double>(inner.size());
  for (double e : inner) squares += (e - mean) * (e - mean);
  EXPECT_NEAR(result_of(f(x.view()))[0], squares / static_cast<double>(inner.size() - 1), 1e-5);
}

}  // namespace
