// SPDX-License-Identifier: Apache-2.0
#pragma once
// Steps of optimizers.

#include "conformance/standard/support.hpp"

namespace standard {

template <class Rate, class Step, class X, class Gradient, class Squares>
constexpr auto adagrad(Rate rate, Step step, X x, Gradient gradient, Squares squares, double decay,
                       double epsilon, double norm) {
  auto g = norm * x + gradient;
  auto h = squares + tn::square(g);
  return std::tuple(like(x, x - rate / (1 + step * decay) * g / (tn::sqrt(h) + epsilon)), h);
}
template <class Rate, class Step, class X, class Gradient, class V, class H>
constexpr auto adam(Rate rate, Step step, X x, Gradient gradient, V first, H second, double alpha,
                    double beta, double epsilon, double norm, double norm_post) {
  auto g = norm * x + gradient;
  auto v = alpha * first + (1 - alpha) * g;
  auto h = beta * second + (1 - beta) * tn::square(g);
  auto power = [&](double base) { return tn::pow(base, like(rate, step)); };
  auto corrected = tn::where(step > 0, rate * tn::sqrt(1 - power(beta)) / (1 - power(alpha)), rate);
  return std::tuple((1 - norm_post) * (x - corrected * v / (tn::sqrt(h) + epsilon)), v, h);
}
template <bool IsNesterov, class Rate, class Step, class X, class Gradient, class V>
constexpr auto momentum(Rate rate, Step step, X x, Gradient gradient, V velocity, double alpha,
                        double beta, double norm) {
  auto g = norm * x + gradient;
  auto v = alpha * velocity + tn::where(step > 0, beta, 1.0) * g;
  if constexpr (IsNesterov)
    return std::tuple(x - rate * (g + alpha * v), v);
  else
    return std::tuple(x - rate * v, v);
}

}  // namespace standard
