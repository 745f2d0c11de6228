// SPDX-License-Identifier: Apache-2.0
// The first elements of an order, against a stable sort, and what is computed of them.
#include <algorithm>
#include <numeric>

#include "run/support/arrays.hpp"
#include "run/support/errors.hpp"
#include "tenon/grad.hpp"

namespace {

using reference::doubles;

TEST(topk, of_more_elements_than_there_are_is_refused) {
  auto const f =
      tn::compile([](auto x) { return tn::topk(x, tn::axis<1>, tn::ct<3>).values; }, "best");
  auto x = random_array<float, 2>({4, 2});
  EXPECT_ERROR(f(x.view()),
               "tenon: topk: lengths differ: x0.1[0:3] (2) and extent 3, shapes [4, 2]; make them "
               "equal; only a build-time extent of 1 repeats (expression best, operand 0)");
}

TEST(topk, the_first_elements_in_order) {
  auto const largest = tn::compile([](auto x) {
    auto [values, indices] = tn::topk(x, tn::axis<1>, tn::ct<3>);
    return tn::outputs(values, indices);
  });
  auto const least = tn::compile(
      [](auto x) { return tn::topk(x, tn::axis<-1>, tn::ct<2>, tn::smallest).indices; });
  for (std::int64_t columns : {3, 33, 1025}) {
    auto x = random_array<int, 2>({4, columns}, arrangement::contiguous, -4, 4);
    auto const [values, indices] = largest(x.view());
    doubles const v = result_of(values), i = result_of(indices), low = result_of(least(x.view()));
    for (std::int64_t row = 0; row < 4; ++row) {
      std::vector<std::int64_t> order(static_cast<std::size_t>(columns));
      for (std::int64_t k = 0; k < columns; ++k) order[static_cast<std::size_t>(k)] = k;
      auto const at = [&](std::int64_t k) { return x.values()[row * columns + k]; };
      std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return at(a) > at(b); });
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_EQ(i.values[static_cast<std::size_t>(row) * 3 + k], static_cast<double>(order[k]));
        EXPECT_EQ(v.values[static_cast<std::size_t>(row) * 3 + k], at(order[k]));
      }
      std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return at(a) < at(b); });
      EXPECT_EQ(low[row * 2], static_cast<double>(order[0]));
    }
  }
  double const inf = std::numeric_limits<double>::infinity(),
               nan = std::numeric_limits<double>::quiet_NaN();
  array<float, 2> special({1, 4});
  special.set(doubles({1, 4}, {-inf, nan, -inf, -inf}));
  auto const [values, indices] = largest(special.view());
  EXPECT_EQ(result_of(indices).values, (reference::elements{1, 0, 2}));
}

TEST(topk, nan_is_the_greatest) {
  auto const least =
      tn::compile([](auto x) { return tn::topk(x, tn::axis<1>, tn::ct<4>, tn::smallest).indices; });
  double const inf = std::numeric_limits<double>::infinity(),
               nan = std::numeric_limits<double>::quiet_NaN();
  array<float, 2> x({2, 5});
  x.set(doubles({2, 5}, {nan, inf, nan, 3, inf, nan, nan, nan, nan, nan}));
  EXPECT_EQ(result_of(least(x.view())).values, (reference::elements{3, 1, 4, 0, 0, 1, 2, 3}));
}

TEST(topk, of_a_softmax) {
  constexpr int count = 8;
  auto const f = tn::compile([](auto x) {
    auto [values, places] = tn::topk(tn::softmax(x, tn::axis<-1>), tn::axis<-1>, tn::ct<count>);
    return tn::outputs(values, places);
  });
  for (std::int64_t columns : {8, 33, 1000, 1025, 4096, 30000, 70000}) {
    auto x = random_array<float, 2>({2, columns}, arrangement::contiguous, -8, 8);
    doubles a = x.values();
    for (std::int64_t k = 0; k < a.size(); ++k) a[k] = std::round(a[k] * 64) / 64;
    x.set(a);
    auto const [values, places] = f(x.view());
    doubles const v = result_of(values), at = result_of(places);
    for (std::int64_t row = 0; row < 2; ++row) {
      std::vector<std::int64_t> order(static_cast<std::size_t>(columns));
      double sum = 0;
      for (std::int64_t k = 0; k < columns; ++k) {
        order[static_cast<std::size_t>(k)] = k;
        sum += std::exp(a[row * columns + k]);
      }
      std::stable_sort(order.begin(), order.end(),
                       [&](auto i, auto j) { return a[row * columns + i] > a[row * columns + j]; });
      for (std::int64_t k = 0; k < count; ++k) {
        std::int64_t const place = order[static_cast<std::size_t>(k)];
        double const expected = std::exp(a[row * columns + place]) / sum;
        EXPECT_EQ(at[row * count + k], static_cast<double>(place)) << columns;
        EXPECT_NEAR(v[row * count + k], expected, 1e-5 * expected) << columns;
      }
    }
  }
}

