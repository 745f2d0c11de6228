// SPDX-License-Identifier: Apache-2.0
// The best of rows of few elements, and where it is, against plain loops: types x lengths x layouts
// x rows x what stands there (ties, NaN, infinities, zeros of both signs, nothing else).
#include "run/support/arrays.hpp"

namespace {

using reference::doubles;
using limits = std::numeric_limits<double>;

// Along axis 1: NaN wins, then the best, then the lowest index.
template <class Better> doubles places_of_best(doubles const& x, Better better) {
  std::int64_t const rows = x.extents[0], columns = x.extents[1];
  doubles places({rows});
  for (std::int64_t i = 0; i < rows; ++i) {
    auto const at = [&](std::int64_t k) { return x[i * columns + k]; };
    std::int64_t best = 0;
    for (std::int64_t k = 1; k < columns; ++k)
      if (!std::isnan(at(best)) && (std::isnan(at(k)) || better(at(k), at(best)))) best = k;
    places[i] = static_cast<double>(best);
  }
  return places;
}

// Few different numbers, so that every best one occurs many times.
doubles elements(std::int64_t rows, std::int64_t columns) {
  doubles x = random_array<float, 2>({rows, columns}, arrangement::contiguous, -4, 4).values();
  for (std::int64_t i = 0; i < x.size(); ++i) {
    std::int64_t const kind = i / columns % 9, k = i % columns;
    x[i] = std::floor(x[i]);
    if (kind == 1 && k % 3 == 2) x[i] = limits::quiet_NaN();
    if (kind == 2) x[i] = k % 2 == 0 ? -0.0 : 0.0;
    if (kind == 3) x[i] = -limits::infinity();
    if (kind == 4) x[i] = limits::infinity();
    if (kind == 5 && k + 1 == columns) x[i] = limits::infinity();
    if (kind == 6 && k == 0) x[i] = limits::quiet_NaN();
    if (kind == 7 && k == columns / 2) x[i] = -limits::infinity();
  }
  return x;
}

void expect_places(doubles const& result, doubles const& expected, std::string const& what) {
  ASSERT_EQ(result.size(), expected.size()) << what;
  for (std::int64_t i = 0; i < result.size(); ++i)
    ASSERT_EQ(result[i], expected[i]) << what << " row " << i;
}

template <class T> void check(std::int64_t rows, std::int64_t columns, arrangement how) {
  static auto const most = tn::compile([](auto x) {
    auto [value, place] = tn::max_with_index(x, tn::axis<1>);
    return tn::outputs(value, place);
  });
  static auto const least = tn::compile([](auto x) { return tn::argmin(x, tn::axis<1>); });
  static auto const of_products =
      tn::compile([](auto x, auto y) { return tn::argmax(-(x * y), tn::axis<1>); });
  std::string const what =
      std::to_string(rows) + " x " + std::to_string(columns) + " " + to_string(how);
  array<T, 2> x({rows, columns}, how);
  x.set(elements(rows, columns));
  doubles const given = x.values(),
                of_most = places_of_best(given, [](double a, double b) { return a > b; }),
                of_least = places_of_best(given, [](double a, double b) { return a < b; });
  auto const [value, place] = most(x.view());
  expect_places(result_of(place), of_most, what + " most");
  doubles const values = result_of(value);
  for (std::int64_t i = 0; i < rows; ++i) {
    double const expected = given[i * columns + static_cast<std::int64_t>(of_most[i])];
    ASSERT_TRUE(std::isnan(expected)
                    ? std::isnan(values[i])
                    : values[i] == expected && std::signbit(values[i]) == std::signbit(expected))
        << what << " value of row " << i;
  }
  expect_places(result_of(least(x.view())), of_least, what + " least");
  array<T, 1> ones({columns}, arrangement::contiguous);
  doubles one({columns});
  for (std::int64_t k = 0; k < columns; ++k) one[k] = 1;
  ones.set(one);
  expect_places(result_of(of_products(x.view(), ones.view())), of_least, what + " of products");
}

template <class T> void check_all() {
  for (std::int64_t columns :
       {1, 2, 3, 4, 5, 7, 8, 9, 10, 15, 17, 19, 31, 33, 50, 65, 100, 255, 500})
    check<T>(73, columns, arrangement::contiguous);
  for (arrangement how : arrangements) check<T>(70, 3, how), check<T>(45, 19, how);
  for (std::int64_t rows : {1, 32, 1000}) check<T>(rows, 7, arrangement::contiguous);
  check<T>(1000, 19, arrangement::misaligned), check<T>(40, 101, arrangement::padded);
}

TEST(choice_of_few, f32) { check_all<float>(); }
TEST(choice_of_few, bf16) { check_all<tn::bfloat16>(); }
TEST(choice_of_few, f16) { check_all<tn::half>(); }
TEST(choice_of_few, f64) { check_all<double>(); }
TEST(choice_of_few, i32) {
  static auto const f = tn::compile([](auto x) { return tn::argmax(x, tn::axis<1>); });
  for (std::int64_t columns : {1, 3, 7, 19, 33, 100}) {
    array<std::int32_t, 2> x({50, columns});
    doubles given = random_array<float, 2>({50, columns}, arrangement::contiguous, -4, 4).values();
    for (std::int64_t i = 0; i < given.size(); ++i) given[i] = std::floor(given[i]);
    for (std::int64_t k = 0; k < columns; ++k) given[k] = -2147483648.0;
    x.set(given);
    expect_places(result_of(f(x.view())),
                  places_of_best(x.values(), [](double a, double b) { return a > b; }),
                  std::to_string(columns));
  }
}

}  // namespace
