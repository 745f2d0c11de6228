// SPDX-License-Identifier: Apache-2.0
// Expressions whose arithmetic costs more than their memory traffic by far.
#include <cmath>

#include "run/support/arrays.hpp"
#include "run/support/close.hpp"

namespace {

// Each step contracts, so that roundoff does not grow along the chain.
constexpr int steps = 24;
constexpr auto chain = [](auto x, auto y) {
  auto v = x + 0.0f * y;
  for (int k = 0; k < steps; ++k) v = tn::sin(tn::tanh(v) * 0.5f + y);
  return v;
};
double chained(double x, double y) {
  double v = x + 0.0 * y;
  for (int k = 0; k < steps; ++k) v = std::sin(std::tanh(v) * 0.5 + y);
  return v;
}

TEST(long_expressions, of_every_arrangement) {
  auto const f = tn::compile(chain);
  for (extents_of_rank<2> const& shape :
       {extents_of_rank<2>{0, 5}, {1, 1}, {1, 31}, {33, 32}, {67, 129}})
    for (arrangement how : {arrangement::contiguous, arrangement::misaligned, arrangement::padded,
                            arrangement::transposed, arrangement::reversed}) {
      auto x = random_array<float, 2>(shape, how), y = random_array<float, 2>(shape, how);
      array<float, 2> z(shape, how);
      auto target = z.view();
      f.into(target)(x.view(), y.view());
      reference::doubles const a = x.values(), b = y.values();
      reference::doubles expected(x.shape());
      for (std::int64_t i = 0; i < shape[0] * shape[1]; ++i) expected[i] = chained(a[i], b[i]);
      check_close(
          tn::dtype::f32, z.result(), expected, {.arithmetic = 4, .absolute = 4e-6},
          std::to_string(shape[0]) + " x " + std::to_string(shape[1]) + ", " + to_string(how));
    }
}

TEST(long_expressions, reduced_to_one_value) {
  auto const f = tn::compile([](auto x, auto y) { return tn::mean(chain(x, y)); });
  for (extents_of_rank<1> const& shape : {extents_of_rank<1>{1}, {1023}, {70001}}) {
    auto x = random_array<float, 1>(shape), y = random_array<float, 1>(shape);
    array<float, 0> z({});
    auto target = z.view();
    f.into(target)(x.view(), y.view());
    reference::doubles const a = x.values(), b = y.values();
    double sum = 0;
    for (std::int64_t i = 0; i < shape[0]; ++i) sum += chained(a[i], b[i]);
    reference::doubles expected(z.shape());
    expected[0] = sum / static_cast<double>(shape[0]);
    check_close(tn::dtype::f32, z.result(), expected, {.arithmetic = 4, .absolute = 4e-6});
  }
}

// Of vectors of one element, an operand is repeated along its rows.
TEST(long_expressions, of_a_repeated_column) {
  auto const f = tn::compile(chain);
  for (std::int64_t length : {1, 2, 33}) {
    auto x = random_array<float, 2>({3, length}), y = random_array<float, 2>({3, 1});
    array<float, 2> z({3, length});
    f.into(z.view())(x.view(), dyn_view<float, 2>::with_strides(y.data(), {3, length}, {1, 0}));
    reference::doubles const a = x.values(), b = y.values();
    reference::doubles expected(x.shape());
    for (std::int64_t i = 0; i < 3 * length; ++i) expected[i] = chained(a[i], b[i / length]);
    check_close(tn::dtype::f32, z.result(), expected, {.arithmetic = 4, .absolute = 4e-6},
                "rows of " + std::to_string(length));
  }
}

}  // namespace
