// SPDX-License-Identifier: Apache-2.0
// Batch, instance and group normalisation against loops in double.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"

#include "tenon/nn/group_norm.hpp"

namespace {

using reference::doubles;
using reference::elementwise;
constexpr std::int64_t channels = 12;

// [C] as [C, 1, 1]
doubles along_channels(doubles v) {
  v.extents = {channels, 1, 1};
  return v;
}
doubles scaled(doubles const& x, doubles const& weight, doubles const& bias) {
  return elementwise([](double v, double w, double b) { return v * w + b; }, x, along_channels(weight), along_channels(bias));
}
void expect_normalized(auto const& tensor, doubles const& expected, std::int64_t count, std::string const& what) {
  doubles const scale = elementwise([](double v) { return std::fabs(v) + 12; }, expected);
  check_close(tn::dtype::f32, result_of(tensor), expected, {.arithmetic = sum_roundoffs(count), .scale = &scale}, what);
}

TEST(channel_norms, of_images) {
  for (std::int64_t samples : {1, 5})
    for (std::int64_t width : {3, 32, 131}) {
      std::string const what = " of " + std::to_string(samples) + " x 12 x 7 x " + std::to_string(width);
      auto x = random_array<float, 4>({samples, channels, 7, width});
      auto weight = random_array<float, 1>({channels}), bias = random_array<float, 1>({channels});
      doubles const values = x.values();
      std::int64_t const image = 7 * width;

      auto const one = tn::compile([](auto x, auto w, auto b) { return tn::outputs(tn::instance_norm(x), tn::instance_norm(x, w, b)); });
      auto const [instance, instance_scaled] = one(x.view(), weight.view(), bias.view());
      doubles const by_image = reference::layer_norm(values, 0b1100, 1e-5);
      expect_normalized(instance, by_image, image, "instance_norm" + what);
      expect_normalized(instance_scaled, scaled(by_image, weight.values(), bias.values()), image, "scaled instance_norm" + what);

      auto const two = tn::compile([](auto x, auto w, auto b) { return tn::batch_norm(x, w, b, 1e-3); });
      doubles const by_batch = reference::layer_norm(values, 0b1101, 1e-3);
      expect_normalized(two(x.view(), weight.view(), bias.view()), scaled(by_batch, weight.values(), bias.values()), samples * image, "batch_norm" + what);

      auto variance = random_array<float, 1>({channels}, arrangement::contiguous, 0.5, 3);
      auto const given = tn::compile([](auto x, auto m, auto v, auto w, auto b) { return tn::batch_norm_inference(x, m, v, w, b); });
      doubles const by_given = elementwise([](double e, double m, double v) { return (e - m) / std::sqrt(v + 1e-5); }, values, along_channels(bias.values()), along_channels(variance.values()));
      expect_normalized(given(x.view(), bias.view(), variance.view(), weight.view(), bias.view()), scaled(by_given, weight.values(), bias.values()), 1, "batch_norm_inference" + what);
    }
}

TEST(channel_norms, of_groups) {
  for (std::int64_t samples : {1, 3}) {
    auto x = random_array<float, 4>({samples, channels, 5, 33});
    auto weight = random_array<float, 1>({channels}), bias = random_array<float, 1>({channels});
    auto const plain = tn::compile([](auto x) { return tn::group_norm(x, tn::ct<4>); });
    auto const with_weights = tn::compile([](auto x, auto w, auto b) { return tn::group_norm(x, tn::ct<4>, w, b); });
    doubles grouped = x.values();
    grouped.extents = {samples, 4, channels / 4, 5, 33};
    doubles expected = reference::layer_norm(grouped, 0b11100, 1e-5);
    expected.extents = {samples, channels, 5, 33};
    expect_normalized(plain(x.view()), expected, 3 * 5 * 33, "group_norm");
    expect_normalized(with_weights(x.view(), weight.view(), bias.view()), scaled(expected, weight.values(), bias.values()), 3 * 5 * 33, "scaled group_norm");
  }
}

// What follows is computed before the groups are merged.
TEST(channel_norms, of_groups_and_after) {
  std::int64_t const samples = 3, height = 5, width = 32;
  auto x = random_array<float, 4>({samples, channels, height, width});
  auto weight = random_array<float, 1>({channels}), bias = random_array<float, 1>({channels});
  doubles grouped = x.values();
  grouped.extents = {samples, 4, channels / 4, height, width};
  doubles normal = reference::layer_norm(grouped, 0b11100, 1e-5);
  normal.extents = {samples, channels, height, width};
  doubles const values = scaled(normal, weight.values(), bias.values());
  std::int64_t const count = channels / 4 * height * width;

  auto const residual = tn::compile([](auto x, auto w, auto b) { return x + tn::silu(tn::group_norm(x, tn::ct<4>, w, b)); });
  expect_normalized(residual(x.view(), weight.view(), bias.view()),
                    elementwise([](double x, double v) { return x + reference::silu(v); }, x.values(), values), count, "x + silu(group_norm)");

  auto const last = tn::compile([](auto x, auto w, auto b) { return tn::relu(tn::transpose(tn::group_norm(x, tn::ct<4>, w, b), tn::axis<0, 2, 3, 1>)); });
  doubles expected = values;
  expected.extents = {samples, height, width, channels};
  for (std::int64_t s = 0; s < samples; ++s)
    for (std::int64_t c = 0; c < channels; ++c)
      for (std::int64_t k = 0; k < height * width; ++k)
        expected[(s * height * width + k) * channels + c] = std::fmax(0.0, values[(s * channels + c) * height * width + k]);
  expect_normalized(last(x.view(), weight.view(), bias.view()), expected, count, "relu(transpose(group_norm))");

  auto const total = tn::compile([](auto x, auto w, auto b) { return tn::mean(tn::square(tn::group_norm(x, tn::ct<4>, w, b))); });
  double mean = 0;
  for (std::int64_t i = 0; i < values.size(); ++i) mean += values[i] * values[i] / static_cast<double>(values.size());
  EXPECT_NEAR(result_of(total(x.view(), weight.view(), bias.view()))[0], mean, 1e-4);
}

TEST(channel_norms, running_statistics) {
  auto const plain = tn::compile([](auto x, auto m, auto v) {
    auto [values, mean, variance] = tn::batch_norm_training(x, m, v);
    return tn::outputs(values, mean, variance);
  });
  auto const scaled_by = tn::compile([](auto x, auto m, auto v, auto w, auto b) {
    auto [values, mean, variance] = tn::batch_norm_training(x, m, v, w, b, 0.25);
    return tn::outputs(values, mean, variance);
  });
  for (std::int64_t samples : {2, 5}) {
    auto x = random_array<float, 4>({samples, channels, 7, 33});
    auto mean = random_array<float, 1>({channels}), weight = random_array<float, 1>({channels}), bias = random_array<float, 1>({channels});
    auto variance = random_array<float, 1>({channels}, arrangement::contiguous, 0.5, 3);
    doubles const values = x.values();
    std::int64_t const image = 7 * 33, count = samples * image;
    auto const expect_statistics = [&](auto const& new_mean, auto const& new_variance, double momentum) {
      doubles const m = result_of(new_mean), v = result_of(new_variance);
      for (std::int64_t c = 0; c < channels; ++c) {
        double sum = 0, squares = 0;
        auto const each = [&](auto const& visit) {
          for (std::int64_t s = 0; s < samples; ++s)
            for (std::int64_t k = 0; k < image; ++k) visit(values[(s * channels + c) * image + k]);
        };
        each([&](double e) { sum += e; });
        double const centre = sum / static_cast<double>(count);
        each([&](double e) { squares += (e - centre) * (e - centre); });
        EXPECT_NEAR(m[c], (1 - momentum) * mean.values()[c] + momentum * centre, 1e-5);
        EXPECT_NEAR(v[c], (1 - momentum) * variance.values()[c] + momentum * squares / static_cast<double>(count - 1), 1e-5);
      }
    };
    doubles const normal = reference::layer_norm(values, 0b1101, 1e-5);
    auto const [y, m, v] = plain(x.view(), mean.view(), variance.view());
    expect_normalized(y, normal, count, "batch_norm_training");
    expect_statistics(m, v, 0.1);
    auto const [z, n, u] = scaled_by(x.view(), mean.view(), variance.view(), weight.view(), bias.view());
    expect_normalized(z, scaled(normal, weight.values(), bias.values()), count, "scaled batch_norm_training");
    expect_statistics(n, u, 0.25);
  }
}

}  // namespace
