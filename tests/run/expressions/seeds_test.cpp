// SPDX-License-Identifier: Apache-2.0
// The expressions that Tenon began with, each one launch.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"

namespace {

using reference::doubles;

constexpr bool is_on_device = std::is_same_v<tn::default_space, tn::cuda>;

double doubled_relu(double x, double y) { return reference::relu((x + y) * 2); }

TEST(seeds, relu_of_doubled_sum) {
  auto x = random_array<float, 2>({100, 100}), y = random_array<float, 2>({100, 100});
  auto const f = tn::compile([](auto x, auto y) { return tn::relu((x + y) * 2); });
  auto const a = x.view(), b = y.view();
  static_assert(tn::launches(f, a, b) == 1);
  check_close(tn::dtype::f32, result_of(f(a, b)),
              reference::elementwise(doubled_relu, x.values(), y.values()));
}

// Every term of mean(sum(...)) is positive, so that the bound of a sum holds for the result itself.
void check_mean_of_sums(std::int64_t n) {
  auto x = random_array<float, 2>({n, n}), y = random_array<float, 2>({n, n});
  auto const f = tn::compile([](auto x, auto y) {
    auto rows = tn::sum(tn::relu((x + y) * 2), tn::axis<1>);
    auto with_silu = tn::mean(tn::sum(tn::silu(tn::relu((x + y) * 2)), tn::axis<1>));
    return tn::outputs(tn::mean(rows), with_silu, tn::sigmoid(with_silu * 1e-3) * 10);
  });
  auto const a = x.view(), b = y.view();
  static_assert(tn::launches(f, a, b) == 1);
  auto const [mean, with_silu, scaled] = f(a, b);
  doubles const c = reference::elementwise(doubled_relu, x.values(), y.values());
  auto const total = [n](doubles const& of) {
    return doubles({}, {reference::sum(of.values) / static_cast<double>(n)});
  };
  doubles const silu = total(reference::elementwise(reference::silu, c));
  auto const sigmoid = [](double v) { return reference::sigmoid(v * 1e-3) * 10; };
  tolerance const allowed{.arithmetic = sum_roundoffs(n * n) + 8};
  std::string const what = "at " + std::to_string(n);
  check_close(tn::dtype::f32, result_of(mean), total(c), allowed, "mean " + what);
  check_close(tn::dtype::f32, result_of(with_silu), silu, allowed, "mean with silu " + what);
  // The error of the argument reaches the sigmoid multiplied by the argument, about 3.
  check_close(tn::dtype::f32, result_of(scaled), reference::elementwise(sigmoid, silu),
              {.arithmetic = 4 * allowed.arithmetic}, "sigmoid " + what);
}
TEST(seeds, mean_of_sums_at_100) { check_mean_of_sums(100); }
TEST(seeds, mean_of_sums_at_1000) { check_mean_of_sums(1000); }
TEST(seeds, mean_of_sums_at_2000) { check_mean_of_sums(2000); }

// Too large for a double reference by plain loops in the time of a test: ones have a known sum.
TEST(seeds, mean_of_sums_at_16384) {
  if (!is_on_device) GTEST_SKIP() << "2 GiB of operands; run on a device";
  tn::tensor<float, tn::dyn, tn::dyn> x(16384, 16384), y(16384, 16384);
  auto const f = tn::compile(
      [](auto x, auto y) { return tn::mean(tn::sum(tn::relu((x + y) * 2), tn::axis<1>)); });
  auto const repeat =
      tn::compile([](auto value) { return tn::broadcast_to(value, tn::shape<16384, 16384>); });
  array<float, 0> x_value({}, arrangement::contiguous, doubles({}, {0.25})),
      y_value({}, arrangement::contiguous, doubles({}, {0.5}));
  repeat.into(x)(x_value.view());
  repeat.into(y)(y_value.view());
  double const expected = 1.5 * 16384;
  EXPECT_NEAR(f(x, y).item(), expected, expected * sum_roundoffs(16384 * 16384) * 0x1p-24);
}

TEST(seeds, gelu_of_layer_norm) {
  auto x = random_array<float, 2>({64 * 128, 512});
  tn::view<float, 64, 128, 512> const shaped(x.data());
  auto const f =
      tn::compile([](auto x) { return tn::gelu(tn::layer_norm(x, tn::axis<-1>)) * 1.2 + 0.1; });
  static_assert(tn::launches(f, shaped) == 1);
  doubles const normal = reference::layer_norm(x.values(), 0b10, 1e-5);
  doubles expected =
      reference::elementwise([](double v) { return reference::gelu(v) * 1.2 + 0.1; }, normal);
  doubles scale = reference::elementwise([](double v) { return std::fabs(v) + 4; }, normal);
  expected.extents = scale.extents = {64, 128, 512};
  check_close(tn::dtype::f32, result_of(f(shaped)), expected,
              {.arithmetic = sum_roundoffs(512) + 16, .scale = &scale});
}

TEST(seeds, sine_plus_cosine) {
  auto x = random_array<float, 1>({100003}, arrangement::contiguous, -100, 100);
  auto const f = tn::compile([](auto x) { return tn::sin(x) + tn::cos(x); });
  doubles const expected =
      reference::elementwise([](double v) { return std::sin(v) + std::cos(v); }, x.values());
  doubles const scale = reference::elementwise([](double) { return 2.0; }, expected);
  check_close(tn::dtype::f32, result_of(f(x.view())), expected, {.arithmetic = 4, .scale = &scale});
}

TEST(seeds, relu_of_line_as_half) {
  auto x = random_array<float, 1>({100003});
  auto const f = tn::compile([](auto x) { return tn::cast<tn::half>(tn::relu(x * 2 + 1)); });
  auto const result = f(x.view());
  static_assert(std::is_same_v<decltype(result)::element_type, tn::half>);
  doubles const expected =
      reference::elementwise([](double v) { return reference::relu(v * 2 + 1); }, x.values());
  check_close(tn::dtype::f16, result_of(result), expected, {.absolute = 0x1p-22});
}

TEST(seeds, softmax) {
  auto x = random_array<float, 2>({100, 100});
  auto const f = tn::compile([](auto x) { return tn::softmax(x, tn::axis<1>); });
  auto const rows = x.view();
  static_assert(tn::launches(f, rows) == 1);
  check_close(tn::dtype::f32, result_of(f(rows)), reference::softmax(x.values(), 0b10),
              {.arithmetic = 16 + sum_roundoffs(100)});
}

TEST(seeds, branch_by_build_time_flag) {
  auto x = random_array<float, 1>({4099});
  auto const f = tn::compile([](auto x, auto is_gate) {
    if constexpr (is_gate)
      return tn::sigmoid(x) * 2;
    else
      return tn::tanh(x);
  });
  for (bool is_gate : {true, false}) {
    auto const exact = [is_gate](double v) {
      return is_gate ? reference::sigmoid(v) * 2 : std::tanh(v);
    };
    check_close(tn::dtype::f32, result_of(f(x.view(), tn::one_of<true, false>(is_gate))),
                reference::elementwise(exact, x.values()), {.arithmetic = 10});
  }
}

}  // namespace
