// SPDX-License-Identifier: Apache-2.0
// What needs positions or a running value, in one launch: the largest element's position, losses of
// integer labels with their gradient, operands one after the other, running sums with what follows.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"
#include "run/support/one_launch.hpp"

namespace {

using reference::all_axes;
using reference::doubles;
using reference::elementwise;
using reference::reduced;

double position_of_largest(reference::elements const& x) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < x.size(); ++i)
    if (x[i] > x[best]) best = i;
  return static_cast<double>(best);
}

void check_positions(std::int64_t rows, std::int64_t columns) {
  static auto const of_rows = tn::compile([](auto x) { return tn::argmax(x, tn::axis<-1>); });
  static auto const of_all = tn::compile([](auto x) { return tn::argmax(x); });
  auto x = random_array<float, 2>({rows, columns});
  array<std::int64_t, 1> row_out({rows});
  array<std::int64_t, 0> out({});
  expect_one_launch([&](tn::stream on) { of_rows.on(on).into(row_out.view())(x.view()); });
  expect_one_launch([&](tn::stream on) { of_all.on(on).into(out.view())(x.view()); });
  EXPECT_EQ(row_out.result().values, reduced(x.values(), 0b10, false, position_of_largest).values);
  EXPECT_EQ(out.result().values, reduced(x.values(), all_axes, false, position_of_largest).values);
}

void check_cross_entropy(std::int64_t rows, std::int64_t classes) {
  static auto const loss_alone =
      tn::compile([](auto x, auto labels) { return tn::cross_entropy(x, labels); });
  static auto const with_gradient = tn::compile([](auto x, auto labels, auto scale) {
    auto label = tn::unsqueeze(labels, tn::axis<-1>);
    auto total = tn::logsumexp(x, tn::axis<-1>, tn::keepdim);
    auto loss = tn::mean(total - tn::take_along_axis(x, label, tn::axis<-1>));
    auto chosen = tn::cast<float>(tn::iota(x, tn::axis<-1>) == label);
    return tn::outputs(loss, (tn::exp(x - total) - chosen) * scale);
  });
  auto x = random_array<float, 2>({rows, classes});
  auto labels = random_array<std::int64_t, 1>({rows}, arrangement::contiguous, 0,
                                              static_cast<double>(classes));
  float const scale = 1.0f / static_cast<float>(rows);
  array<float, 0> alone({}), loss({});
  array<float, 2> gradient({rows, classes});
  expect_one_launch(
      [&](tn::stream on) { loss_alone.on(on).into(alone.view())(x.view(), labels.view()); });
  expect_one_launch([&](tn::stream on) {
    with_gradient.on(on).into(loss.view(), gradient.view())(x.view(), labels.view(), scale);
  });

  doubles const log_p = reference::log_softmax(x.values(), 0b10), label = labels.values();
  doubles expected_loss({}), expected_gradient(log_p.extents);
  for (std::int64_t i = 0; i < log_p.size(); ++i) {
    bool const is_chosen = static_cast<double>(i % classes) == label[i / classes];
    if (is_chosen) expected_loss[0] -= log_p[i] / static_cast<double>(rows);
    expected_gradient[i] = (std::exp(log_p[i]) - is_chosen) * scale;
  }
  tolerance const allowed{.arithmetic = 32 + sum_roundoffs(classes) + sum_roundoffs(rows)};
  check_close(tn::dtype::f32, alone.result(), expected_loss, allowed, "cross entropy");
  check_close(tn::dtype::f32, loss.result(), expected_loss, allowed, "loss beside its gradient");
  doubles const sizes = elementwise([=](double) { return scale; }, expected_gradient);
  check_close(tn::dtype::f32, gradient.result(), expected_gradient,
              {.arithmetic = 32 + sum_roundoffs(classes), .scale = &sizes}, "gradient");
}

void check_concat(std::int64_t rows, std::int64_t columns) {
  static auto const f = tn::compile(
      [](auto a, auto b, auto c) { return tn::relu(tn::concat(a, b, c, tn::axis<0>)); });
  auto a = random_array<float, 2>({rows, columns}), b = random_array<float, 2>({2 * rows, columns}),
       c = random_array<float, 2>({1, columns});
  array<float, 2> out({3 * rows + 1, columns});
  expect_one_launch(
      [&](tn::stream on) { f.on(on).into(out.view())(a.view(), b.view(), c.view()); });
  std::vector<double> expected;
  for (array<float, 2> const* part : {&a, &b, &c})
    for (double v : part->values().values) expected.push_back(reference::relu(v));
  EXPECT_EQ(out.result().values, expected);
}

void check_running_sum(std::int64_t rows, std::int64_t columns) {
  static auto const f = tn::compile(
      [](auto x) { return tn::cumsum(x, tn::axis<-1>) / tn::max(x, tn::axis<-1>, tn::keepdim); });
  auto x = random_array<float, 2>({rows, columns}, arrangement::contiguous, 0.5, 3);
  array<float, 2> out({rows, columns});
  expect_one_launch([&](tn::stream on) { f.on(on).into(out.view())(x.view()); });
  doubles sums = x.values();
  for (std::int64_t i = 0; i < sums.size(); ++i)
    if (i % columns) sums[i] += sums[i - 1];
  doubles const expected =
      elementwise(std::divides<>(), sums, reduced(x.values(), 0b10, true, reference::max));
  check_close(tn::dtype::f32, out.result(), expected,
              {.arithmetic = 4 + sum_roundoffs(columns) + static_cast<double>(columns)},
              "running sum over the largest");
}

void check_normalized_running_sum(std::int64_t rows, std::int64_t columns) {
  static auto const f = tn::compile([](auto x) {
    auto sums = tn::cumsum(x, tn::axis<-1>);
    auto largest = tn::max(tn::abs(sums), tn::axis<-1>, tn::keepdim);
    return tn::outputs(sums / largest, tn::squeeze(largest, tn::axis<-1>));
  });
  auto x = random_array<float, 2>({rows, columns}, arrangement::contiguous, 0.5, 3);
  array<float, 2> out({rows, columns});
  array<float, 1> largest({rows});
  expect_one_launch([&](tn::stream on) { f.on(on).into(out.view(), largest.view())(x.view()); });
  doubles sums = x.values();
  for (std::int64_t i = 0; i < sums.size(); ++i)
    if (i % columns) sums[i] += sums[i - 1];
  tolerance const allowed{.arithmetic = 4 + sum_roundoffs(columns) + static_cast<double>(columns)};
  check_close(tn::dtype::f32, largest.result(), reduced(sums, 0b10, false, reference::max), allowed,
              "largest running sum");
  check_close(tn::dtype::f32, out.result(),
              elementwise(std::divides<>(), sums, reduced(sums, 0b10, true, reference::max)),
              allowed, "running sum over its largest");
}

constexpr std::int64_t shapes[][2] = {{1, 1}, {33, 7}, {100, 1000}, {3, 70001}};

TEST(one_launch, position_of_the_largest) {
  for (auto const& [rows, columns] : shapes) check_positions(rows, columns);
}
TEST(one_launch, cross_entropy_and_gradient) {
  for (auto const& [rows, columns] : shapes) check_cross_entropy(rows, columns);
}
TEST(one_launch, concat_and_relu) {
  for (auto const& [rows, columns] : shapes) check_concat(rows, columns);
}
TEST(one_launch, running_sum_over_the_largest) {
  for (auto const& [rows, columns] : shapes) check_running_sum(rows, columns);
}
TEST(one_launch, running_sum_and_its_largest) {
  for (auto const& [rows, columns] : shapes) check_normalized_running_sum(rows, columns);
}

}  // namespace
