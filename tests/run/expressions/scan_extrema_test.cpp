// SPDX-License-Identifier: Apache-2.0
// Running extrema with the index of the latest, against plain loops.
#include "run/support/arrays.hpp"

namespace {

using reference::doubles;
constexpr std::int64_t lengths[] = {0, 1, 2, 31, 33, 1023, 1025, 4099};

// As PyTorch's: of equal elements the latest, NaN from the first NaN on with the index of the latest.
doubles latest_extrema(doubles const& x, bool is_maximum) {
  doubles result(x.extents);
  std::int64_t const columns = x.extents[1];
  for (std::int64_t k = 0, best = 0; k < x.size(); ++k) {
    if (k % columns == 0) best = k;
    bool const is_no_worse = is_maximum ? x[k] >= x[best] : x[k] <= x[best];
    if (std::isnan(x[k]) || (!std::isnan(x[best]) && is_no_worse)) best = k;
    result[k] = static_cast<double>(best % columns);
  }
  return result;
}

TEST(scan_extrema, with_their_latest_index) {
  auto const f = tn::compile([](auto x) {
    auto [values, indices] = tn::cummax_with_index(x, tn::axis<1>);
    return tn::outputs(values, indices, tn::cummin_with_index(x, tn::axis<1>).indices);
  });
  for (std::int64_t n : lengths)
    for (arrangement how : arrangements) {
      auto x = random_array<float, 2>({3, n}, how, -5, 5);
      doubles numbers = x.values();
      for (double& v : numbers.values) v = std::round(v);
      double const nan = std::numeric_limits<double>::quiet_NaN();
      for (std::int64_t k = n / 2; k < n && how != arrangement::repeated; k += 7) numbers[k] = nan;
      if (n > 1) numbers[n] = numbers[n + 1] = -std::numeric_limits<double>::infinity();
      x.set(numbers);
      numbers = x.values();
      auto const [values, highest, lowest] = f(x.view());
      doubles const expected = latest_extrema(numbers, true), found = result_of(values);
      ASSERT_EQ(result_of(highest).values, expected.values) << n << to_string(how);
      ASSERT_EQ(result_of(lowest).values, latest_extrema(numbers, false).values) << n;
      for (std::int64_t k = 0; k < found.size(); ++k) {
        double const extremum = numbers[k / n * n + static_cast<std::int64_t>(expected[k])];
        ASSERT_EQ(std::isnan(found[k]), std::isnan(extremum)) << n;
        if (std::isnan(extremum)) continue;
        ASSERT_EQ(found[k], extremum) << n;
      }
    }
}

TEST(scan_extrema, of_no_elements) {
  auto const f = tn::compile([](auto x) {
    return tn::cummin_with_index(x, tn::axis<0>, tn::exclusive, tn::reversed).indices;
  });
  tn::tensor<int, 4> x(std::vector<int>{5, 7, 5, 6});
  EXPECT_EQ(result_of(f(x)).values, (std::vector<double>{2, 2, 3, -1}));
}

}  // namespace
