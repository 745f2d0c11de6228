// SPDX-License-Identifier: Apache-2.0
// Values beside each other along a short axis, each stored at its own positions: against plain
// loops, along every axis, with what is computed before and after.
#include "run/support/arrays.hpp"
#include "run/support/one_launch.hpp"

namespace {

using reference::doubles;

// result[.., k, ..] = value(k, i, j) for values of i x j, with axis `axis` of three.
template <class Value>
std::vector<double> stacked(std::int64_t count, std::int64_t rows, std::int64_t columns, int axis,
                            Value const& value) {
  std::int64_t const extents[3] = {axis == 0 ? count : rows,
                                   axis == 1   ? count
                                   : axis == 0 ? rows
                                               : columns,
                                   axis == 2 ? count : columns};
  std::vector<double> result;
  for (std::int64_t a = 0; a < extents[0]; ++a)
    for (std::int64_t b = 0; b < extents[1]; ++b)
      for (std::int64_t c = 0; c < extents[2]; ++c)
        result.push_back(axis == 0 ? value(a, b, c) : axis == 1 ? value(b, a, c) : value(c, a, b));
  return result;
}

template <class T, int Axis> void check_axis() {
  static auto const two =
      tn::compile([](auto x, auto y) { return tn::stack(x, y, tn::axis<Axis>); });
  static auto const three = tn::compile(
      [](auto x, auto y) { return tn::stack(x + y, tn::abs(x), y * 2, tn::axis<Axis>) + 1; });
  for (std::int64_t n : {1, 2, 7, 8, 16, 33, 64, 129, 512, 1040})
    for (arrangement how : arrangements) {
      auto x = random_array<T, 2>({5, n}, how, -4, 4), y = random_array<T, 2>({5, n}, how, -4, 4);
      doubles const a = x.values(), b = y.values();
      auto const rounded = [](double v) { return as_double(from_double<T>(v)); };
      EXPECT_EQ(
          result_of(two(x.view(), y.view())).values,
          stacked(2, 5, n, Axis, [&](auto k, auto i, auto j) { return (k ? b : a)[i * n + j]; }))
          << n << to_string(how);
      EXPECT_EQ(result_of(three(x.view(), y.view())).values,
                stacked(3, 5, n, Axis,
                        [&](auto k, auto i, auto j) {
                          double const p = a[i * n + j], q = b[i * n + j];
                          return rounded((k == 0 ? p + q : k == 1 ? std::abs(p) : q * 2) + 1);
                        }))
          << n << to_string(how);
    }
}

TEST(stacked, along_every_axis) {
  check_axis<std::int32_t, 0>();
  check_axis<std::int32_t, 1>();
  check_axis<std::int32_t, 2>();
}
// What is computed on the way is rounded once.
TEST(stacked, of_half_types) {
  check_axis<tn::bfloat16, 0>();
  check_axis<tn::bfloat16, 2>();
}

// Two or four beside each other are one access; so many others are none, or two of those.
template <class T, int... K> void check_many(std::integer_sequence<int, K...>) {
  static auto const f = tn::compile(
      [](auto x, auto y) { return tn::stack((K % 2 == 0 ? x + K : y * K)..., tn::axis<-1>); });
  constexpr int count = sizeof...(K);
  for (std::int64_t n : {1, 8, 33, 64})
    for (arrangement how : arrangements) {
      auto x = random_array<T, 2>({5, n}, how, -4, 4), y = random_array<T, 2>({5, n}, how, -4, 4);
      doubles const a = x.values(), b = y.values();
      EXPECT_EQ(result_of(f(x.view(), y.view())).values,
                stacked(count, 5, n, 2,
                        [&](auto k, auto i, auto j) {
                          double const p = a[i * n + j], q = b[i * n + j];
                          return as_double(from_double<T>(k % 2 == 0 ? p + k : q * k));
                        }))
          << count << " x " << n << to_string(how);
    }
}
// The list depends on a parameter: nvcc 13.0 may lose another one's name where it is written out.
template <class T, int... Counts> void check_each() {
  (check_many<T>(std::make_integer_sequence<int, Counts>{}), ...);
}
TEST(stacked, more_than_an_access_has) {
  check_each<tn::bfloat16, 4, 5, 6, 8>();
  check_each<std::int8_t, 4, 5, 6, 8>();
}

// As one axis with its neighbour: real and imaginary parts, or columns in turn.
TEST(stacked, in_turn_along_the_last_axis) {
  auto const f = tn::compile(
      [](auto x, auto y) { return tn::flatten(tn::stack(x, y, tn::axis<-1>), tn::axis<1, 2>); });
  for (std::int64_t n : {3, 16, 100}) {
    auto x = random_array<float, 2>({6, n}), y = random_array<float, 2>({6, n});
    doubles const a = x.values(), b = y.values(), found = result_of(f(x.view(), y.view()));
    for (std::int64_t k = 0; k < 6 * n; ++k) {
      EXPECT_EQ(found[2 * k], a[k]);
      EXPECT_EQ(found[2 * k + 1], b[k]);
    }
  }
}

// Tensors, of whose columns a call knows more than of those of views.
template <int Axis> void check_tensors() {
  auto const f = tn::compile([](auto x, auto y) {
    return tn::outputs(tn::stack(x, y, tn::axis<Axis>), tn::stack(x, x + 1, y * 2, tn::axis<Axis>));
  });
  auto const alone = tn::compile([](auto x) { return tn::stack(x, x + 1, tn::axis<Axis>); });
  for (std::int64_t n : {1, 7, 64, 100, 264, 640}) {
    doubles const a = random_doubles<float>({6, n}, -4, 4),
                  b = random_doubles<float>({6, n}, -4, 4);
    std::vector<float> const first(a.values.begin(), a.values.end()),
        second(b.values.begin(), b.values.end());
    tn::tensor<float, tn::dyn, tn::dyn> const x(first, 6, n), y(second, 6, n);
    auto const [two, three] = f(x, y);
    auto const of = [&](auto const& value) {
      return [&, value](auto k, auto i, auto j) {
        return static_cast<double>(value(k, first[i * n + j], second[i * n + j]));
      };
    };
    EXPECT_EQ(result_of(two).values,
              stacked(2, 6, n, Axis, of([](auto k, float v, float w) { return k ? w : v; })));
    EXPECT_EQ(result_of(three).values, stacked(3, 6, n, Axis, of([](auto k, float v, float w) {
                                                 return k == 0 ? v : k == 1 ? v + 1 : w * 2;
                                               })));
    EXPECT_EQ(result_of(alone(x)).values,
              stacked(2, 6, n, Axis, of([](auto k, float v, float) { return k ? v + 1 : v; })));
  }
}
TEST(stacked, of_tensors) {
  check_tensors<0>();
  check_tensors<1>();
  check_tensors<2>();
}

TEST(stacked, in_one_launch) {
  auto const f = tn::compile([](auto x, auto y) { return tn::stack(x, y, tn::axis<-1>); });
  auto x = random_array<float, 2>({6, 40}), y = random_array<float, 2>({6, 40});
  tn::tensor<float, tn::dyn, tn::dyn, 2> result(6, 40);
  expect_one_launch([&](auto const& on) { f.on(on).into(result)(x.view(), y.view()); });
}

// Behind sums of its rows, and with a number in the place of an operand.
TEST(stacked, beside_what_is_reduced_and_beside_numbers) {
  auto const f = tn::compile([](auto x) {
    auto whole = tn::sum(x, tn::axis<1>, tn::keepdim);
    return tn::stack(x, x - whole, tn::axis<-1>);
  });
  auto const g = tn::compile([](auto x) { return tn::stack(x, tn::zeros_like(x), tn::axis<-1>); });
  for (std::int64_t n : {1, 5, 32}) {
    auto x = random_array<std::int32_t, 2>({7, n}, arrangement::contiguous, -9, 9);
    doubles const a = x.values(), found = result_of(f(x.view())), padded = result_of(g(x.view()));
    for (std::int64_t i = 0; i < 7; ++i) {
      double whole = 0;
      for (std::int64_t j = 0; j < n; ++j) whole += a[i * n + j];
      for (std::int64_t j = 0; j < n; ++j) {
        std::int64_t const k = i * n + j;
        EXPECT_EQ(found[2 * k], a[k]);
        EXPECT_EQ(found[2 * k + 1], a[k] - whole);
        EXPECT_EQ(padded[2 * k], a[k]);
        EXPECT_EQ(padded[2 * k + 1], 0);
      }
    }
  }
}

// What is at one position of a short axis, with a number at the others: a number is stored for
// every element, too.
template <int Axis> void check_one_position() {
  auto const f = tn::compile([](auto x) {
    auto const wide = tn::unsqueeze(x, tn::axis<Axis>);
    auto const three = tn::concat(wide, wide, wide, tn::axis<Axis>);
    return tn::where(tn::iota(three, tn::axis<Axis>) == 1, wide, 7);
  });
  for (std::int64_t n : {1, 3, 32, 130}) {
    auto x = random_array<float, 2>({5, n});
    doubles const a = x.values();
    EXPECT_EQ(result_of(f(x.view())).values, stacked(3, 5, n, Axis, [&](auto k, auto i, auto j) {
                return k == 1 ? a[i * n + j] : 7.0;
              }));
  }
}
TEST(stacked, one_position_beside_a_number) {
  check_one_position<0>();
  check_one_position<1>();
  check_one_position<2>();
}

}  // namespace
