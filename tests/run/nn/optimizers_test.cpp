// SPDX-License-Identifier: Apache-2.0
// Optimizer steps against the same recurrences in double; activations and blends that are composites.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"

#include "tenon/nn/activation.hpp"
#include "tenon/nn/blend.hpp"
#include "tenon/nn/optimizer.hpp"

namespace {

using reference::doubles;
using reference::elementwise;
constexpr std::int64_t count = 1031;

void expect_close(auto const& tensor, doubles const& expected, char const* what) {
  doubles const scale = elementwise([](double v) { return std::fabs(v) + 3; }, expected);
  check_close(tn::dtype_of<typename std::remove_cvref_t<decltype(tensor)>::element_type>, result_of(tensor), expected, {.arithmetic = 8, .scale = &scale}, what);
}

TEST(optimizers, sgd) {
  auto p = random_array<float, 1>({count}), g = random_array<float, 1>({count}), v = random_array<float, 1>({count});
  auto const f = tn::compile([](auto p, auto g, auto rate) { return tn::outputs(tn::sgd(p, g, rate), tn::sgd(p, g, rate, 0.1)); });
  auto const [plain, decayed] = f(p.view(), g.view(), 0.25f);
  expect_close(plain, elementwise([](double x, double d) { return x - 0.25 * d; }, p.values(), g.values()), "sgd");
  expect_close(decayed, elementwise([](double x, double d) { return x - 0.25 * (d + 0.1 * x); }, p.values(), g.values()), "sgd with decay");
  auto const h = tn::compile([](auto p, auto g, auto v, auto rate) { return tn::sgd_momentum(p, g, v, rate, 0.8, 0.01); });
  auto const [moved, velocity] = h(p.view(), g.view(), v.view(), 0.25f);
  auto speed = [](double x, double d, double u) { return 0.8 * u + d + 0.01 * x; };
  expect_close(velocity, elementwise(speed, p.values(), g.values(), v.values()), "velocity");
  expect_close(moved, elementwise([&](double x, double d, double u) { return x - 0.25 * speed(x, d, u); }, p.values(), g.values(), v.values()), "momentum");
}

// Steps 1 (where 1 - beta^step cancels), 10 and 100000; the parameter in float, and in bfloat16 beside a state in float.
template <class T> void check_adam() {
  auto p = random_array<T, 1>({count}), g = random_array<T, 1>({count});
  auto m = random_array<float, 1>({count}), v = random_array<float, 1>({count}, arrangement::contiguous, 0.1, 2);
  auto const l2 = tn::compile([](auto p, auto g, auto m, auto v, auto step, auto rate) { return tn::adam(p, g, m, v, step, rate, 0.9, 0.999, 1e-8, 0.1); });
  auto const decoupled = tn::compile([](auto p, auto g, auto m, auto v, auto step, auto rate) { return tn::adamw(p, g, m, v, step, rate); });
  for (float step : {1.0f, 10.0f, 100000.0f}) {
    auto first = [](double d, double a) { return 0.9 * a + 0.1 * d; };
    auto second = [](double d, double b) { return 0.999 * b + 0.001 * d * d; };
    auto moved = [&](double start, double d, double a, double b) {
      double const length = std::sqrt(second(d, b) / (1 - std::pow(0.999, step))) + 1e-8;
      return start - 0.01 / (1 - std::pow(0.9, step)) * first(d, a) / length;
    };
    {
      auto const [parameter, one, two] = decoupled(p.view(), g.view(), m.view(), v.view(), step, 0.01f);
      static_assert(tn::dtype_of<typename std::remove_cvref_t<decltype(parameter)>::element_type> == tn::dtype_of<T>);
      expect_close(one, elementwise(first, g.values(), m.values()), "first moment");
      expect_close(two, elementwise(second, g.values(), v.values()), "second moment");
      expect_close(parameter, elementwise([&](double x, double d, double a, double b) { return moved(x * (1 - 0.01 * 0.01), d, a, b); }, p.values(), g.values(), m.values(), v.values()), "adamw");
    }
    auto const [parameter, one, two] = l2(p.view(), g.view(), m.view(), v.view(), step, 0.01f);
    expect_close(one, elementwise([&](double x, double d, double a) { return first(d + 0.1 * x, a); }, p.values(), g.values(), m.values()), "first moment with decay");
    expect_close(parameter, elementwise([&](double x, double d, double a, double b) { return moved(x, d + 0.1 * x, a, b); }, p.values(), g.values(), m.values(), v.values()), "adam");
  }
}
TEST(optimizers, adam) { check_adam<float>(); }
TEST(optimizers, adam_of_bfloat16) { check_adam<tn::bfloat16>(); }

// A step that is an integer takes nothing from the precision of doubles.
TEST(optimizers, adam_of_double) {
  auto p = random_array<double, 1>({count}), g = random_array<double, 1>({count}), m = random_array<double, 1>({count});
  auto v = random_array<double, 1>({count}, arrangement::contiguous, 0.1, 2);
  auto const f = tn::compile([](auto p, auto g, auto m, auto v, auto step, auto rate) { return tn::adam(p, g, m, v, step, rate); });
  for (int step : {1, 3, 1000}) {
    auto moved = [&](double x, double d, double a, double b) {
      double const length = std::sqrt((0.999 * b + 0.001 * d * d) / -std::expm1(step * std::log(0.999))) + 1e-8;
      return x - 0.25 / -std::expm1(step * std::log(0.9)) * (0.9 * a + 0.1 * d) / length;
    };
    auto const results = f(p.view(), g.view(), m.view(), v.view(), step, 0.25);
    expect_close(tn::get<0>(results), elementwise(moved, p.values(), g.values(), m.values(), v.values()), "adam of doubles");
  }
}

TEST(composites, of_elements) {
  auto x = random_array<float, 1>({count}, arrangement::contiguous, -8, 8), y = random_array<float, 1>({count}), z = random_array<float, 1>({count}, arrangement::contiguous, 0.5, 2);
  auto const f = tn::compile([](auto x, auto y, auto z) {
    return tn::outputs(tn::relu6(x), tn::hardtanh(x), tn::hardtanh(x, -2, 3), tn::prelu(x, y), tn::celu(x), tn::celu(x, 0.5), tn::swiglu(x, y),
                       tn::lerp(x, y, z), tn::addcmul(x, y, z, 0.5), tn::addcdiv(x, y, z), tn::leaky_relu(x), tn::elu(x));
  });
  auto const [relu6, hardtanh, wide, prelu, celu, celu_half, swiglu, lerp, addcmul, addcdiv, leaky, elu] = f(x.view(), y.view(), z.view());
  doubles const a = x.values(), b = y.values(), c = z.values();
  expect_close(relu6, elementwise([](double v) { return std::fmin(std::fmax(v, 0), 6); }, a), "relu6");
  expect_close(hardtanh, elementwise([](double v) { return std::fmin(std::fmax(v, -1), 1); }, a), "hardtanh");
  expect_close(wide, elementwise([](double v) { return std::fmin(std::fmax(v, -2), 3); }, a), "hardtanh of bounds");
  expect_close(prelu, elementwise([](double v, double w) { return v > 0 ? v : v * w; }, a, b), "prelu");
  expect_close(celu, elementwise([](double v) { return v > 0 ? v : std::expm1(v); }, a), "celu");
  expect_close(celu_half, elementwise([](double v) { return v > 0 ? v : 0.5 * std::expm1(v / 0.5); }, a), "celu of 0.5");
  expect_close(swiglu, elementwise([](double v, double w) { return v / (1 + std::exp(-v)) * w; }, a, b), "swiglu");
  doubles const sizes = elementwise([](double v, double w, double t) { return (std::fabs(v) + std::fabs(w)) * (1 + t); }, a, b, c);
  check_close(tn::dtype::f32, result_of(lerp), elementwise([](double v, double w, double t) { return v + t * (w - v); }, a, b, c), {.arithmetic = 4, .scale = &sizes}, "lerp");
  expect_close(addcmul, elementwise([](double v, double w, double t) { return v + 0.5 * w * t; }, a, b, c), "addcmul");
  expect_close(addcdiv, elementwise([](double v, double w, double t) { return v + w / t; }, a, b, c), "addcdiv");
  expect_close(leaky, elementwise([](double v) { return v > 0 ? v : v * 0.01; }, a), "leaky_relu");
  expect_close(elu, elementwise([](double v) { return v > 0 ? v : std::expm1(v); }, a), "elu");
}

}  // namespace