// The positions of a row in order.
template <class Comes> std::vector<std::int64_t> ordered(std::int64_t columns, Comes const& comes) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(columns));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), comes);
  return order;
}

// Every count that a reduction has, of rows of few distinct numbers.
template <class T, int Count> void expect_in_order(std::int64_t columns) {
  auto const largest = tn::compile([](auto x) {
    auto [values, indices] = tn::topk(x, tn::axis<-1>, tn::ct<Count>);
    return tn::outputs(values, indices);
  });
  auto const least = tn::compile([](auto x) {
    auto [values, indices] = tn::topk(x, tn::axis<-1>, tn::ct<Count>, tn::smallest);
    return tn::outputs(values, indices);
  });
  auto x = random_array<T, 2>({5, columns}, arrangement::contiguous, -20, 20);
  doubles const a = x.values();
  auto const [high, high_at] = largest(x.view());
  auto const [low, low_at] = least(x.view());
  doubles const h = result_of(high), hi = result_of(high_at), l = result_of(low),
                li = result_of(low_at);
  for (std::int64_t row = 0; row < 5; ++row) {
    auto const at = [&](std::int64_t k) { return a[row * columns + k]; };
    auto const falling = ordered(columns, [&](auto i, auto j) { return at(i) > at(j); });
    auto const rising = ordered(columns, [&](auto i, auto j) { return at(i) < at(j); });
    for (std::size_t k = 0; k < Count; ++k) {
      auto const place = row * Count + static_cast<std::int64_t>(k);
      EXPECT_EQ(hi[place], static_cast<double>(falling[k])) << columns;
      EXPECT_EQ(h[place], at(falling[k])) << columns;
      EXPECT_EQ(li[place], static_cast<double>(rising[k])) << columns;
      EXPECT_EQ(l[place], at(rising[k])) << columns;
    }
  }
}

TEST(topk, any_number_of_them) {
  for (std::int64_t columns : {16, 64, 1000}) {
    expect_in_order<float, 1>(columns);
    expect_in_order<float, 5>(columns);
    expect_in_order<float, 16>(columns);
  }
}
TEST(topk, of_any_type) {
  for (std::int64_t columns : {7, 129}) {
    expect_in_order<tn::bfloat16, 4>(columns);
    expect_in_order<double, 4>(columns);
    expect_in_order<std::int64_t, 4>(columns);
    expect_in_order<std::int8_t, 4>(columns);
  }
}

TEST(topk, of_zeros_with_signs) {
  auto const f =
      tn::compile([](auto x) { return 1.0f / tn::topk(x, tn::axis<0>, tn::ct<3>).values; });
  array<float, 1> x({4});
  x.set(doubles({4}, {-1, -0.0, 0.0, -0.0}));
  double const inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(result_of(f(x.view())).values, (reference::elements{-inf, inf, -inf}));
}

TEST(topk, of_columns) {
  auto const f = tn::compile([](auto x) {
    auto [values, indices] = tn::topk(x, tn::axis<0>, tn::ct<3>);
    return tn::outputs(values, indices);
  });
  for (auto const& [rows, columns] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{3, 5}, {40, 33}, {257, 64}, {1000, 3}}) {
    auto x = random_array<float, 2>({rows, columns});
    doubles const a = x.values();
    auto const [values, indices] = f(x.view());
    doubles const v = result_of(values), i = result_of(indices);
    for (std::int64_t c = 0; c < columns; ++c) {
      auto const order =
          ordered(rows, [&](auto m, auto n) { return a[m * columns + c] > a[n * columns + c]; });
      for (std::int64_t k = 0; k < 3; ++k) {
        std::int64_t const place = order[static_cast<std::size_t>(k)];
        EXPECT_EQ(i[k * columns + c], static_cast<double>(place)) << rows << " " << columns;
        EXPECT_EQ(v[k * columns + c], a[place * columns + c]) << rows << " " << columns;
      }
    }
  }
}

TEST(topk, passes_its_derivative_to_what_is_chosen) {
  auto const f = tn::grad(
      [](auto x, auto w) { return tn::sum(tn::topk(x, tn::axis<1>, tn::ct<2>).values * w); },
      tn::wrt<0>);
  array<float, 2> x({2, 4});
  x.set(doubles({2, 4}, {3, 7, 7, 1, -1, -2, -3, -4}));
  array<float, 1> w({2});
  w.set(doubles({2}, {10, 20}));
  EXPECT_EQ(result_of(f(x.view(), w.view())).values,
            (reference::elements{0, 10, 20, 0, 10, 20, 0, 0}));
}

