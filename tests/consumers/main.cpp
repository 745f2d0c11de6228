// SPDX-License-Identifier: Apache-2.0
// One expression on the CPU backend; exits with 0 when the value is right.

#include <tenon/tenon.hpp>

namespace tn = tenon;

int main() {
  auto f = tn::compile([](auto x) { return tn::relu(x * 2.0f); });
  tn::cpu::tensor<float, tn::dyn> x(4);
  for (int i = 0; i < 4; ++i) x.data()[i] = static_cast<float>(i) - 2.0f;
  auto y = f(x);
  return y.data()[0] == 0.0f && y.data()[3] == 2.0f ? 0 : 1;
}
