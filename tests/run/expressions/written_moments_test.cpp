// SPDX-License-Identifier: Apache-2.0
// Means and variances that are written out, against plain loops in double: along rows, columns and
// everything, also far from zero, where a sum of squares would have no digits left.
#include <cmath>
#include <limits>

#include "run/support/arrays.hpp"

namespace {

using reference::doubles;

template <int... Axes>
constexpr auto normalized = [](auto x) {
  auto const deviation = x - tn::mean(x, tn::axis<Axes...>, tn::keepdim);
  auto const variance = tn::mean(deviation * deviation, tn::axis<Axes...>, tn::keepdim);
  return deviation / tn::sqrt(variance + 1e-3);
};
template <int... Axes>
constexpr auto beside_variance = [](auto x) {
  auto const variance = tn::var(x, tn::axis<Axes...>, tn::correction<0>, tn::keepdim);
  return (x - tn::mean(x, tn::axis<Axes...>, tn::keepdim)) / tn::sqrt(variance + 1e-3);
};

// What group element i of a matrix is in: its row, its column, or the only one.
enum class groups { rows, columns, one };
std::int64_t group_of(groups by, std::int64_t i, std::int64_t columns) {
  return by == groups::rows ? i / columns : by == groups::columns ? i % columns : 0;
}

template <class T, class Function> void expect_normalized(Function function, groups by) {
  auto const f = tn::compile(function);
  for (auto [rows, columns] : {std::pair{1, 1}, {3, 7}, {40, 33}, {17, 1000}, {1000, 24}})
    for (double offset : {0., 500.}) {
      extents_of_rank<2> const shape{rows, columns};
      auto x = random_array<T, 2>(shape, arrangement::contiguous, offset - 2, offset + 2);
      array<T, 2> y(shape);
      f.into(y.view())(x.view());
      doubles const values = x.values(), found = y.result();
      std::vector<double> count(values.size()), mean(values.size()), variance(values.size());
      auto const each = [&](auto const& visit) {
        for (std::int64_t i = 0; i < values.size(); ++i) visit(group_of(by, i, columns), values[i]);
      };
      each([&](auto g, double) { ++count[g]; });
      each([&](auto g, double v) { mean[g] += v / count[g]; });
      each([&](auto g, double v) { variance[g] += (v - mean[g]) * (v - mean[g]) / count[g]; });
      // A mean near 500 is rounded to 2^-16, and a result of half a type to its digits.
      double const within = sizeof(T) == 2 ? 0.01 : sizeof(T) == 8 ? 1e-10 : 2e-6 + offset * 4e-7;
      for (std::int64_t i = 0; i < values.size(); ++i) {
        auto const g = group_of(by, i, columns);
        double const scale = 1 / std::sqrt(variance[g] + 1e-3),
                     want = (values[i] - mean[g]) * scale;
        ASSERT_NEAR(found[i], want,
                    within * (1 + std::fabs(want)) * (sizeof(T) == 4 ? scale + 1 : 1))
            << i << " of " << rows << " x " << columns << " near " << offset;
      }
    }
}

template <class T> class written_moments : public testing::Test {};
using types = testing::Types<float, tn::bfloat16, double>;
TYPED_TEST_SUITE(written_moments, types);

TYPED_TEST(written_moments, of_rows) {
  expect_normalized<TypeParam>(normalized<1>, groups::rows);
  expect_normalized<TypeParam>(beside_variance<1>, groups::rows);
}
TYPED_TEST(written_moments, of_columns) {
  expect_normalized<TypeParam>(normalized<0>, groups::columns);
}
TYPED_TEST(written_moments, of_everything) {
  expect_normalized<TypeParam>(normalized<0, 1>, groups::one);
}

// A mean is infinite where an element is, and the variance is not a number.
TEST(moments_written_out, of_an_infinity) {
  auto const f = tn::compile(
      [](auto x) { return tn::outputs(tn::mean(x, tn::axis<1>), tn::var(x, tn::axis<1>)); });
  array<float, 2> x({2, 40});
  doubles values({2, 40});
  for (std::int64_t i = 0; i < 80; ++i) values[i] = static_cast<double>(i % 7);
  values[43] = std::numeric_limits<double>::infinity();
  x.set(values);
  array<float, 1> mean({2}), variance({2});
  f.into(mean.view(), variance.view())(x.view());
  EXPECT_NEAR(mean.result()[0], 2.875, 1e-6);
  EXPECT_FALSE(std::isnan(variance.result()[0]));
  EXPECT_EQ(mean.result()[1], values[43]);
  EXPECT_TRUE(std::isnan(variance.result()[1]));
}

// One pass over the elements, whoever wrote it.
TEST(moments_written_out, are_explained) {
  auto const f = tn::compile(normalized<1>);
  auto x = random_array<float, 2>({8, 64});
  std::string const schedule(tn::explain(f, x.view()).schedule);
  EXPECT_NE(schedule.find("phase 1     moments over the columns"), std::string::npos) << schedule;
  EXPECT_EQ(schedule.find("phase 2"), std::string::npos) << schedule;
}

}  // namespace
