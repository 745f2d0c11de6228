// SPDX-License-Identifier: Apache-2.0
// Pairs of two lists' elements, which are columns of narrow tensors, against plain loops: whole
// numbers, so that equal is equal.
#include <array>

#include "run/support/arrays.hpp"
#include "run/support/one_launch.hpp"

namespace {

using reference::doubles;

// Whole numbers.
template <class T, int Rank>
array<T, Rank> numbers(std::array<std::int64_t, Rank> const& extents,
                       arrangement how = arrangement::contiguous) {
  return {extents, how, random_array<int, Rank>(extents, arrangement::contiguous, -5, 5).values()};
}

// A column of [.., n, k] along the rows of pairs, or along their columns.
template <int Column, class X, class Shape> constexpr auto as(X const& x, Shape shape) {
  return tn::reshape(tn::slice(x, tn::axis<-1>, tn::range<Column, Column + 1>), shape);
}
// The squares of distances, and what only one of two points has beside it.
template <class A, class B, class Rows, class Columns>
constexpr auto distances(A const& a, B const& b, Rows of_rows, Columns of_columns) {
  auto first = as<1>(a, of_rows);
  auto x = as<0>(a, of_rows) - as<0>(b, of_columns);
  auto y = first - as<1>(b, of_columns);
  return x * x + y * y + first;
}
double distance(doubles const& a, doubles const& b, std::int64_t i, std::int64_t j) {
  double const x = a[2 * i] - b[2 * j], y = a[2 * i + 1] - b[2 * j + 1];
  return x * x + y * y + a[2 * i + 1];
}

constexpr std::int64_t sizes[][2] = {{1, 128}, {2, 96}, {7, 100}, {8, 128},   {17, 257},
                                     {40, 99}, {9, 31}, {64, 1},  {100, 500}, {16, 1024}};

template <class T> void check_matrices() {
  static auto const f = tn::compile(
      [](auto a, auto b) { return distances(a, b, tn::shape<-1, 1>, tn::shape<1, -1>); });
  for (auto const& [n, m] : sizes)
    for (arrangement how : arrangements) {
      auto a = numbers<T, 2>({n, 2}, how), b = numbers<T, 2>({m, 2}, how);
      doubles const x = a.values(), y = b.values();
      doubles expected({n, m});
      for (std::int64_t k = 0; k < n * m; ++k)
        expected[k] = as_double(from_double<T>(distance(x, y, k / m, k % m)));
      EXPECT_EQ(result_of(f(a.view(), b.view())).values, expected.values)
          << n << " x " << m << to_string(how);
    }
}
TEST(crossed_lists, of_points) {
  check_matrices<float>();
  check_matrices<std::int32_t>();
  check_matrices<tn::bfloat16>();
}

// So many that threads have several rows, the last ones fewer.
TEST(crossed_lists, of_many_points) {
  auto const f = tn::compile(
      [](auto a, auto b) { return distances(a, b, tn::shape<-1, 1>, tn::shape<1, -1>); });
  std::int64_t const n = 33001, m = 97;
  auto a = numbers<float, 2>({n, 2}), b = numbers<float, 2>({m, 2});
  doubles const x = a.values(), y = b.values(), found = result_of(f(a.view(), b.view()));
  std::int64_t wrong = 0;
  for (std::int64_t k = 0; k < n * m; ++k) wrong += found[k] != distance(x, y, k / m, k % m);
  EXPECT_EQ(wrong, 0);
}

// Each with its own lists, or one list for all of them.
TEST(crossed_lists, of_several) {
  auto const f = tn::compile(
      [](auto a, auto b) { return distances(a, b, tn::shape<3, -1, 1>, tn::shape<3, 1, -1>); });
  auto const with_one = tn::compile(
      [](auto a, auto b) { return distances(a, b, tn::shape<3, -1, 1>, tn::shape<1, -1>); });
  for (auto const& [n, m] : sizes) {
    auto a = numbers<float, 3>({3, n, 2}), b = numbers<float, 3>({3, m, 2});
    auto one = numbers<float, 2>({m, 2});
    doubles const x = a.values(), y = b.values(), z = one.values();
    auto const expected = [&](doubles const& other, bool is_one) {
      doubles result({3, n, m});
      for (std::int64_t k = 0; k < result.size(); ++k) {
        std::int64_t const of = k / (n * m);
        result[k] = distance(x, other, k / m, (is_one ? 0 : of * m) + k % m);
      }
      return result;
    };
    EXPECT_EQ(result_of(f(a.view(), b.view())).values, expected(y, false).values) << n << m;
    EXPECT_EQ(result_of(with_one(a.view(), one.view())).values, expected(z, true).values) << n << m;
  }
}

// Several results, which lie apart.
TEST(crossed_lists, several_results_in_views) {
  auto const f = tn::compile([](auto a, auto b) {
    auto x = as<0>(a, tn::shape<-1, 1>);
    auto y = as<0>(b, tn::shape<1, -1>);
    return tn::outputs(x < y, x * y);
  });
  std::int64_t const n = 20, m = 300;
  auto a = numbers<float, 2>({n, 4}), b = numbers<float, 2>({m, 4});
  doubles const x = a.values(), y = b.values();
  auto const [less, product] = f(a.view(), b.view());
  doubles const of_less = result_of(less), of_product = result_of(product);
  for (std::int64_t k = 0; k < n * m; ++k) {
    EXPECT_EQ(of_less[k], x[k / m * 4] < y[k % m * 4]);
    EXPECT_EQ(of_product[k], x[k / m * 4] * y[k % m * 4]);
  }
}

TEST(crossed_lists, in_one_launch) {
  auto const f = tn::compile(
      [](auto a, auto b) { return distances(a, b, tn::shape<-1, 1>, tn::shape<1, -1>); });
  auto a = numbers<float, 2>({40, 2}), b = numbers<float, 2>({500, 2});
  tn::tensor<float, tn::dyn, tn::dyn> result(40, 500);
  expect_one_launch([&](auto const& on) { f.on(on).into(result)(a.view(), b.view()); });
}

#if defined(__CUDACC__)
// Columns of a narrow tensor are no slower path where each is read once for several rows.
TEST(crossed_lists, are_explained) {
  auto const f = tn::compile(
      [](auto a, auto b) { return distances(a, b, tn::shape<-1, 1>, tn::shape<1, -1>); });
  auto a = numbers<float, 2>({100, 2}, arrangement::contiguous),
       b = numbers<float, 2>({512, 2}, arrangement::contiguous);
  tn::explanation const found = tn::explain(f, a.view(), b.view());
  EXPECT_NE(std::string(found.schedule).find("whose operands are read once"), std::string::npos)
      << found.schedule;
  EXPECT_NE(std::string(found.costs).find("no slower path is taken"), std::string::npos)
      << found.costs;
}
#endif

}  // namespace
