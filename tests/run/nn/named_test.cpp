// SPDX-License-Identifier: Apache-2.0
// Functions that are others under a name of their own, against plain loops.
#include <cmath>

#include "run/support/arrays.hpp"

namespace {

using reference::doubles;

template <class Tensor> void expect_near(Tensor const& found, std::vector<double> const& expected) {
  doubles const values = result_of(found);
  ASSERT_EQ(values.values.size(), expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k)
    EXPECT_NEAR(values.values[k], expected[k], 1e-5 * (1 + std::fabs(expected[k]))) << k;
}
array<float, 2> matrix() {
  return {{2, 3}, arrangement::transposed, doubles({2, 3}, {1, -2, 3, 4, 0, -6})};
}

TEST(named, norms_of_any_power) {
  auto x = matrix();
  auto const f = tn::compile([](auto x) {
    return tn::outputs(tn::norm(x, tn::ct<0>, tn::axis<1>), tn::norm(x, tn::ct<1>, tn::axis<1>),
                       tn::norm(x, tn::ct<2>, tn::axis<1>), tn::norm(x, tn::ct<3>, tn::axis<1>),
                       tn::norm(x, tn::ct<0.5>, tn::axis<1>),
                       tn::norm(x, tn::ct<std::numeric_limits<double>::infinity()>, tn::axis<1>));
  });
  auto const [zero, one, two, three, half, infinite] = f(x.view());
  expect_near(zero, {3, 2});
  expect_near(one, {6, 10});
  expect_near(two, {std::sqrt(14.0), std::sqrt(52.0)});
  expect_near(three, {std::cbrt(36.0), std::cbrt(280.0)});
  expect_near(half,
              {std::pow(1 + std::sqrt(2.0) + std::sqrt(3.0), 2), std::pow(2 + std::sqrt(6.0), 2)});
  expect_near(infinite, {3, 6});
  auto const all = tn::compile([](auto x) { return tn::norm(x, tn::ct<2>); });
  expect_near(all(x.view()), {std::sqrt(66.0)});
}

TEST(named, deviation_and_mean_in_one_pass) {
  auto x = matrix();
  auto const f = tn::compile([](auto x) {
    auto [variance, mean] = tn::var_mean(x, tn::axis<1>, tn::correction<0>);
    return tn::outputs(variance, mean, tn::stddev(x, tn::axis<1>),
                       tn::stddev(x, tn::axis<-1>, tn::correction<0>, tn::keepdim));
  });
  auto const [variance, mean, unbiased, biased] = f(x.view());
  expect_near(variance, {38.0 / 9, 152.0 / 9});
  expect_near(mean, {2.0 / 3, -2.0 / 3});
  expect_near(unbiased, {std::sqrt(19.0 / 3), std::sqrt(76.0 / 3)});
  expect_near(biased, {std::sqrt(38.0 / 9), std::sqrt(152.0 / 9)});
  static_assert(decltype(biased)::rank == 2);
}

TEST(named, extrema_with_and_without_nan) {
  double const nan = std::nan("");
  array<float, 1> x({4}, arrangement::contiguous, doubles({4}, {nan, 1, 2, nan})),
      y({4}, arrangement::contiguous, doubles({4}, {3, nan, 1, nan}));
  auto const f = tn::compile([](auto x, auto y) {
    return tn::outputs(tn::fmax(x, y), tn::fmin(x, y), tn::amax(x), tn::amin(y));
  });
  auto const [greater, lesser, greatest, least] = f(x.view(), y.view());
  doubles const a = result_of(greater), b = result_of(lesser);
  EXPECT_EQ((std::vector<double>{a[0], a[1], a[2]}), (std::vector<double>{3, 1, 2}));
  EXPECT_EQ((std::vector<double>{b[0], b[1], b[2]}), (std::vector<double>{3, 1, 1}));
  EXPECT_TRUE(std::isnan(a[3]) && std::isnan(b[3]));
  EXPECT_TRUE(std::isnan(result_of(greatest)[0]) && std::isnan(result_of(least)[0]));
}

TEST(named, extrema_with_a_number) {
  double const nan = std::nan("");
  array<float, 1> x({3}, arrangement::contiguous, doubles({3}, {nan, 1, -2}));
  array<int, 1> n({3}, arrangement::contiguous, doubles({3}, {0, 1, 2}));
  auto const f = tn::compile([](auto x) {
    return tn::outputs(tn::fmax(x, 0.5f), tn::fmin(0.5f, x), tn::fmin(x, __builtin_nanf("")));
  });
  auto const g = tn::compile([](auto n) { return tn::fmax(n, 1); });
  auto const [greater, lesser, itself] = f(x.view());
  EXPECT_EQ(result_of(greater).values, (std::vector<double>{0.5, 1, 0.5}));
  EXPECT_EQ(result_of(lesser).values, (std::vector<double>{0.5, 0.5, -2}));
  doubles const same = result_of(itself);
  EXPECT_TRUE(std::isnan(same[0]) && same[1] == 1 && same[2] == -2);
  EXPECT_EQ(result_of(g(n.view())).values, (std::vector<double>{1, 1, 2}));
}

TEST(named, masked_fill_and_softmin) {
  auto x = matrix();
  auto const f = tn::compile([](auto x) {
    return tn::outputs(tn::masked_fill(x, x < 0, 7), tn::softmin(x, tn::axis<1>));
  });
  auto const [filled, least] = f(x.view());
  expect_near(filled, {1, 7, 3, 4, 0, 7});
  std::vector<double> expected;
  for (auto const& row : {std::array{1.0, -2.0, 3.0}, std::array{4.0, 0.0, -6.0}})
    for (double v : row)
      expected.push_back(std::exp(-v) /
                         (std::exp(-row[0]) + std::exp(-row[1]) + std::exp(-row[2])));
  expect_near(least, expected);
}

// Differences, squares and magnitudes that the elements' own type does not hold.
TEST(named, softmax_and_norms_of_integers) {
  array<std::uint8_t, 1> bytes({3}, arrangement::contiguous, doubles({3}, {0, 2, 1}));
  array<bool, 1> flags({2}, arrangement::contiguous, doubles({2}, {1, 0}));
  array<std::int32_t, 1> far({2}, arrangement::contiguous,
                             doubles({2}, {-2147483648.0, 2147483647.0}));
  array<std::int8_t, 1> small({2}, arrangement::contiguous, doubles({2}, {-128, 100}));
  auto const f = tn::compile([](auto x) {
    return tn::outputs(tn::softmax(x, tn::axis<0>), tn::softmin(x, tn::axis<0>),
                       tn::log_softmax(x, tn::axis<0>));
  });
  double const e = std::exp(1.0), sum = 1 + e + e * e, log_sum = std::log(sum);
  auto const [most, least, logarithms] = f(bytes.view());
  expect_near(most, {1 / sum, e * e / sum, e / sum});
  expect_near(least, {e * e / sum, 1 / sum, e / sum});
  expect_near(logarithms, {-log_sum, 2 - log_sum, 1 - log_sum});
  expect_near(tn::get<0>(f(flags.view())), {e / (1 + e), 1 / (1 + e)});
  expect_near(tn::get<0>(f(far.view())), {0, 1});
  auto const norms = tn::compile([](auto x) {
    return tn::outputs(tn::l1_norm(x), tn::norm(x, tn::ct<1>), tn::l2_norm(x),
                       tn::norm(x, tn::ct<2>), tn::norm(x, tn::ct<3>), tn::sum_of_squares(x));
  });
  auto const [l1, one, l2, two, three, squares] = norms(small.view());
  static_assert(std::is_same_v<decltype(l1)::element_type, std::int64_t>);
  static_assert(std::is_same_v<decltype(squares)::element_type, std::int64_t>);
  expect_near(l1, {228});
  expect_near(one, {228});
  expect_near(l2, {std::sqrt(26384.0)});
  expect_near(two, {std::sqrt(26384.0)});
  expect_near(three, {std::cbrt(3097152.0)});
  expect_near(squares, {26384});
}

TEST(named, shapes_of_their_own) {
  auto x = matrix();
  auto const f = tn::compile([](auto x) {
    return tn::outputs(x + tn::full<2, 3>(x, 1.5), tn::full<2, 3>(x, 4),
                       x * tn::eye<2, 3>(x, tn::ct<1>));
  });
  auto const [sum, fours, shifted] = f(x.view());
  static_assert(std::is_same_v<decltype(fours)::element_type, std::int64_t>);
  expect_near(sum, {2.5, -0.5, 4.5, 5.5, 1.5, -4.5});
  expect_near(fours, {4, 4, 4, 4, 4, 4});
  expect_near(shifted, {0, -2, 0, 0, 0, -6});
  auto const unit = tn::compile([](auto x) { return tn::eye<3>(x); });
  expect_near(unit(x.view()), {1, 0, 0, 0, 1, 0, 0, 0, 1});
}

TEST(named, cosine_embedding_loss) {
  auto x = matrix();
  array<float, 2> y({2, 3}, arrangement::contiguous, doubles({2, 3}, {2, 1, 0, 1, 1, 1}));
  array<int, 1> target({2}, arrangement::contiguous, doubles({2}, {1, -1}));
  double const first = 0, second = (4 - 6) / std::sqrt(52.0) / std::sqrt(3.0);
  auto const f = tn::compile([](auto x, auto y, auto t) {
    return tn::outputs(tn::cosine_embedding_loss(x, y, t),
                       tn::cosine_embedding_loss(x, y, t, -0.5, tn::sum));
  });
  auto const [mean, total] = f(x.view(), y.view(), target.view());
  expect_near(mean, {(1 - first + std::fmax(second, 0)) / 2});
  expect_near(total, {1 - first + std::fmax(second + 0.5, 0)});
}

TEST(named, gather_and_index_add) {
  auto x = matrix();
  array<int, 2> index({2, 2}, arrangement::contiguous, doubles({2, 2}, {2, 0, -1, 1}));
  auto const f = tn::compile([](auto x, auto i) { return tn::gather(x, i, tn::axis<1>); });
  expect_near(f(x.view(), index.view()), {3, 1, -6, 0});
  array<int, 1> rows({3}, arrangement::contiguous, doubles({3}, {1, 0, 1}));
  array<float, 2> updates({3, 3}, arrangement::contiguous,
                          doubles({3, 3}, {1, 2, 3, 10, 20, 30, 100, 200, 300}));
  auto const g =
      tn::compile([](auto x, auto i, auto u) { return tn::index_add(x, tn::axis<0>, i, u); });
  expect_near(g(x.view(), rows.view(), updates.view()), {11, 18, 33, 105, 202, 297});
}

}  // namespace
