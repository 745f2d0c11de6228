// SPDX-License-Identifier: Apache-2.0
// Lesson 1: a lambda becomes one kernel. relu((x + y) * 2) at 100 x 100.

#include "support.hpp"

namespace tn = tenon;

// The lambda captures nothing; it is read while this file is compiled, and what it says becomes one kernel.
auto const scaled_relu = tn::compile([](auto x, auto y) { return tn::relu((x + y) * 2.0f); }, "scaled_relu");

template <class Space>
void lesson(Space, example::checker& check) {
  auto a = example::random(100 * 100, 1), b = example::random(100 * 100, 2);
  example::matrix<Space> x(a, 100, 100), y(b, 100, 100);

  static_assert(tn::launches(scaled_relu, x, y) == 1);
  example::matrix<Space> c = scaled_relu(x, y);  // one launch; the result is allocated on the call's stream

  example::matrix<Space> mine(100, 100);
  scaled_relu.into(mine)(x, y);  // the same into memory of the caller's

  std::vector<double> wanted;
  for (std::size_t k = 0; k < a.size(); ++k) wanted.push_back(std::max(0.0, (static_cast<double>(a[k]) + b[k]) * 2));
  check.compare("relu((x + y) * 2)", tn::to_vector(c), wanted, 2 * example::rounding);
  check.compare("the same into a tensor of the caller's", tn::to_vector(mine), wanted, 2 * example::rounding);
}

int main() {
  return example::run("pointwise", [](auto space, example::checker& check) { lesson(space, check); });
}
