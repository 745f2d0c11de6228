// SPDX-License-Identifier: Apache-2.0
// Lesson 2: reductions are part of the same kernel. mean(sum(relu((x + y) * 2), axis 1)) at several sizes.

#include "support.hpp"

namespace tn = tenon;

auto const mean_of_sums = tn::compile([](auto x, auto y) {
  auto c = tn::relu((x + y) * 2.0f);
  return tn::mean(tn::sum(c, tn::axis<1>));
}, "mean_of_sums");

auto const with_silu = tn::compile([](auto x, auto y) {
  auto c = tn::silu(tn::relu((x + y) * 2.0f));
  return tn::mean(tn::sum(c, tn::axis<1>));
}, "with_silu");

// What follows the last reduction is computed once, by the block that finishes it.
auto const with_sigmoid = tn::compile([](auto x, auto y) {
  auto c = tn::silu(tn::relu((x + y) * 2.0f));
  return tn::sigmoid(tn::mean(tn::sum(c, tn::axis<1>))) * 10.0f;
}, "with_sigmoid");

template <class Space>
void at_size(Space, example::checker& check, int n) {
  std::printf(" %d x %d\n", n, n);
  std::int64_t count = std::int64_t{n} * n;
  // Small values keep the sigmoid of the mean away from 1.
  auto a = example::random(count, 1, -1.0 / n, 1.0 / n), b = example::random(count, 2, -1.0 / n, 1.0 / n);
  example::matrix<Space> x(a, n, n), y(b, n, n);
  static_assert(tn::launches(mean_of_sums, x, y) == 1 && tn::launches(with_silu, x, y) == 1 && tn::launches(with_sigmoid, x, y) == 1);

  double sum = 0, sum_of_silu = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    double c = std::max(0.0, (static_cast<double>(a[k]) + b[k]) * 2);
    sum += c;
    sum_of_silu += c / (1 + std::exp(-c));
  }
  double mean = sum / n, mean_of_silu = sum_of_silu / n;
  double allowed = example::sum_tolerance(static_cast<double>(count)) + 8 * example::rounding;
  check.compare("mean(sum(relu((x + y) * 2)))", std::vector{mean_of_sums(x, y).item()}, {mean}, allowed, 0.01);
  check.compare("mean(sum(silu(relu((x + y) * 2))))", std::vector{with_silu(x, y).item()}, {mean_of_silu}, allowed, 1e-6);
  check.compare("sigmoid(that) * 10", std::vector{with_sigmoid(x, y).item()}, {10 / (1 + std::exp(-mean_of_silu))}, allowed);
}

int main() {
  return example::run("sum and mean", [](auto space, example::checker& check) {
    for (int n : {100, 1000, 2000}) at_size(space, check, n);
    if constexpr (std::is_same_v<decltype(space), tn::cuda>) at_size(space, check, 16384);
  });
}
