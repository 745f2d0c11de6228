// SPDX-License-Identifier: Apache-2.0
// Lesson 4: element types. sin(x) + cos(x), and relu(x * 2 + 1) written as half: computed in float, rounded once.

#include "support.hpp"

namespace tn = tenon;

auto const wave = tn::compile([](auto x) { return tn::sin(x) + tn::cos(x); }, "wave");
auto const to_half = tn::compile([](auto x) { return tn::cast<tn::half>(tn::relu(x * 2.0f + 1.0f)); }, "to_half");

template <class Space>
void lesson(Space, example::checker& check) {
  auto values = example::random(1000 * 1000, 1, -10, 10);
  example::matrix<Space> x(values, 1000, 1000);
  static_assert(tn::launches(wave, x) == 1 && tn::launches(to_half, x) == 1);

  std::vector<double> waves, halves;
  for (double v : values) {
    waves.push_back(std::sin(v) + std::cos(v));
    halves.push_back(static_cast<double>(static_cast<float>(tn::half(static_cast<float>(std::max(0.0, v * 2 + 1))))));
  }
  check.compare("sin(x) + cos(x)", tn::to_vector(wave(x)), waves, 8 * example::rounding);

  tn::basic_tensor<Space, tn::half, tn::dyn, tn::dyn> h = to_half(x);
  // The float result may round to the neighbouring half where it lies in the middle of two.
  check.compare("half(relu(x * 2 + 1))", tn::to_vector(h), halves, 0x1p-10);

  // Half in, half out: a literal does not widen its operand, and memory traffic is half of float's.
  tn::basic_tensor<Space, tn::half, tn::dyn, tn::dyn> twice = tn::compile([](auto x) { return x * 2.0f; })(h);
  for (double& v : halves) v *= 2;
  check.compare("h * 2", tn::to_vector(twice), halves, 0x1p-10);
}

int main() {
  return example::run("sine, cosine and half", [](auto space, example::checker& check) { lesson(space, check); });
}
