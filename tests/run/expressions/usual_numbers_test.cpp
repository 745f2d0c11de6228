// SPDX-License-Identifier: Apache-2.0
// Quotients and logarithms of which a vector's elements have several: of usual numbers, and of
// vectors in which one is 0, subnormal, infinite or NaN.
#include <bit>

#include "run/support/arrays.hpp"

namespace {

using reference::doubles;

constexpr float special_numbers[] = {0.0f,
                                     -0.0f,
                                     1.0f,
                                     -3.0f,
                                     0x1p-149f,
                                     -0x1p-149f,
                                     0x1.fffffep127f,
                                     HUGE_VALF,
                                     -HUGE_VALF,
                                     NAN,
                                     0x1p-84f,
                                     0x1.fffffep-85f,
                                     0x1p-126f,
                                     0x1.fffffep-127f,
                                     0x1p-100f,
                                     0x1p40f,
                                     0x1.000002p40f,
                                     0x1p127f,
                                     -0x1p-83f,
                                     0x1.fffffep-1f,
                                     1e-30f,
                                     0x1.8fc192p0f,
                                     0x1.6a09e6p-1f,
                                     0x1.6a09e8p-1f,
                                     -0.5f,
                                     -1.0f,
                                     -0x1.fffffep-1f};

// Every third element is a special one in every second vector of eight; the others are of any size
// that most numbers have.
doubles numbers(std::int64_t rows, std::int64_t columns, bool is_positive, std::int64_t turn) {
  doubles x({rows, columns});
  for (std::int64_t i = 0; i < x.size(); ++i) {
    unsigned const bits = static_cast<unsigned>(generator()());
    float const any = std::bit_cast<float>((bits & 0x807fffffu) | (107 + (bits >> 23 & 31)) << 23);
    x[i] = is_positive ? std::abs(any) : any;
    if (i / 8 % 2 == 1 && i % 3 == 0)
      x[i] = special_numbers[(i / 3 + i / 48 * turn) % std::ssize(special_numbers)];
  }
  return x;
}

bool is_same(double found, float expected) {
  float const x = static_cast<float>(found);
  return std::isnan(expected) ? std::isnan(x)
                              : std::bit_cast<unsigned>(x) == std::bit_cast<unsigned>(expected);
}
// Within so many units of the last place.
bool is_near(double found, double expected, int units = 2) {
  if (std::isnan(expected) || std::isinf(expected))
    return std::isnan(expected) ? std::isnan(found) : found == expected;
  double const unit = std::max(std::ldexp(1.0, std::ilogb(expected) - 23), 0x1p-149);
  return std::abs(found - expected) <= (expected == 0 ? 0 : units * unit);
}

TEST(usual_numbers, quotients_are_rounded_correctly) {
  constexpr auto f = tn::compile([](auto x, auto y) {
    return tn::outputs(x / y, y / x, tn::reciprocal(x), (x + y) / (x - y));
  });
  std::int64_t const rows = 60;
  for (std::int64_t columns : {4, 31, 96, 1000})
    for (arrangement how : {arrangement::contiguous, arrangement::misaligned}) {
      array<float, 2> x({rows, columns}, how, numbers(rows, columns, false, 1)),
          y({rows, columns}, how, numbers(rows, columns, false, 5));
      auto const [first, second, third, fourth] = f(x.view(), y.view());
      doubles const quotients[] = {result_of(first), result_of(second), result_of(third),
                                   result_of(fourth)},
                    left = x.values(), right = y.values();
      for (std::int64_t i = 0; i < left.size(); ++i) {
        float const a = static_cast<float>(left[i]), b = static_cast<float>(right[i]);
        float const expected[] = {a / b, b / a, 1 / a, (a + b) / (a - b)};
        for (int k = 0; k < 4; ++k)
          ASSERT_TRUE(is_same(quotients[k][i], expected[k]))
              << "quotient " << k << " of " << a << " and " << b << " is not " << quotients[k][i];
      }
    }
}

TEST(usual_numbers, logarithms_are_near) {
  constexpr auto f = tn::compile([](auto x) {
    return tn::outputs(tn::log(x), tn::log1p(x), tn::softplus(x), tn::sigmoid(x));
  });
  std::int64_t const rows = 60;
  for (std::int64_t columns : {4, 33, 1000}) {
    array<float, 2> x({rows, columns}, arrangement::contiguous, numbers(rows, columns, false, 1));
    auto const [logs, logs1p, softplus, sigmoids] = f(x.view());
    doubles const first = result_of(logs), second = result_of(logs1p), third = result_of(softplus),
                  fourth = result_of(sigmoids), values = x.values();
    for (std::int64_t i = 0; i < values.size(); ++i) {
      double const a = values[i];
      ASSERT_TRUE(is_near(first[i], std::log(a))) << "log of " << a << ": " << first[i];
      ASSERT_TRUE(is_near(second[i], std::log1p(a))) << "log1p of " << a << ": " << second[i];
      double const power = std::exp(-std::abs(a)), s = (a < 0 ? power : 1) / (1 + power),
                   plus = std::log1p(power) + (a > 0 ? a : 0);
      ASSERT_TRUE(is_near(third[i], plus, 5)) << "softplus of " << a << ": " << third[i];
      ASSERT_TRUE(is_near(fourth[i], s, 5)) << "sigmoid of " << a << ": " << fourth[i];
    }
  }
}

// Divergences of rows, with a row in ten that has a 0 where its terms are 0 times infinity.
template <class T> void check_divergence(std::int64_t columns, arrangement how) {
  auto const f = tn::compile([](auto p, auto q) {
    auto m = (tn::cast<float>(p) + tn::cast<float>(q)) * 0.5f;
    return 0.5f * tn::sum(p * tn::log(p / m) + q * tn::log(q / m), tn::axis<1>);
  });
  std::int64_t const rows = 30;
  auto const draw = [&](bool has_zeros) {
    doubles x({rows, columns});
    for (std::int64_t i = 0; i < x.size(); ++i) {
      x[i] = as_double(from_double<T>(static_cast<double>(generator()() % 4095 + 1) / 4096));
      if (has_zeros && i / columns % 10 == 3 && i % columns == columns / 2) x[i] = 0;
    }
    return x;
  };
  doubles const left = draw(true), right = draw(false);
  array<T, 2> p({rows, columns}, how, left), q({rows, columns}, how, right);
  doubles const found = result_of(f(p.view(), q.view()));
  for (std::int64_t row = 0; row < rows; ++row) {
    double sum = 0, size = 0;
    for (std::int64_t j = 0; j < columns; ++j) {
      double const a = left[row * columns + j], b = right[row * columns + j], m = (a + b) / 2;
      sum += 0.5 * (a * std::log(a / m) + b * std::log(b / m));
      size += std::abs(a * std::log(a / m)) + std::abs(b * std::log(b / m)) + a + b;
    }
    if (std::isnan(sum))
      EXPECT_TRUE(std::isnan(found[row])) << row;
    else
      EXPECT_NEAR(found[row], sum, size * (sizeof(T) == 2 ? 0x1p-9 : 0x1p-21)) << row << columns;
  }
}

TEST(usual_numbers, divergence_of_rows) {
  for (std::int64_t columns : {4, 33, 256, 512, 1000, 4096})
    for (arrangement how : {arrangement::contiguous, arrangement::misaligned}) {
      check_divergence<float>(columns, how);
      check_divergence<tn::bfloat16>(columns, how);
    }
}

}  // namespace
