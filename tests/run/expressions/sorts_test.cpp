// SPDX-License-Identifier: Apache-2.0
// Sorts along any axis against an order of (element, position) pairs, alone and between what comes
// before and after.
#include <tenon/sort.hpp>

#include <algorithm>

#include "run/support/arrays.hpp"

namespace {

using reference::doubles;
// Around the lengths of a warp, of both tiles that a block sorts, and of the runs that are merged.
constexpr std::int64_t lengths[] = {0, 1, 2, 31, 33, 1023, 1025, 4095, 4097, 12289, 20011};

struct sorted {
  doubles values, indices;
};

// The order of a matrix along `axis`: NaN is greater than any number, equal elements stay.
sorted order_of(doubles const& x, int axis, bool is_descending = false) {
  sorted result{doubles(x.extents), doubles(x.extents)};
  std::int64_t const rows = x.extents[0], columns = x.extents[1];
  std::int64_t const length = axis == 0 ? rows : columns, others = axis == 0 ? columns : rows;
  std::int64_t const step = axis == 0 ? columns : 1, next = axis == 0 ? 1 : columns;
  double const direction = is_descending ? -1 : 1;
  for (std::int64_t o = 0; o < others; ++o) {
    std::vector<std::array<double, 3>> keys;
    for (std::int64_t k = 0; k < length; ++k) {
      double const element = x[o * next + k * step];
      bool const is_nan = std::isnan(element);
      keys.push_back(
          {is_nan ? direction : 0, is_nan ? 0 : direction * element, static_cast<double>(k)});
    }
    std::sort(keys.begin(), keys.end());
    for (std::int64_t k = 0; k < length; ++k) {
      double const from = keys[static_cast<std::size_t>(k)][2];
      result.indices[o * next + k * step] = from;
      result.values[o * next + k * step] = x[o * next + static_cast<std::int64_t>(from) * step];
    }
  }
  return result;
}

// Equal, with the sign of zero, and NaN where NaN is expected.
void expect_same(doubles const& found, doubles const& expected) {
  ASSERT_EQ(found.extents, expected.extents);
  for (std::int64_t k = 0; k < found.size(); ++k) {
    ASSERT_EQ(std::isnan(found[k]), std::isnan(expected[k])) << k;
    if (std::isnan(found[k])) continue;
    ASSERT_EQ(found[k], expected[k]) << k;
    ASSERT_EQ(std::signbit(found[k]), std::signbit(expected[k])) << k;
  }
}

template <class F, class X> void check(F const& f, X& x, int axis, bool is_descending) {
  auto const [values, indices] = f(x.view());
  sorted const expected = order_of(x.values(), axis, is_descending);
  ASSERT_NO_FATAL_FAILURE(expect_same(result_of(indices), expected.indices));
  ASSERT_NO_FATAL_FAILURE(expect_same(result_of(values), expected.values));
}

TEST(sorts, along_both_axes_and_in_both_orders) {
  auto const rows = tn::compile([](auto x) {
    auto [values, indices] = tn::sort_with_index(x, tn::axis<-1>);
    return tn::outputs(values, indices);
  });
  auto const columns = tn::compile([](auto x) {
    return tn::outputs(tn::sort(x, tn::axis<0>, tn::descending),
                       tn::argsort(x, tn::axis<0>, tn::descending));
  });
  for (std::int64_t n : lengths)
    for (arrangement how : arrangements) {
      // Few values, so that many are equal.
      auto x = random_array<int, 2>({3, n}, how, -50, 50),
           y = random_array<int, 2>({n, 3}, how, -9, 9);
      ASSERT_NO_FATAL_FAILURE(check(rows, x, 1, false)) << n << to_string(how);
      ASSERT_NO_FATAL_FAILURE(check(columns, y, 0, true)) << n << to_string(how);
    }
}

template <class T> void check_type() {
  auto const up = tn::compile([](auto x) {
    auto [values, indices] = tn::sort_with_index(x, tn::axis<1>);
    return tn::outputs(values, indices);
  });
  auto const down = tn::compile([](auto x) {
    auto [values, indices] = tn::sort_with_index(x, tn::axis<1>, tn::descending);
    return tn::outputs(values, indices);
  });
  for (std::int64_t n : {5, 300, 5000}) {
    auto x =
        random_array<T, 2>({2, n}, arrangement::contiguous, std::is_signed_v<T> ? -120 : 0, 120);
    if constexpr (!std::is_integral_v<T>) {
      doubles special = x.values();
      double const rare[] = {NAN, -0.0, 0.0, INFINITY, -INFINITY, NAN, 0.0, -0.0};
      for (std::int64_t k = 0; k < special.size(); k += 3) special[k] = rare[k / 3 % 8];
      x.set(special);
    }
    ASSERT_NO_FATAL_FAILURE(check(up, x, 1, false)) << n;
    ASSERT_NO_FATAL_FAILURE(check(down, x, 1, true)) << n;
  }
}

TEST(sorts, of_every_kind_of_number) {
  check_type<float>();
  check_type<double>();
  check_type<tn::bfloat16>();
  check_type<std::int8_t>();
  check_type<std::uint8_t>();
  check_type<bool>();
  check_type<std::uint32_t>();
  check_type<std::int64_t>();
}

TEST(sorts, of_extreme_integers) {
  std::int64_t const low = std::numeric_limits<std::int64_t>::min();
  std::int64_t const high = std::numeric_limits<std::int64_t>::max();
  tn::tensor<std::int64_t, 6> x(std::vector<std::int64_t>{0, high, -1, low, 1, high - 1});
  auto const f = tn::compile([](auto v) {
    return tn::outputs(tn::argsort(v, tn::axis<0>), tn::argsort(v, tn::axis<0>, tn::descending));
  });
  auto const [up, down] = f(x);
  EXPECT_EQ(result_of(up).values, (std::vector<double>{3, 2, 0, 4, 5, 1}));
  EXPECT_EQ(result_of(down).values, (std::vector<double>{1, 5, 4, 0, 2, 3}));
}

TEST(sorts, of_an_axis_of_one_element) {
  tn::tensor<float, 3, 1> x(std::vector<float>{3, 1, 2});
  auto const f = tn::compile([](auto v) {
    auto [values, indices] = tn::sort_with_index(v, tn::axis<1>);
    return tn::outputs(values, indices);
  });
  auto const [values, indices] = f(x);
  EXPECT_EQ(result_of(values).values, (std::vector<double>{3, 1, 2}));
  EXPECT_EQ(result_of(indices).values, (std::vector<double>{0, 0, 0}));
}

TEST(sorts, of_a_whole_tensor) {
  auto x = random_array<double, 2>({37, 41});
  auto const f = tn::compile([](auto v) { return tn::sort(tn::flatten(v), tn::axis<0>); });
  std::vector<double> expected = x.values().values;
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(result_of(f(x.view())).values, expected);
}

// The probabilities of a row in order until their sum passes p: what nucleus sampling keeps.
TEST(sorts, between_a_softmax_and_a_running_sum) {
  auto const f = tn::compile([](auto x) {
    auto [p, tokens] =
        tn::sort_with_index(tn::softmax(x, tn::axis<1>), tn::axis<1>, tn::descending);
    auto before = tn::cumsum(p, tn::axis<1>, tn::exclusive);
    auto kept = tn::where(before < 0.6, p, 0);
    return tn::outputs(tokens, kept / tn::sum(kept, tn::axis<1>, tn::keepdim));
  });
  for (std::int64_t n : {1, 50, 1500, 5001}) {
    auto x = random_array<double, 2>({3, n});
    auto const [tokens, probabilities] = f(x.view());
    doubles const numbers = x.values();
    sorted const order = order_of(numbers, 1, true);
    EXPECT_EQ(result_of(tokens).values, order.indices.values);
    doubles const found = result_of(probabilities);
    for (std::int64_t row = 0; row < 3; ++row) {
      double all = 0, before = 0, kept = 0;
      std::vector<double> expected;
      for (std::int64_t k = 0; k < n; ++k) all += std::exp(numbers[row * n + k]);
      for (std::int64_t k = 0; k < n; ++k) {
        double const p = std::exp(order.values[row * n + k]) / all;
        expected.push_back(before < 0.6 ? p : 0);
        before += p, kept += expected.back();
      }
      for (std::int64_t k = 0; k < n; ++k)
        ASSERT_NEAR(found[row * n + k], expected[static_cast<std::size_t>(k)] / kept, 1e-12)
            << n << " " << k;
    }
  }
}

TEST(sorts, the_first_elements_in_order) {
  auto const f = tn::compile([](auto x) {
    auto [values, indices] = tn::topk(x, tn::axis<1>, tn::ct<20>);
    auto least = tn::topk(x, tn::axis<1>, tn::ct<30>, tn::smallest);
    return tn::outputs(values * 2, indices, least.indices);
  });
  for (std::int64_t n : {30, 1000, 5000}) {
    auto x = random_array<float, 2>({3, n});
    doubles numbers = x.values();
    numbers[n / 2] = NAN;
    x.set(numbers);
    sorted const down = order_of(x.values(), 1, true), up = order_of(x.values(), 1);
    auto const [values, indices, least] = f(x.view());
    doubles first({3, 20}), where({3, 20}), lowest({3, 30});
    for (std::int64_t row = 0; row < 3; ++row)
      for (std::int64_t k = 0; k < 30; ++k) {
        lowest[row * 30 + k] = up.indices[row * n + k];
        if (k >= 20) continue;
        first[row * 20 + k] = 2 * down.values[row * n + k];
        where[row * 20 + k] = down.indices[row * n + k];
      }
    ASSERT_NO_FATAL_FAILURE(expect_same(result_of(indices), where)) << n;
    ASSERT_NO_FATAL_FAILURE(expect_same(result_of(values), first)) << n;
    ASSERT_NO_FATAL_FAILURE(expect_same(result_of(least), lowest)) << n;
  }
}

TEST(sorts, two_of_them_and_one_of_the_other) {
  auto const f = tn::compile([](auto x, auto y) {
    auto ranks = tn::argsort(tn::argsort(x, tn::axis<1>), tn::axis<1>);
    return tn::outputs(ranks, tn::sort(x, tn::axis<1>) + tn::sort(y, tn::axis<1>, tn::descending));
  });
  for (std::int64_t n : {7, 999, 4500}) {
    auto x = random_array<double, 2>({2, n}), y = random_array<double, 2>({2, n});
    auto const [ranks, sums] = f(x.view(), y.view());
    sorted const a = order_of(x.values(), 1), b = order_of(y.values(), 1, true);
    EXPECT_EQ(result_of(ranks).values, order_of(a.indices, 1).indices.values);
    doubles expected = a.values;
    for (std::int64_t k = 0; k < expected.size(); ++k) expected[k] += b.values[k];
    EXPECT_EQ(result_of(sums).values, expected.values);
  }
}

#if defined(__CUDACC__)
TEST(sorts, positions_of_more_than_31_bits_are_refused) {
  tn::tensor<std::int8_t, 1> x(std::vector<std::int8_t>{1});
  auto const many = dyn_view<std::int8_t, 1>::with_strides(x.data(), {1ll << 31}, {0});
  auto const f = tn::compile([](auto v) { return tn::sum(tn::sort(v, tn::axis<0>)); });
  EXPECT_THROW(f(many), tn::error);
}
#endif

TEST(sorts, into_their_own_operand) {
  auto x = random_array<float, 2>({3, 4500});
  sorted const expected = order_of(x.values(), 1);
  tn::compile([](auto v) { return tn::sort(v, tn::axis<1>); }).into(x.view())(x.view());
  EXPECT_EQ(x.result().values, expected.values.values);
}

}  // namespace
