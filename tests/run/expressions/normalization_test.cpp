// SPDX-License-Identifier: Apache-2.0
// softmax, log_softmax, layer_norm and rms_norm over the last and the first axis, four results of
// one kernel.
#include "run/support/arrays.hpp"
#include "run/support/axes.hpp"
#include "run/support/close.hpp"

namespace {

template <int Axis> struct normalized {
  template <class X> constexpr auto operator()(X x) const {
    constexpr auto along = tn::axis<Axis>;
    return tn::outputs(tn::softmax(x, along), tn::log_softmax(x, along), tn::layer_norm(x, along),
                       tn::rms_norm(x, along));
  }
};

template <class T, int Axis> void check_shape(extents_of_rank<2> const& extents) {
  constexpr tn::dtype type = tn::dtype_of<T>;
  constexpr unsigned axes = Axis == 0 ? 0b01 : 0b10;
  auto x = random_array<T, 2>(extents);
  reference::doubles const values = x.values();
  auto const [softmax, log_softmax, layer_norm, rms_norm] =
      tn::compile(normalized<Axis>{})(x.view());
  std::string const what = " of " + std::to_string(extents[0]) + " x " +
                           std::to_string(extents[1]) + ", axis " + std::to_string(Axis);
  double const roundoffs = 16 + sum_roundoffs(extents[Axis == 0 ? 0 : 1]);
  check_close(type, result_of(softmax), reference::softmax(values, axes), {.arithmetic = roundoffs},
              "softmax" + what);
  check_close(type, result_of(log_softmax), reference::log_softmax(values, axes),
              {.arithmetic = roundoffs}, "log_softmax" + what);
  // Operands of size 3 are centred before they are scaled to size 1; a row of one element has no
  // spread but epsilon.
  reference::doubles const layer_expected = reference::layer_norm(values, axes, 1e-5);
  reference::doubles const scale =
      reference::elementwise([](double r) { return std::fabs(r) + 4; }, layer_expected);
  check_close(type, result_of(layer_norm), layer_expected,
              {.arithmetic = roundoffs, .scale = &scale}, "layer_norm" + what);
  check_close(type, result_of(rms_norm), reference::rms_norm(values, axes, 1e-5),
              {.arithmetic = roundoffs}, "rms_norm" + what);
}

template <class T> void check_type() {
  for (std::int64_t length : {1, 31, 32, 33, 1023, 1024, 1025, 2048, 4099, 20011}) {
    check_shape<T, -1>({3, length});
    check_shape<T, 0>({length, 3});
  }
  // On CUDA: several blocks per row, then rows that no cluster holds.
  check_shape<T, -1>({2, 16385});
  check_shape<T, -1>({2, 70000});
  check_shape<T, -1>({2, 600011});
  check_shape<T, -1>({700, 100});
  check_shape<T, -1>({0, 7});
  check_shape<T, 0>({7, 0});
}

TEST(normalization, of_float) { check_type<float>(); }
TEST(normalization, of_double) { check_type<double>(); }
TEST(normalization, of_half) { check_type<tn::half>(); }
TEST(normalization, of_bfloat16) { check_type<tn::bfloat16>(); }

TEST(normalization, weight_bias_and_several_axes) {
  auto x = random_array<float, 3>({4, 33, 31});
  auto weight = random_array<float, 1>({31}), bias = random_array<float, 1>({31});
  auto const f = tn::compile([](auto x, auto weight, auto bias) {
    return tn::outputs(tn::layer_norm(x, weight, bias, tn::axis<1, 2>, 1e-3),
                       tn::rms_norm(x, weight, tn::axis<1, 2>));
  });
  auto const [layer, rms] = f(x.view(), weight.view(), bias.view());
  auto const scaled = [](double v, double w) { return v * w; };
  reference::doubles const values = x.values(),
                           unscaled = reference::layer_norm(values, 0b110, 1e-3);
  reference::doubles const expected =
      reference::elementwise([](double v, double w, double b) { return v * w + b; }, unscaled,
                             weight.values(), bias.values());
  reference::doubles const scale = reference::elementwise(
      [](double v, double w) { return (std::fabs(v) + 4) * std::fabs(w) + 3; }, unscaled,
      weight.values());
  check_close(tn::dtype::f32, result_of(layer), expected,
              {.arithmetic = sum_roundoffs(33 * 31), .scale = &scale}, "layer_norm");
  check_close(
      tn::dtype::f32, result_of(rms),
      reference::elementwise(scaled, reference::rms_norm(values, 0b110, 1e-5), weight.values()),
      {.arithmetic = sum_roundoffs(33 * 31)}, "rms_norm");
}

}  // namespace
