// SPDX-License-Identifier: Apache-2.0
// searchsorted and bucketize against std::lower_bound and std::upper_bound.
#include <algorithm>
#include <cmath>

#include "run/support/arrays.hpp"

namespace {

using reference::doubles;

// As sorts order: NaN is greater than any number.
bool precedes(double a, double b) { return a < b || (std::isnan(b) && !std::isnan(a)); }
std::int64_t place(double const* begin, double const* end, double value, bool is_right) {
  return (is_right ? std::upper_bound(begin, end, value, precedes)
                   : std::lower_bound(begin, end, value, precedes)) -
         begin;
}
doubles sorted_rows(doubles rows, std::int64_t length) {
  for (auto row = rows.values.begin(); row != rows.values.end(); row += length)
    std::sort(row, row + length, precedes);
  return rows;
}

// One sequence for all values; equal elements, and values that are among them.
template <class T, class V> void check_one_sequence() {
  auto const left = tn::compile([](auto s, auto v) { return tn::searchsorted(s, v); });
  auto const right = tn::compile([](auto x, auto s) { return tn::bucketize(x, s, tn::right); });
  for (std::int64_t length : {0, 1, 2, 31, 32, 33, 1000})
    for (arrangement how : writable_arrangements) {
      auto const numbers = random_doubles<T>({length}, -9, 9);
      array<T, 1> sequence({length}, how, sorted_rows(numbers, length ? length : 1));
      auto values = random_array<V, 2>({5, 7}, how, -10, 10);
      doubles const s = sequence.values(), v = values.values();
      doubles const a = result_of(left(sequence.view(), values.view())),
                    b = result_of(right(values.view(), sequence.view()));
      double const* const begin = s.values.data();
      for (std::int64_t k = 0; k < v.size(); ++k) {
        ASSERT_EQ(a[k], place(begin, begin + length, v[k], false)) << length << " at " << k;
        ASSERT_EQ(b[k], place(begin, begin + length, v[k], true)) << length << " at " << k;
      }
    }
}
TEST(search, of_one_sequence) {
  check_one_sequence<float, float>();
  check_one_sequence<tn::half, tn::half>();
  check_one_sequence<tn::bfloat16, float>();
  check_one_sequence<double, float>();
  check_one_sequence<std::int64_t, std::int64_t>();
  check_one_sequence<std::int8_t, float>();
  check_one_sequence<int, double>();
}

TEST(search, of_a_sequence_for_each_row) {
  auto const f = tn::compile([](auto s, auto v) { return tn::searchsorted(s, v); });
  auto const fused = tn::compile([](auto s, auto v) {
    auto const places = tn::searchsorted(s, tn::tanh(v) * 3, tn::right);
    return tn::outputs(tn::cast<float>(places) * 0.5f, tn::sum(places, tn::axis<1>));
  });
  auto const turned = tn::compile(
      [](auto s, auto v) { return tn::transpose(tn::searchsorted(tn::transpose(s), v)); });
  auto const part = tn::compile([](auto s, auto v) {
    return tn::slice(tn::searchsorted(s, v), tn::axis<0>, tn::range<1, tn::end, 2>);
  });
  auto const picked = tn::compile(
      [](auto s, auto v, auto i) { return tn::take(tn::searchsorted(s, v), i, tn::axis<0>); });
  for (std::int64_t length : {1, 5, 64})
    for (std::int64_t count : {1, 6, 33})
      for (arrangement how : writable_arrangements) {
        array<float, 2> s({5, length}, how,
                          sorted_rows(random_doubles<float>({5, length}), length));
        auto v = random_array<float, 2>({5, count}, how);
        array<int, 1> rows({2}, arrangement::contiguous, doubles({2}, {-1, 0}));
        doubles const sequences = s.values(), values = v.values();
        auto const at = [&](std::int64_t row, double value, bool is_right) {
          double const* const begin = sequences.values.data() + row * length;
          return place(begin, begin + length, value, is_right);
        };
        array<float, 2> stored({length, 5});
        doubles columns({length, 5});
        for (std::int64_t k = 0; k < 5 * length; ++k)
          columns[k % length * 5 + k / length] = sequences[k];
        stored.set(columns);
        auto const [scaled, totals] = fused(s.view(), v.view());
        doubles const a = result_of(f(s.view(), v.view())), b = result_of(scaled),
                      c = result_of(totals), d = result_of(turned(stored.view(), v.view())),
                      e = result_of(part(s.view(), v.view())),
                      g = result_of(picked(s.view(), v.view(), rows.view()));
        for (std::int64_t row = 0; row < 5; ++row) {
          double total = 0;
          for (std::int64_t column = 0; column < count; ++column) {
            std::int64_t const k = row * count + column, expected = at(row, values[k], false);
            ASSERT_EQ(a[k], expected);
            ASSERT_EQ(d[column * 5 + row], expected);
            if (row % 2 == 1) {
              ASSERT_EQ(e[row / 2 * count + column], expected);
            }
            if (row == 4) {
              ASSERT_EQ(g[column], expected);
            }
            if (row == 0) {
              ASSERT_EQ(g[count + column], expected);
            }
            total += 2 * b[k];
            std::int64_t const fused_place =
                at(row, std::tanh(static_cast<float>(values[k])) * 3, true);
            ASSERT_NEAR(2 * b[k], static_cast<double>(fused_place), 1);
          }
          ASSERT_EQ(c[row], total);
        }
      }
}

TEST(search, special_values) {
  double const nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  doubles const sequence({8}, {-infinity, -1, -0.0, 0, 2, infinity, nan, nan}),
      values({8}, {-infinity, infinity, nan, 0, -0.0, -nan, -2, 3});
  array<float, 1> s({8}, arrangement::contiguous, sequence),
      v({8}, arrangement::contiguous, values);
  auto const f = tn::compile([](auto s, auto v) {
    return tn::outputs(tn::searchsorted(s, v), tn::searchsorted(s, v, tn::right),
                       tn::searchsorted(s, 2), tn::searchsorted(s, 2.5, tn::right));
  });
  auto const [left, right, literal, between] = f(s.view(), v.view());
  EXPECT_EQ(result_of(left).values, (std::vector<double>{0, 5, 6, 2, 2, 6, 1, 5}));
  EXPECT_EQ(result_of(right).values, (std::vector<double>{1, 6, 8, 4, 4, 8, 1, 5}));
  EXPECT_EQ(result_of(literal)[0], 4);
  EXPECT_EQ(result_of(between)[0], 5);
}

// Integers and floating-point numbers have their own order: none becomes another one before it is
// compared. A long double holds all of them.
template <class S, class V>
void check_places(std::vector<S> const& elements, std::vector<V> const& values) {
  auto const f = tn::compile([](auto s, auto v) {
    return tn::outputs(tn::searchsorted(s, v), tn::searchsorted(s, v, tn::right));
  });
  tn::tensor<S, tn::dyn> s(elements, static_cast<std::int64_t>(elements.size()));
  tn::tensor<V, tn::dyn> v(values, static_cast<std::int64_t>(values.size()));
  auto const [left, right] = f(s, v);
  auto const lefts = tn::to_vector(left), rights = tn::to_vector(right);
  for (std::size_t k = 0; k < values.size(); ++k) {
    auto const number = static_cast<long double>(values[k]);
    long long before = 0, upto = 0;
    for (S element : elements) {
      auto const e = static_cast<long double>(element);
      before += e < number || (number != number && e == e);
      upto += e <= number || number != number;
    }
    EXPECT_EQ(lefts[k], before) << "of " << number;
    EXPECT_EQ(rights[k], upto) << "of " << number;
  }
}
template <class S> std::vector<S> around(std::vector<S> numbers, std::vector<S> const& centres) {
  for (S centre : centres)
    for (int step : {-3, -2, -1, 0, 1, 2, 3})
      numbers.push_back(static_cast<S>(centre + static_cast<S>(step)));
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}
template <class F> std::vector<F> around_powers() {
  F const infinity = std::numeric_limits<F>::infinity();
  std::vector<F> numbers{-infinity, infinity, 0,        F(-0.0),  F(0.5),   F(-0.5),
                         F(1.5),    F(-1.5),  F(126.5), F(127.5), F(255.5), F(-128.5)};
  for (int exponent : {7, 8, 15, 24, 25, 31, 32, 53, 54, 62, 63, 64, 70})
    for (F sign : {F(1), F(-1)}) {
      F const power = sign * std::ldexp(F(1), exponent);
      for (F number : {power, std::nextafter(power, infinity), std::nextafter(power, -infinity)})
        numbers.push_back(number);
    }
  std::sort(numbers.begin(), numbers.end());
  numbers.push_back(std::numeric_limits<F>::quiet_NaN());
  return numbers;
}
TEST(search, of_integers_among_floating_point_numbers_and_the_other_way_round) {
  using limits = std::numeric_limits<std::int64_t>;
  auto const check = [](auto const& integers) {
    check_places(integers, around_powers<float>());
    check_places(around_powers<float>(), integers);
  };
  auto const widest =
      around<std::int64_t>({limits::min(), limits::max(), limits::max() - 1, limits::min() + 1},
                           {0, 1 << 24, -(1 << 24), 1LL << 53, -(1LL << 53), 1LL << 62});
  check(widest);
  check_places(widest, around_powers<double>());
  check_places(around_powers<double>(), widest);
  check(around<int>({std::numeric_limits<int>::min(), std::numeric_limits<int>::max()},
                    {0, 1 << 24, -(1 << 24), 1 << 30}));
  check(around<std::uint64_t>({~std::uint64_t(0), 0}, {1 << 24, 1ULL << 53, 1ULL << 63}));
  check(around<std::uint8_t>({255, 0, 128}, {17}));
  check(around<std::int8_t>({-128, 127}, {0}));
}

}  // namespace
