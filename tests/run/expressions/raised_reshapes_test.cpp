// SPDX-License-Identifier: Apache-2.0
// What is done with a reshape of something computed, where the reshape cannot be done before.
#include "run/support/arrays.hpp"

namespace {

using reference::doubles;

constexpr std::int64_t rows = 37, columns = 52;

double sum_of(array<float, 2> const& x, array<float, 1> const& v, std::int64_t i) {
  return x.values()[i] + v.values()[i % columns];
}

TEST(raised_reshapes, of_repeated_operands) {
  auto const f = tn::compile([](auto x, auto v, auto flat) {
    auto const merged = tn::flatten(x + v);
    return tn::outputs(tn::exp(merged * 0.25f) + flat, tn::reshape(merged * 2, tn::shape<4, -1>),
                       tn::sum(tn::abs(merged)));
  });
  auto x = random_array<float, 2>({rows, columns});
  auto v = random_array<float, 1>({columns}), flat = random_array<float, 1>({rows * columns});
  auto const [values, quarters, total] = f(x.view(), v.view(), flat.view());
  ASSERT_EQ(quarters.extent(0), 4);
  ASSERT_EQ(quarters.extent(1), rows * columns / 4);
  doubles const a = result_of(values), b = result_of(quarters);
  double expected = 0;
  for (std::int64_t i = 0; i < rows * columns; ++i) {
    double const sum = sum_of(x, v, i), value = std::exp(sum / 4) + flat.values()[i];
    EXPECT_NEAR(a[i], value, 1e-5 * (1 + std::fabs(value))) << i;
    EXPECT_NEAR(b[i], 2 * sum, 1e-5) << i;
    expected += std::fabs(sum);
  }
  EXPECT_NEAR(result_of(total)[0], expected, 1e-5 * expected);
}

TEST(raised_reshapes, of_rows_into_any_layout) {
  static auto const f = tn::compile(
      [](auto x, auto flat) { return tn::relu(tn::flatten(tn::softmax(x, tn::axis<-1>)) * flat); });
  auto x = random_array<float, 2>({rows, columns});
  for (arrangement lies : {arrangement::contiguous, arrangement::misaligned, arrangement::stepped,
                           arrangement::reversed}) {
    auto flat = random_array<float, 1>({rows * columns}, lies);
    array<float, 1> out({rows * columns}, lies);
    f.into(out.view())(x.view(), flat.view());
    doubles const z = out.result();
    for (std::int64_t r = 0; r < rows; ++r) {
      double total = 0;
      for (std::int64_t c = 0; c < columns; ++c) total += std::exp(x.values()[r * columns + c]);
      for (std::int64_t c = 0; c < columns; ++c) {
        std::int64_t const i = r * columns + c;
        EXPECT_NEAR(z[i], std::fmax(0, std::exp(x.values()[i]) / total * flat.values()[i]), 1e-6);
      }
    }
  }
}

TEST(raised_reshapes, of_sums_with_axes_on_both_sides) {
  auto const f =
      tn::compile([](auto x) { return tn::sqrt(tn::flatten(tn::sum(x * x, tn::axis<1>))); });
  auto x = random_array<float, 3>({6, 11, 33});
  doubles const z = result_of(f(x.view()));
  ASSERT_EQ(z.size(), 6 * 33);
  for (std::int64_t i = 0; i < 6; ++i)
    for (std::int64_t k = 0; k < 33; ++k) {
      double sum = 0;
      for (std::int64_t j = 0; j < 11; ++j) {
        double const e = x.values()[(i * 11 + j) * 33 + k];
        sum += e * e;
      }
      EXPECT_NEAR(z[i * 33 + k], std::sqrt(sum), 1e-5);
    }
}

// Pixels that are shuffled with a bias, and heads that are merged under a norm: what is reshaped is
// an argument whose axes lie apart.
TEST(raised_reshapes, of_arguments_that_lie_apart) {
  constexpr std::int64_t planes = 3, side = 8;
  auto const shuffled = tn::compile([](auto x, auto bias) {
    auto const split = tn::reshape(x, tn::shape<-1, planes, 2, 2, side, side>);
    auto const pixels = tn::reshape(tn::transpose(split, tn::axis<0, 1, 4, 2, 5, 3>),
                                    tn::shape<-1, planes, 2 * side, 2 * side>);
    return tn::relu(pixels + tn::reshape(bias, tn::shape<planes, 1, 1>));
  });
  auto x = random_array<float, 4>({2, 4 * planes, side, side});
  auto bias = random_array<float, 1>({planes});
  doubles const z = result_of(shuffled(x.view(), bias.view()));
  for (std::int64_t i = 0; i < 2 * planes * 4 * side * side; ++i) {
    std::int64_t const c = i % (2 * side), r = i / (2 * side) % (2 * side),
                       plane = i / (4 * side * side);
    std::int64_t const from =
        ((plane * 2 + r % 2) * 2 + c % 2) * side * side + r / 2 * side + c / 2;
    EXPECT_NEAR(z[i], std::fmax(0, x.values()[from] + bias.values()[plane % planes]), 1e-6);
  }
  auto const normed = tn::compile([](auto h, auto residual) {
    return tn::layer_norm(residual +
                          tn::flatten(tn::transpose(h, tn::axis<0, 2, 1, 3>), tn::axis<2, 3>));
  });
  auto h = random_array<float, 4>({2, 3, 5, 4});
  auto residual = random_array<float, 3>({2, 5, 12});
  doubles const y = result_of(normed(h.view(), residual.view()));
  for (std::int64_t row = 0; row < 10; ++row) {
    auto const at = [&](std::int64_t k) {
      return residual.values()[row * 12 + k] +
             h.values()[((row / 5 * 3 + k / 4) * 5 + row % 5) * 4 + k % 4];
    };
    double mean = 0, variance = 0;
    for (std::int64_t k = 0; k < 12; ++k) mean += at(k) / 12;
    for (std::int64_t k = 0; k < 12; ++k) variance += (at(k) - mean) * (at(k) - mean) / 12;
    for (std::int64_t k = 0; k < 12; ++k)
      EXPECT_NEAR(y[row * 12 + k], (at(k) - mean) / std::sqrt(variance + 1e-5), 1e-4);
  }
}

}  // namespace
