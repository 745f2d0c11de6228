// SPDX-License-Identifier: Apache-2.0
// Every element by a statistic of the whole tensor or of its channel, in one launch.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"
#include "run/support/one_launch.hpp"

namespace {

using reference::all_axes;
using reference::doubles;
using reference::elementwise;
using reference::reduced;

void check_scaled_by_norm(std::int64_t count) {
  static auto const f =
      tn::compile([](auto x) { return x * tn::minimum(1.0f / tn::sqrt(tn::sum(x * x)), 1.0f); });
  auto x = random_array<float, 1>({count});
  array<float, 1> out({count});
  expect_one_launch([&](tn::stream on) { f.on(on).into(out.view())(x.view()); });
  doubles const squares = elementwise([](double v) { return v * v; }, x.values());
  double const norm = std::sqrt(reduced(squares, all_axes, false, reference::sum)[0]);
  check_close(tn::dtype::f32, out.result(),
              elementwise([=](double v) { return v * std::fmin(1 / norm, 1.0); }, x.values()),
              {.arithmetic = 8 + sum_roundoffs(count)}, "scaled by the norm");
}

void check_standardized(std::int64_t count) {
  static auto const f = tn::compile(
      [](auto x) { return (x - tn::mean(x)) * tn::rsqrt(tn::var(x, tn::correction<0>)); });
  auto x = random_array<float, 1>({count});
  array<float, 1> out({count});
  expect_one_launch([&](tn::stream on) { f.on(on).into(out.view())(x.view()); });
  doubles const expected = reference::layer_norm(x.values(), all_axes, 0);
  doubles const scale = elementwise([](double v) { return std::fabs(v) + 4; }, expected);
  check_close(tn::dtype::f32, out.result(), expected,
              {.arithmetic = 8 + sum_roundoffs(count), .scale = &scale}, "standardised");
}

void check_batch_norm(std::int64_t samples, std::int64_t channels, std::int64_t size) {
  static auto const f = tn::compile([](auto x) {
    constexpr auto along = tn::axis<0, 2, 3>;
    auto mean = tn::mean(x, along, tn::keepdim);
    auto variance = tn::var(x, along, tn::keepdim, tn::correction<0>);
    return tn::outputs((x - mean) * tn::rsqrt(variance + 1e-5f), tn::mean(x, along),
                       tn::var(x, along, tn::correction<0>));
  });
  auto x = random_array<float, 4>({samples, channels, size, size});
  array<float, 4> out({samples, channels, size, size});
  array<float, 1> mean({channels}), variance({channels});
  expect_one_launch(
      [&](tn::stream on) { f.on(on).into(out.view(), mean.view(), variance.view())(x.view()); });
  constexpr unsigned axes = 0b1101;
  doubles const values = x.values(), expected = reference::layer_norm(values, axes, 1e-5);
  doubles const scale = elementwise([](double v) { return std::fabs(v) + 4; }, expected);
  double const roundoffs = 8 + sum_roundoffs(samples * size * size);
  check_close(tn::dtype::f32, out.result(), expected, {.arithmetic = roundoffs, .scale = &scale},
              "batch norm");
  check_close(tn::dtype::f32, mean.result(), reduced(values, axes, false, reference::mean),
              {.arithmetic = roundoffs, .absolute = 3 * roundoffs * 0x1p-24}, "mean");
  check_close(tn::dtype::f32, variance.result(),
              reduced(values, axes, false,
                      [](reference::elements const& e) { return reference::variance(e, 0); }),
              {.arithmetic = 2 * roundoffs}, "variance");
}

// Powers of two at both ends, so that the scale and its inverse are exact.
void check_quantized(std::int64_t rows, std::int64_t columns) {
  using quantized = tn::float8_e4m3;
  static auto const f = tn::compile([](auto x) {
    auto values = tn::cast<float>(x);
    auto scale = 448.0f / tn::maximum(tn::max(tn::abs(values)), 1e-12f);
    return tn::outputs(tn::cast<quantized>(values * scale), 1.0f / scale);
  });
  doubles values = random_doubles<tn::bfloat16>({rows, columns}, -6, 6);
  values[values.size() / 2] = -7;  // the largest: 448 / 7 is 64
  array<tn::bfloat16, 2> x({rows, columns}, arrangement::contiguous, values);
  array<quantized, 2> out({rows, columns});
  array<float, 0> factor({});
  expect_one_launch([&](tn::stream on) { f.on(on).into(out.view(), factor.view())(x.view()); });
  EXPECT_EQ(factor.result()[0], 1.0 / 64);
  doubles const expected = elementwise(
      [](double v) { return as_double(quantized(static_cast<float>(v * 64))); }, x.values());
  EXPECT_EQ(out.result().values, expected.values);
}

TEST(one_launch, scaled_by_norm) {
  for (std::int64_t count : {1, 33, 100003, 4194304}) check_scaled_by_norm(count);
}
TEST(one_launch, standardized) {
  for (std::int64_t count : {33, 100003, 4194304}) check_standardized(count);
}
TEST(one_launch, batch_norm) {
  check_batch_norm(8, 16, 28);
  check_batch_norm(3, 5, 7);
}
// Channels that no block holds: in shared memory as a whole, in runs of an odd length, and more
// than shared memory holds.
TEST(one_launch, batch_norm_of_long_channels) {
  check_batch_norm(64, 3, 32);
  check_batch_norm(40, 2, 27);
  check_batch_norm(64, 40, 56);
}
TEST(one_launch, quantized_by_the_largest) {
  check_quantized(64, 1000);
  check_quantized(3, 7);
}

}  // namespace
