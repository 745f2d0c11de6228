// SPDX-License-Identifier: Apache-2.0
// Lesson 6: a flag known while building selects a branch; a flag known at run time selects one of the two kernels.

#include "support.hpp"

namespace tn = tenon;

auto const gate = tn::compile([](auto x, auto uses_sigmoid) {
  if constexpr (uses_sigmoid)
    return tn::sigmoid(x) * 2.0f;
  else
    return tn::tanh(x) + 1.0f;
}, "gate");

template <class Space>
void lesson(Space, example::checker& check) {
  auto values = example::random(1000, 1, -4, 4);
  tn::basic_tensor<Space, float, tn::dyn> x(values, 1000);
  std::vector<double> sigmoid, tanh;
  for (double v : values) {
    sigmoid.push_back(2 / (1 + std::exp(-v)));
    tanh.push_back(std::tanh(v) + 1);
  }
  double const allowed = 8 * example::rounding;

  // The constant is part of the type: each call has its own specialization, without a branch in it.
  static_assert(tn::launches(gate, x, tn::ct<true>) == 1);
  check.compare("gate(x, ct<true>)", tn::to_vector(gate(x, tn::ct<true>)), sigmoid, allowed);
  check.compare("gate(x, ct<false>)", tn::to_vector(gate(x, tn::ct<false>)), tanh, allowed);

  // One dispatch at the call, then the same specializations.
  for (bool flag : {true, false})
    check.compare(flag ? "gate(x, one_of(true))" : "gate(x, one_of(false))", tn::to_vector(gate(x, tn::one_of<true, false>(flag))),
                  flag ? sigmoid : tanh, allowed);
}

int main() {
  return example::run("a flag known while building", [](auto space, example::checker& check) { lesson(space, check); });
}
