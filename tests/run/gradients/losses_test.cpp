// SPDX-License-Identifier: Apache-2.0
// Values and gradients of losses, beside derivatives written by hand.
#include "run/gradients/support.hpp"
#include "tenon/tenon.hpp"

namespace {

std::int64_t const row_counts[] = {1, 7, 33, 300};

TEST(gradients, of_mean_squared_error) {
  auto const f = tn::value_and_grad([](auto x, auto y) { return tn::mse_loss(x, y); });
  for (std::int64_t rows : row_counts) {
    matrix x = random_matrix(rows, 31), y = random_matrix(rows, 31);
    auto const [loss, dx, dy] = f(x.view(), y.view());
    doubles const a = x.values(), b = y.values();
    double const n = static_cast<double>(a.size());
    double total = 0;
    for (std::int64_t i = 0; i < a.size(); ++i) total += (a[i] - b[i]) * (a[i] - b[i]);
    expect_gradient(loss, doubles({}, {total / n}), a.size(), "loss");
    expect_gradient(dx, like(a, [&](std::int64_t i) { return 2 * (a[i] - b[i]) / n; }), 1, "dx");
    expect_gradient(dy, like(a, [&](std::int64_t i) { return 2 * (b[i] - a[i]) / n; }), 1, "dy");
  }
}

// softmax - one_hot, over the rows that count.
TEST(gradients, of_cross_entropy) {
  auto const f = tn::value_and_grad(tn::cross_entropy);
  for (std::int64_t rows : row_counts) {
    std::int64_t const classes = 65;
    matrix x = random_matrix(rows, classes, -30, 30);
    array<int, 1> labels = random_array<int, 1>({rows}, arrangement::contiguous, 0, 64);
    doubles given = labels.values();
    for (std::int64_t i = 2; i < rows; i += 5) given[i] = -100;  // ignored
    labels.set(given);
    auto const [loss, dx] = f(x.view(), labels.view());
    doubles const a = x.values();
    double total = 0, counted = 0;
    for (std::int64_t i = 0; i < rows; ++i) counted += given[i] >= 0;
    doubles expected(a.extents);
    for (std::int64_t i = 0; i < rows; ++i) {
      if (given[i] < 0) continue;
      double largest = -INFINITY, sum = 0;
      for (std::int64_t c = 0; c < classes; ++c) largest = std::max(largest, a[i * classes + c]);
      for (std::int64_t c = 0; c < classes; ++c) sum += std::exp(a[i * classes + c] - largest);
      auto const label = static_cast<std::int64_t>(given[i]);
      total += largest + std::log(sum) - a[i * classes + label];
      for (std::int64_t c = 0; c < classes; ++c)
        expected[i * classes + c] = (std::exp(a[i * classes + c] - largest) / sum - (c == label)) / counted;
    }
    expect_gradient(loss, doubles({}, {total / counted}), rows, "loss");
    expect_gradient(dx, expected, classes, "dx");
  }
}

TEST(gradients, of_bce_with_logits_in_the_tails) {
  auto const f = tn::grad([](auto x, auto y) { return tn::bce_with_logits_loss(x, y, tn::sum); }, tn::wrt<0>);
  doubles const logits({8}, {-200, -90, -1, 0, 1, 90, 200, 1e30}), targets({8}, {0, 1, 0.5, 1, 0, 0, 1, 1});
  vector x({8}, arrangement::contiguous, logits), y({8}, arrangement::contiguous, targets);
  expect_gradient(f(x.view(), y.view()), like(logits, [&](std::int64_t i) { return 1 / (1 + std::exp(-logits[i])) - targets[i]; }), 1, "dx");
}

TEST(gradients, of_huber_loss) {
  auto const f = tn::grad([](auto x, auto y) { return tn::huber_loss(x, y, 0.5); }, tn::wrt<0>);
  matrix x = random_matrix(9, 33), y = random_matrix(9, 33);
  doubles const a = x.values(), b = y.values();
  expect_gradient(f(x.view(), y.view()), like(a, [&](std::int64_t i) {
                    double const d = a[i] - b[i];
                    return (std::fabs(d) <= 0.5 ? d : std::copysign(0.5, d)) / static_cast<double>(a.size());
                  }), 1, "dx");
}

// Far from the target the slope is delta, however far that is; at delta itself it is that of both sides.
TEST(gradients, of_huber_and_smooth_l1_loss_at_infinity) {
  doubles const values({6}, {INFINITY, -INFINITY, 3e38, -1e30, 0.5, -0.25}), zeros({6});
  vector x({6}, arrangement::contiguous, values), y({6}, arrangement::contiguous, zeros);
  auto slope = [&](double delta, double factor) {
    return like(values, [=, &values](std::int64_t i) { return factor * (std::fabs(values[i]) <= delta ? values[i] : std::copysign(delta, values[i])); });
  };
  auto const f = tn::grad([](auto x, auto y) { return tn::huber_loss(x, y, 0.5, tn::sum); }, tn::wrt<0>);
  expect_gradient(f(x.view(), y.view()), slope(0.5, 1), 1, "dx of huber");
  auto const g = tn::grad([](auto x, auto y) { return tn::smooth_l1_loss(x, y, 0.25, tn::sum); }, tn::wrt<0>);
  expect_gradient(g(x.view(), y.view()), slope(0.25, 4), 1, "dx of smooth l1");
  auto const h = tn::grad([](auto x, auto y, auto delta) { return tn::huber_loss(x, y, delta, tn::sum) + tn::smooth_l1_loss(x, y, delta, tn::sum); }, tn::wrt<0>);
  expect_gradient(h(x.view(), y.view(), 0.5f), slope(0.5, 3), 1, "dx of both");
}

// With an infinite parameter huber is half of the square everywhere, smooth l1 nothing.
TEST(gradients, of_huber_and_smooth_l1_loss_of_an_infinite_parameter) {
  doubles const values({6}, {INFINITY, -INFINITY, 1024, 0.5, 0, -0.25});
  vector x({6}, arrangement::contiguous, values), y({6}, arrangement::contiguous, doubles({6})),
      deltas({6}, arrangement::contiguous, like(values, [](std::int64_t) { return INFINITY; }));
  auto const literal = tn::value_and_grad([](auto x, auto y) { return tn::huber_loss(x, y, __builtin_inf(), tn::sum); }, tn::wrt<0>);
  auto const passed = tn::value_and_grad([](auto x, auto y, auto delta) { return tn::huber_loss(x, y, delta, tn::sum); }, tn::wrt<0, 2>);
  auto const [loss, dx] = literal(x.view(), y.view());
  auto const [same_loss, same_dx, ddelta] = passed(x.view(), y.view(), deltas.view());
  EXPECT_EQ(result_of(loss)[0], INFINITY);
  EXPECT_EQ(result_of(same_loss)[0], INFINITY);
  EXPECT_EQ(result_of(dx).values, values.values);
  EXPECT_EQ(result_of(same_dx).values, values.values);
  EXPECT_EQ(result_of(ddelta).values, std::vector<double>(6, 0));
  vector finite({3}, arrangement::contiguous, doubles({3}, {4, 0, -2})), zeros({3}, arrangement::contiguous, doubles({3}));
  auto const flat = tn::value_and_grad([](auto x, auto y, auto beta) { return tn::smooth_l1_loss(x, y, beta, tn::sum) + tn::smooth_l1_loss(x, y, __builtin_inf(), tn::sum); }, tn::wrt<0>);
  auto const [nothing, slopes] = flat(finite.view(), zeros.view(), std::numeric_limits<float>::infinity());
  EXPECT_EQ(result_of(nothing)[0], 0);
  EXPECT_EQ(result_of(slopes).values, (std::vector<double>{0, 0, 0}));
}

}  // namespace
