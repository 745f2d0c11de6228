// SPDX-License-Identifier: Apache-2.0
// Reductions of a whole tensor in one launch: the mean of row sums, losses, a loss with its
// gradient.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"
#include "run/support/one_launch.hpp"

namespace {

using reference::all_axes;
using reference::doubles;
using reference::elementwise;
using reference::reduced;

constexpr std::int64_t lengths[][2] = {{1, 1}, {7, 33}, {100, 100}, {1000, 1000}, {3, 70001}};

template <class T> void check_mean_of_row_sums(std::int64_t rows, std::int64_t columns) {
  static auto const f = tn::compile(
      [](auto x, auto y) { return tn::mean(tn::sum(tn::relu((x + y) * 2.0f), tn::axis<1>)); });
  auto x = random_array<T, 2>({rows, columns}), y = random_array<T, 2>({rows, columns});
  array<T, 0> out({});
  expect_one_launch([&](tn::stream on) { f.on(on).into(out.view())(x.view(), y.view()); });
  doubles const each = elementwise([](double a, double b) { return std::fmax((a + b) * 2, 0); },
                                   x.values(), y.values());
  doubles expected = reduced(each, all_axes, false, reference::sum);
  expected[0] /= static_cast<double>(rows);
  check_close(tn::dtype_of<T>, out.result(), expected,
              {.arithmetic = sum_roundoffs(rows * columns)}, "mean of row sums");
}

template <class T> void check_total(std::int64_t count) {
  static auto const f = tn::compile([](auto x) { return tn::sum(x); });
  auto x = random_array<T, 1>({count});
  array<T, 0> out({});
  expect_one_launch([&](tn::stream on) { f.on(on).into(out.view())(x.view()); });
  doubles const scale = reduced(x.values(), all_axes, false, reference::sum_of_magnitudes);
  check_close(tn::dtype_of<T>, out.result(), reduced(x.values(), all_axes, false, reference::sum),
              {.arithmetic = sum_roundoffs(count), .scale = &scale}, "total");
}

void check_row_sums_and_total(std::int64_t rows, std::int64_t columns) {
  static auto const f =
      tn::compile([](auto x) { return tn::outputs(tn::sum(x, tn::axis<1>), tn::sum(x)); });
  auto x = random_array<float, 2>({rows, columns});
  array<float, 1> of_rows({rows});
  array<float, 0> of_all({});
  expect_one_launch([&](tn::stream on) { f.on(on).into(of_rows.view(), of_all.view())(x.view()); });
  auto const check = [&](doubles const& result, unsigned axes, std::int64_t count) {
    doubles const scale = reduced(x.values(), axes, false, reference::sum_of_magnitudes);
    check_close(tn::dtype::f32, result, reduced(x.values(), axes, false, reference::sum),
                {.arithmetic = sum_roundoffs(count), .scale = &scale}, "sum");
  };
  check(of_rows.result(), 0b10, columns);
  check(of_all.result(), all_axes, rows * columns);
}

template <class T> void check_losses(std::int64_t count) {
  static auto const f = tn::compile([](auto x, auto y) {
    return tn::outputs(tn::mse_loss(x, y), tn::l1_loss(x, y), tn::huber_loss(x, y));
  });
  auto x = random_array<T, 1>({count}), y = random_array<T, 1>({count});
  array<T, 0> squared({}), absolute({}), huber({});
  expect_one_launch([&](tn::stream on) {
    f.on(on).into(squared.view(), absolute.view(), huber.view())(x.view(), y.view());
  });
  auto const expected = [&](auto const& loss) {
    return reduced(elementwise(loss, x.values(), y.values()), all_axes, false, reference::mean);
  };
  tolerance const allowed{.arithmetic = sum_roundoffs(count)};
  constexpr tn::dtype type = tn::dtype_of<T>;
  check_close(type, squared.result(),
              expected([](double a, double b) { return (a - b) * (a - b); }), allowed, "mse");
  check_close(type, absolute.result(),
              expected([](double a, double b) { return std::fabs(a - b); }), allowed, "l1");
  check_close(type, huber.result(), expected([](double a, double b) {
                double const d = std::fabs(a - b);
                return d <= 1 ? d * d / 2 : d - 0.5;
              }),
              allowed, "huber");
}

template <class T> void check_loss_and_gradient(std::int64_t count) {
  static auto const f = tn::compile([](auto x, auto y, auto factor) {
    auto d = x - y;
    return tn::outputs(tn::mean(d * d), factor * d);
  });
  auto x = random_array<T, 1>({count}), y = random_array<T, 1>({count});
  float const factor = 2.0f / static_cast<float>(count);
  array<T, 0> loss({});
  array<T, 1> gradient({count});
  expect_one_launch([&](tn::stream on) {
    f.on(on).into(loss.view(), gradient.view())(x.view(), y.view(), factor);
  });
  constexpr tn::dtype type = tn::dtype_of<T>;
  doubles const squares =
      elementwise([](double a, double b) { return (a - b) * (a - b); }, x.values(), y.values());
  check_close(type, loss.result(), reduced(squares, all_axes, false, reference::mean),
              {.arithmetic = sum_roundoffs(count)}, "loss");
  check_close(
      type, gradient.result(),
      elementwise([=](double a, double b) { return (a - b) * factor; }, x.values(), y.values()),
      {.arithmetic = 4}, "gradient");
}

TEST(one_launch, mean_of_row_sums) {
  for (auto const& [rows, columns] : lengths) check_mean_of_row_sums<float>(rows, columns);
}
TEST(one_launch, total) {
  for (auto const& [rows, columns] : lengths) {
    check_total<float>(rows * columns);
    check_total<tn::bfloat16>(rows * columns);
  }
}
TEST(one_launch, row_sums_and_total) {
  for (auto const& [rows, columns] : lengths) check_row_sums_and_total(rows, columns);
  check_row_sums_and_total(2, 1 << 20);
}
TEST(one_launch, losses) {
  for (auto const& [rows, columns] : lengths) check_losses<float>(rows * columns);
}
TEST(one_launch, loss_and_gradient) {
  for (auto const& [rows, columns] : lengths) {
    check_loss_and_gradient<float>(rows * columns);
    check_loss_and_gradient<tn::bfloat16>(rows * columns);
  }
}

}  // namespace
