// SPDX-License-Identifier: Apache-2.0
// The best element along an axis that is not the last, and where it is, against plain loops: types
// x lengths x what stands there (ties, NaN, infinities, zeros of both signs, nothing else).
#include "run/support/arrays.hpp"

namespace {

using reference::doubles;
using limits = std::numeric_limits<double>;

struct found {
  doubles values, places;
};

// Along axis 1 of [outer, length, inner]: NaN wins, then the best, then the lowest index.
template <class Better> found best_of(doubles const& x, Better better) {
  std::int64_t const outer = x.extents[0], length = x.extents[1], inner = x.extents[2];
  found all{doubles({outer, inner}), doubles({outer, inner})};
  for (std::int64_t o = 0; o < outer; ++o)
    for (std::int64_t i = 0; i < inner; ++i) {
      auto const at = [&](std::int64_t k) { return x[(o * length + k) * inner + i]; };
      std::int64_t best = 0;
      for (std::int64_t k = 1; k < length; ++k)
        if (!std::isnan(at(best)) && (std::isnan(at(k)) || better(at(k), at(best)))) best = k;
      all.values[o * inner + i] = at(best), all.places[o * inner + i] = static_cast<double>(best);
    }
  return all;
}

void expect_same(doubles const& result, doubles const& expected, std::string const& what) {
  ASSERT_EQ(result.size(), expected.size()) << what;
  for (std::int64_t i = 0; i < result.size(); ++i) {
    if (std::isnan(expected[i])) {
      ASSERT_TRUE(std::isnan(result[i])) << what << " element " << i;
      continue;
    }
    ASSERT_EQ(result[i], expected[i]) << what << " element " << i;
    ASSERT_EQ(std::signbit(result[i]), std::signbit(expected[i])) << what << " element " << i;
  }
}

// Few different numbers, so that every best one occurs many times; special: with NaN in some
// columns, infinities, nothing but the worst number there is, zeros of both signs.
template <class T> doubles elements(extents_of_rank<3> const& shape, bool is_special) {
  array<T, 3> some(shape, arrangement::contiguous);
  doubles x = random_array<float, 3>(shape, arrangement::contiguous, -4, 4).values();
  for (std::int64_t i = 0; i < x.size(); ++i) x[i] = std::floor(x[i]);
  if (is_special) {
    std::int64_t const length = shape[1], inner = shape[2];
    for (std::int64_t i = 0; i < x.size(); ++i) {
      std::int64_t const column = i % inner, k = i / inner % length;
      double const worst = column % 14 == 3 ? -limits::infinity() : limits::infinity();
      if (column % 7 == 1 && k % 3 == 2) x[i] = limits::quiet_NaN();
      if (column % 7 == 2) x[i] = k % 2 == 0 ? -0.0 : 0.0;
      if (column % 7 == 3) x[i] = worst;
      if (column % 7 == 4 && k + 1 == length) x[i] = limits::infinity();
      if (column % 7 == 5 && k == 0) x[i] = limits::quiet_NaN();
      if (column % 7 == 6 && k == length / 2) x[i] = -limits::infinity();
    }
  }
  some.set(x);
  return some.values();
}

template <class T> void check(extents_of_rank<3> const& shape, arrangement how, bool is_special) {
  static auto const most = tn::compile([](auto x) {
    auto [values, places] = tn::max_with_index(x, tn::axis<1>);
    return tn::outputs(values, places);
  });
  static auto const where_most = tn::compile([](auto x) { return tn::argmax(x, tn::axis<1>); });
  static auto const where_least = tn::compile([](auto x) { return tn::argmin(x, tn::axis<1>); });
  std::string const what = std::to_string(shape[0]) + " x " + std::to_string(shape[1]) + " x " +
                           std::to_string(shape[2]) + " " + to_string(how);
  array<T, 3> x(shape, how, elements<T>(shape, is_special));
  found const expected = best_of(x.values(), [](double a, double b) { return a > b; });
  auto const [values, places] = most(x.view());
  expect_same(result_of(values), expected.values, what + " values");
  expect_same(result_of(places), expected.places, what + " places");
  expect_same(result_of(where_most(x.view())), expected.places, what + " argmax");
  expect_same(result_of(where_least(x.view())),
              best_of(x.values(), [](double a, double b) { return a < b; }).places,
              what + " argmin");
}

constexpr extents_of_rank<3> shapes[] = {
    {1, 1, 64},    {2, 2, 40},    {1, 7, 33},   {3, 8, 128},   {2, 19, 1000},
    {1, 19, 4099}, {1, 33, 257},  {5, 64, 96},  {1, 1023, 31}, {1, 4099, 8},
    {1, 20000, 3}, {2, 300, 136}, {1, 9, 8192}, {1, 5000, 72}, {1, 2049, 264},
};

template <class T> void check_all() {
  for (auto const& shape : shapes)
    for (bool is_special : {false, std::numeric_limits<T>::has_infinity || sizeof(T) == 2})
      check<T>(shape, arrangement::contiguous, is_special);
  for (arrangement how : arrangements) {
    check<T>({2, 37, 72}, how, false);
    check<T>({1, 130, 41}, how, sizeof(T) == 2);
  }
}

TEST(choice_along_columns, of_bf16) { check_all<tn::bfloat16>(); }
TEST(choice_along_columns, of_f16) { check_all<tn::half>(); }
TEST(choice_along_columns, of_f32) { check_all<float>(); }
TEST(choice_along_columns, of_f64) { check_all<double>(); }

TEST(choice_along_columns, of_integers) {
  for (auto const& shape : shapes) {
    check<int>(shape, arrangement::contiguous, false);
    check<std::int8_t>(shape, arrangement::misaligned, false);
  }
}

// What is computed of each element, and several choices of one sweep.
TEST(choice_along_columns, of_expressions) {
  auto const f = tn::compile([](auto x, auto y) {
    return tn::outputs(tn::argmax(x * y, tn::axis<0>), tn::argmin(x + y, tn::axis<0>),
                       tn::sum(x, tn::axis<0>), tn::argmax(tn::abs(x), tn::axis<0>));
  });
  for (std::int64_t length : {1, 8, 100, 3001})
    for (std::int64_t inner : {5, 64, 1000}) {
      auto const some = [&](double low) {
        array<float, 2> x({length, inner}, arrangement::contiguous);
        doubles all = elements<float>({1, length, inner}, false);
        for (double& each : all.values) each = std::fabs(each) + low;
        all.extents = {length, inner};
        x.set(all);
        return x;
      };
      auto x = some(-2), y = some(-1);
      doubles const a = x.values(), b = y.values();
      doubles product({1, length, inner}), sum = product, size = product;
      for (std::int64_t i = 0; i < a.size(); ++i)
        product[i] = a[i] * b[i], sum[i] = a[i] + b[i], size[i] = std::fabs(a[i]);
      auto const more = [](double p, double q) { return p > q; };
      auto const [first, second, total, fourth] = f(x.view(), y.view());
      expect_same(result_of(first), best_of(product, more).places, "x y");
      expect_same(result_of(second), best_of(sum, [](double p, double q) { return p < q; }).places,
                  "x + y");
      expect_same(result_of(fourth), best_of(size, more).places, "|x|");
      for (std::int64_t i = 0; i < inner; ++i) {
        double expected = 0;
        for (std::int64_t k = 0; k < length; ++k) expected += a[k * inner + i];
        ASSERT_EQ(result_of(total)[i], expected);
      }
    }
}

}  // namespace
