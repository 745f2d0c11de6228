// SPDX-License-Identifier: Apache-2.0
// Lesson 5: softmax(x, axis 1) at 100 x 100, in the function form and in the statement form.

#include "support.hpp"

namespace tn = tenon;

auto const row_softmax = tn::compile([](auto x) { return tn::softmax(x, tn::axis<1>); }, "row_softmax");

template <class Space>
void lesson(Space, example::checker& check) {
  auto values = example::random(100 * 100, 1, -5, 5);
  example::matrix<Space> x(values, 100, 100), z(100, 100);

  std::vector<double> wanted;
  for (std::size_t row = 0; row < 100; ++row) {
    double sum = 0;
    for (std::size_t k = 0; k < 100; ++k) sum += std::exp(static_cast<double>(values[row * 100 + k]));
    for (std::size_t k = 0; k < 100; ++k) wanted.push_back(std::exp(static_cast<double>(values[row * 100 + k])) / sum);
  }
  double const allowed = 16 * example::rounding;

  static_assert(tn::launches(row_softmax, x) == 1);
  check.compare("function form", tn::to_vector(row_softmax(x)), wanted, allowed, 1e-3);

  z = tn::softmax(x, tn::axis<-1>);  // evaluated by the assignment, in one launch
  check.compare("statement form", tn::to_vector(z), wanted, allowed, 1e-3);

  z = tn::softmax(x * 0.5f + x * 0.5f, tn::axis<-1>);  // any expression; numbers are passed at the call
  check.compare("statement form of a longer expression", tn::to_vector(z), wanted, allowed, 1e-3);
}

int main() {
  return example::run("softmax", [](auto space, example::checker& check) { lesson(space, check); });
}
