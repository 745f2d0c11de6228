// SPDX-License-Identifier: Apache-2.0
// Gradients of pointwise expressions: repeated operands, half types, double, and random numbers.
#include "run/gradients/support.hpp"
#include "tenon/tenon.hpp"

namespace {

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }
double normal_density(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::acos(-1.0)); }

TEST(gradients, of_gelu_with_a_bias) {
  auto const f = tn::vjp([](auto x, auto bias) { return tn::gelu(x + bias); });
  for (std::int64_t rows : {1, 31, 200}) {
    matrix x = random_matrix(rows, 33, -6, 6), dy = random_matrix(rows, 33);
    vector bias = random_vector(33);
    auto const [dx, db] = f(x.view(), bias.view(), dy.view());
    doubles const a = x.values(), b = bias.values(), d = dy.values();
    doubles expected_db(b.extents);
    doubles const expected = like(a, [&](std::int64_t i) {
      double const z = a[i] + b[i % 33];
      return d[i] * (normal_cdf(z) + z * normal_density(z));
    });
    for (std::int64_t i = 0; i < a.size(); ++i) expected_db[i % 33] += expected[i];
    expect_gradient(dx, expected, 1, "dx");
    expect_gradient(db, expected_db, rows, "dbias");
  }
}

TEST(gradients, of_half_types_are_of_their_type) {
  auto const f = tn::vjp([](auto x, auto scale) { return tn::silu(x) * scale; });
  auto x = random_array<tn::bfloat16, 2>({9, 64}), dy = random_array<tn::bfloat16, 2>({9, 64});
  vector scale = random_vector(64);
  auto given = random_matrix(9, 64);
  given.set(dy.values());
  auto const [dx, ds] = f(x.view(), scale.view(), given.view());
  static_assert(std::is_same_v<typename std::remove_cvref_t<decltype(dx)>::value_type, tn::bfloat16>);
  static_assert(std::is_same_v<typename std::remove_cvref_t<decltype(ds)>::value_type, float>);
  doubles const a = x.values(), s = scale.values(), d = dy.values();
  doubles expected_ds(s.extents);
  auto const sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
  for (std::int64_t i = 0; i < a.size(); ++i) expected_ds[i % 64] += d[i] * a[i] * sigmoid(a[i]);
  expect_gradient(dx, like(a, [&](std::int64_t i) { return d[i] * s[i % 64] * sigmoid(a[i]) * (1 + a[i] * (1 - sigmoid(a[i]))); }), 1, "dx");
  expect_gradient(ds, expected_ds, 9, "dscale");
}

TEST(gradients, of_double) {
  auto const f = tn::grad([](auto x, auto y) { return tn::sum(tn::exp(x) * tn::cast<double>(y)); });
  auto x = random_array<double, 2>({5, 33});
  matrix y = random_matrix(5, 33);
  auto const [dx, dy] = f(x.view(), y.view());
  doubles const a = x.values(), b = y.values();
  expect_gradient(dx, like(a, [&](std::int64_t i) { return std::exp(a[i]) * b[i]; }), 1, "dx");
  expect_gradient(dy, like(a, [&](std::int64_t i) { return std::exp(a[i]); }), 1, "dy");
}

// Of a dropout that keeps nothing the gradient is 0.
TEST(gradients, of_a_dropout_of_everything) {
  vector x({3}, arrangement::contiguous, doubles({3}, {1, 0, -2}));
  auto const literal = tn::value_and_grad([](auto x) { return tn::sum(tn::dropout(x, 1.0, 7)); });
  auto const passed =
      tn::value_and_grad([](auto x, auto p) { return tn::sum(tn::dropout(x, p, 7)); }, tn::wrt<0>);
  auto const [none, slopes] = literal(x.view());
  auto const [nothing, others] = passed(x.view(), 1.0f);
  EXPECT_EQ(result_of(none)[0], 0);
  EXPECT_EQ(result_of(nothing)[0], 0);
  EXPECT_EQ(result_of(slopes).values, (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(result_of(others).values, (std::vector<double>{0, 0, 0}));
}

// The elements that dropout kept are those that have a gradient: the numbers are the same ones.
TEST(gradients, of_dropout_with_the_same_seed) {
  auto const forward = tn::compile([](auto x, auto seed) { return tn::dropout(x, 0.25, seed); });
  auto const backward = tn::vjp([](auto x, auto seed) { return tn::dropout(x, 0.25, seed); });
  matrix x = random_matrix(33, 65, 1, 2), dy = random_matrix(33, 65, 1, 2);
  doubles const kept = result_of(forward(x.view(), 42)), d = dy.values();
  expect_gradient(backward(x.view(), 42, dy.view()), like(d, [&](std::int64_t i) { return kept[i] == 0 ? 0 : d[i] / 0.75; }), 1, "dx");
}

}  // namespace
