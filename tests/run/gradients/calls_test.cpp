// SPDX-License-Identifier: Apache-2.0
// How differentiated functions are called: in expressions and on tensors, by which arguments, again, and with wrong shapes.
#include "run/gradients/support.hpp"
#include "run/support/errors.hpp"
#include "run/support/one_launch.hpp"
#include "tenon/tenon.hpp"

namespace {

constexpr auto weighted_squares = [](auto x, auto y) { return tn::sum(x * tn::square(y)); };

TEST(gradients, by_chosen_arguments) {
  matrix x = random_matrix(5, 33), y = random_matrix(5, 33);
  doubles const a = x.values(), b = y.values();
  auto const by_second = [&](std::int64_t i) { return 2 * a[i] * b[i]; };
  expect_gradient(tn::grad(weighted_squares, tn::wrt<1>)(x.view(), y.view()), like(a, by_second), 1, "dy");
  auto const [dy, dx] = tn::grad(tn::compile(weighted_squares), tn::wrt<1, 0>)(x.view(), y.view());
  expect_gradient(dy, like(a, by_second), 1, "dy");
  expect_gradient(dx, like(a, [&](std::int64_t i) { return b[i] * b[i]; }), 1, "dx");
  // By a number of the call.
  auto const by_number = tn::grad([](auto x, auto scale) { return tn::sum(x * scale * scale); }, tn::wrt<1>);
  double total = 0;
  for (double v : a.values) total += v;
  expect_gradient(by_number(x.view(), 3.0f), doubles({}, {6 * total}), 165, "dscale");
}

// Each place of an argument has its own, whatever stands there.
TEST(gradients, of_one_argument_in_two_places) {
  matrix x = random_matrix(5, 33);
  doubles const a = x.values();
  auto const [first, second] = tn::grad(weighted_squares)(x.view(), x.view());
  expect_gradient(first, like(a, [&](std::int64_t i) { return a[i] * a[i]; }), 1, "first");
  expect_gradient(second, like(a, [&](std::int64_t i) { return 2 * a[i] * a[i]; }), 1, "second");
}

// Inside of an expression: a step against the gradient by what was computed, and a derivative of a derivative.
TEST(gradients, are_values_of_an_expression) {
  matrix x = random_matrix(5, 33);
  doubles const a = x.values();
  auto const step = tn::compile([](auto x) {
    auto shifted = x + 1;
    auto [value, slope] = tn::value_and_grad([](auto z) { return tn::sum(tn::sin(z) * z); })(shifted);
    return tn::outputs(value, shifted - slope * 0.5);
  });
  auto const [value, moved] = step(x.view());
  double total = 0;
  for (double v : a.values) total += std::sin(v + 1) * (v + 1);
  expect_gradient(moved, like(a, [&](std::int64_t i) {
                    double const z = a[i] + 1;
                    return z - 0.5 * (std::cos(z) * z + std::sin(z));
                  }), 1, "step");
  EXPECT_NEAR(result_of(value)[0], total, 1e-4);

  auto const curvature = tn::grad([](auto x) {
    auto slope = tn::grad([](auto z) { return tn::sum(tn::exp(z) * z); })(x);
    return tn::sum(slope);
  });
  expect_gradient(curvature(x.view()), like(a, [&](std::int64_t i) { return std::exp(a[i]) * (a[i] + 2); }), 1, "second derivative");
}

TEST(gradients, are_one_launch) {
  matrix x = random_matrix(64, 256), y = random_matrix(64, 256);
  auto const f = tn::compile(tn::value_and_grad([](auto x, auto y) { return tn::mse_loss(x, y); }, tn::wrt<0>), "mse");
  static_assert(decltype(tn::launches(f, x.view(), y.view()))::value == 1);
  tn::tensor<float> loss;
  tn::tensor<float, tn::dyn, tn::dyn> dx(64, 256);
  auto in_x = x.view(), in_y = y.view();
  expect_one_launch([&](tn::stream on) { f.on(on).into(loss, dx)(in_x, in_y); });
  doubles const a = x.values(), b = y.values();
  expect_gradient(dx, like(a, [&](std::int64_t i) { return 2 * (a[i] - b[i]) / static_cast<double>(a.size()); }), 1, "dx");
}

TEST(gradients, of_other_shapes_than_the_result_are_refused) {
  matrix x = random_matrix(5, 33), d = random_matrix(5, 32);
  auto const f = tn::vjp([](auto x) { return tn::exp(x); });
  EXPECT_NE(message_of([&] { f(x.view(), d.view()); }).find("vjp"), std::string::npos);
}

// Of no elements there is nothing, and no harm.
TEST(gradients, of_nothing) {
  matrix x = random_matrix(0, 33);
  auto const dx = tn::grad([](auto x) { return tn::sum(tn::exp(x)); })(x.view());
  EXPECT_EQ(dx.size(), 0);
}

}  // namespace
