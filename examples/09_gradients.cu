// SPDX-License-Identifier: Apache-2.0
// Lesson 9: gradients. A differentiated function is an expression like any other: fused, one launch, and differentiated again.

#include "support.hpp"
#include "tenon/grad.hpp"

namespace tn = tenon;

// The value and the gradient by the logits, of one sweep over them. Integers have no gradient.
auto const cross_entropy = tn::compile(tn::value_and_grad([](auto logits, auto labels) { return tn::cross_entropy(logits, labels); }), "cross_entropy");

// The backward pass of a layer: the cotangent, of the result's shape, comes last; three gradients, one launch.
auto const layer_norm_backward = tn::compile(tn::vjp([](auto x, auto weight, auto bias) { return tn::layer_norm(x, weight, bias); }), "layer_norm_backward");

// A step of gradient descent. The gradients are values of the expression, so the update is in the same launch.
auto const fit = tn::compile(
    [](auto x, auto y, auto height, auto rate) {
      auto loss = [](auto height, auto rate, auto x, auto y) { return tn::mse_loss(height * tn::tanh(rate * x), y); };
      auto [value, dheight, drate] = tn::value_and_grad(loss, tn::wrt<0, 1>)(height, rate, x, y);
      return tn::outputs(value, height - 0.5 * dheight, rate - 0.5 * drate);
    },
    "fit");

template <class Space>
void lesson_of_losses(Space, example::checker& check) {
  constexpr std::size_t rows = 64, classes = 10;
  auto const values = example::random(rows * classes, 1, -3, 3);
  std::vector<int> labels;
  for (std::size_t r = 0; r < rows; ++r) labels.push_back(static_cast<int>(r * 7 % classes));
  example::matrix<Space> logits(values, rows, classes);
  tn::basic_tensor<Space, int, tn::dyn> targets(labels, rows);
  static_assert(tn::launches(cross_entropy, logits, targets) == 1);
  auto const [loss, dlogits] = cross_entropy(logits, targets);

  std::vector<double> wanted;
  double total = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    double sum = 0;
    for (std::size_t c = 0; c < classes; ++c) sum += std::exp(static_cast<double>(values[r * classes + c]));
    auto const label = static_cast<std::size_t>(labels[r]);
    total += std::log(sum) - values[r * classes + label];
    for (std::size_t c = 0; c < classes; ++c)
      wanted.push_back((std::exp(static_cast<double>(values[r * classes + c])) / sum - (c == label)) / rows);
  }
  check.compare("cross entropy", std::vector<float>{loss.item()}, {total / rows}, 16 * example::rounding);
  check.compare("its gradient", tn::to_vector(dlogits), wanted, 16 * example::rounding, 1.0 / rows);
}

template <class Space>
void lesson_of_layers(Space, example::checker& check) {
  constexpr std::size_t rows = 50, columns = 128;
  auto const values = example::random(rows * columns, 2), slopes = example::random(rows * columns, 3);
  example::matrix<Space> x(values, rows, columns), dy(slopes, rows, columns);
  tn::basic_tensor<Space, float, tn::dyn> weight(example::random(columns, 4), columns), bias(example::random(columns, 5), columns);
  static_assert(tn::launches(layer_norm_backward, x, weight, bias, dy) == 1);
  auto const [dx, dweight, dbias] = layer_norm_backward(x, weight, bias, dy);

  std::vector<double> wanted(columns);
  for (std::size_t i = 0; i < slopes.size(); ++i) wanted[i % columns] += slopes[i];
  check.compare("gradient by the bias", tn::to_vector(dbias), wanted, rows * example::sum_tolerance(rows));
  // A row of x may be shifted and, but for epsilon, scaled without any effect.
  std::vector<double> shift(rows), none(rows);
  std::vector<float> const by_x = tn::to_vector(dx);
  for (std::size_t i = 0; i < by_x.size(); ++i) shift[i / columns] += by_x[i];
  check.compare("gradient by a shift of rows", shift, none, columns * example::sum_tolerance(columns));
}

template <class Space>
void lesson_of_descent(Space, example::checker& check) {
  constexpr std::size_t count = 4096;
  auto const places = example::random(count, 6, -3, 3);
  std::vector<float> heights;
  for (float x : places) heights.push_back(2.0f * std::tanh(0.75f * x));
  tn::basic_tensor<Space, float, tn::dyn> x(places, count), y(heights, count);
  tn::basic_tensor<Space, float, 1> height(std::vector<float>{1}), rate(std::vector<float>{1});
  static_assert(tn::launches(fit, x, y, height, rate) == 1);
  for (int step = 0; step < 200; ++step) {
    auto [loss, next_height, next_rate] = fit(x, y, height, rate);
    height = std::move(next_height), rate = std::move(next_rate);
  }
  check.compare("height and rate of the curve", std::vector<float>{tn::to_vector(height)[0], tn::to_vector(rate)[0]}, {2, 0.75}, 1e-4);
}

int main() {
  return example::run("gradients", [](auto space, example::checker& check) {
    lesson_of_losses(space, check);
    lesson_of_layers(space, check);
    lesson_of_descent(space, check);
  });
}