// What the routers of mixtures of experts are.
TEST(topk, and_the_softmax_of_what_is_chosen) {
  constexpr std::int64_t count = 4;
  auto const f = tn::compile([](auto x) {
    auto [values, places] = tn::topk(x, tn::axis<-1>, tn::ct<count>);
    auto shares = tn::softmax(x, tn::axis<-1>);
    auto chosen = tn::topk(shares, tn::axis<-1>, tn::ct<count>).values;
    return tn::outputs(tn::softmax(values, tn::axis<-1>), places,
                       chosen / tn::sum(chosen, tn::axis<-1>, tn::keepdim));
  });
  static_assert(decltype(tn::launches(f, array<float, 2>({1, 8}).view()))::value == 1);
  for (std::int64_t columns : {4, 8, 60, 64, 1000, 9000}) {
    auto x = random_array<float, 2>({7, columns}, arrangement::contiguous, -4, 4);
    doubles const a = x.values();
    auto const [weights, places, parts] = f(x.view());
    doubles const w = result_of(weights), at = result_of(places), p = result_of(parts);
    for (std::int64_t row = 0; row < 7; ++row) {
      auto const order = ordered(
          columns, [&](auto i, auto j) { return a[row * columns + i] > a[row * columns + j]; });
      double sum = 0;
      for (std::size_t k = 0; k < count; ++k) sum += std::exp(a[row * columns + order[k]]);
      for (std::int64_t k = 0; k < count; ++k) {
        std::int64_t const place = order[static_cast<std::size_t>(k)];
        double const expected = std::exp(a[row * columns + place]) / sum;
        EXPECT_EQ(at[row * count + k], static_cast<double>(place)) << columns;
        EXPECT_NEAR(w[row * count + k], expected, 1e-5 * expected) << columns;
        EXPECT_NEAR(p[row * count + k], expected, 1e-5 * expected) << columns;
      }
    }
  }
}

// Numbers of a row that reductions have left, joined and reduced again.
TEST(joined_reductions, are_reduced_again) {
  auto const f = tn::compile([](auto x) {
    auto const along = tn::axis<-1>;
    auto const joined = tn::stack(tn::mean(x, along), tn::max(x, along), tn::min(x, along), along);
    auto const moved = joined * 2.0f + 1.0f;
    return tn::outputs(tn::sum(moved, along), tn::max(moved, along), tn::prod(moved, along),
                       tn::all(moved > 0.0f, along), tn::mean(moved * moved, along));
  });
  for (std::int64_t columns : {1, 33, 1025}) {
    auto x = random_array<float, 2>({6, columns});
    doubles const a = x.values();
    auto const [sums, largest, products, all, squares] = f(x.view());
    doubles const s = result_of(sums), l = result_of(largest), p = result_of(products),
                  b = result_of(all), q = result_of(squares);
    for (std::int64_t row = 0; row < 6; ++row) {
      double mean = 0, high = a[row * columns], low = high;
      for (std::int64_t k = 0; k < columns; ++k) {
        double const e = a[row * columns + k];
        mean += e / static_cast<double>(columns), high = std::max(high, e), low = std::min(low, e);
      }
      double const u = 2 * mean + 1, v = 2 * high + 1, w = 2 * low + 1;
      EXPECT_NEAR(s[row], u + v + w, 1e-5) << columns;
      EXPECT_NEAR(l[row], v, 1e-5) << columns;
      EXPECT_NEAR(p[row], u * v * w, 1e-4) << columns;
      EXPECT_EQ(b[row] != 0, u > 0 && v > 0 && w > 0) << columns;
      EXPECT_NEAR(q[row], (u * u + v * v + w * w) / 3, 1e-4) << columns;
    }
  }
}

// What is joined may differ from element to element: each is stored at its place.
TEST(joined_reductions, beside_each_other_for_every_element) {
  auto const f = tn::compile([](auto x) {
    auto const along = tn::axis<-1>;
    return tn::stack(tn::softmax(x, along), x - tn::mean(x, along, tn::keepdim), along);
  });
  for (std::int64_t columns : {1, 33, 1024}) {
    auto x = random_array<float, 2>({5, columns}, arrangement::contiguous, -2, 2);
    doubles const a = x.values(), both = result_of(f(x.view()));
    for (std::int64_t row = 0; row < 5; ++row) {
      double sum = 0, mean = 0;
      for (std::int64_t k = 0; k < columns; ++k) {
        sum += std::exp(a[row * columns + k]);
        mean += a[row * columns + k] / static_cast<double>(columns);
      }
      for (std::int64_t k = 0; k < columns; ++k) {
        std::int64_t const at = row * columns + k;
        EXPECT_NEAR(both[2 * at], std::exp(a[at]) / sum, 1e-6) << columns;
        EXPECT_NEAR(both[2 * at + 1], a[at] - mean, 1e-5) << columns;
      }
    }
  }
}

}  // namespace
