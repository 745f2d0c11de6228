// SPDX-License-Identifier: Apache-2.0
// Rows of several axes, channels and pixels, whose weights vary along the channels and along some
// of the rows' axes: needed by the reductions, or at places that indices name.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"

namespace {

using reference::doubles;

// Whole vectors and not, in registers and longer.
constexpr std::int64_t pixels[] = {1, 16, 33, 128, 1000, 6000};

template <class T> void check_reduced() {
  auto const soft = tn::compile([](auto x, auto w) {
    return tn::softmax(x * tn::unsqueeze(w, tn::axis<-1>), tn::axis<-2, -1>);
  });
  for (std::int64_t n : pixels)
    for (arrangement how : {arrangement::contiguous, arrangement::misaligned}) {
      auto x = random_array<T, 4>({2, 3, 4, n}, how);
      auto w = random_array<T, 2>({3, 4});
      doubles products = x.values();
      doubles const weights = w.values();
      for (std::int64_t i = 0; i < products.size(); ++i) products[i] *= weights[i / n % 12];
      check_close(tn::dtype_of<T>, result_of(soft(x.view(), w.view())),
                  reference::softmax(products, 0b1100), {.arithmetic = 24 + sum_roundoffs(4 * n)},
                  to_string(how) + " of " + std::to_string(n));
    }
}
TEST(rows_of_channels, weights_that_are_reduced) {
  check_reduced<float>();
  check_reduced<tn::bfloat16>();
}

TEST(rows_of_channels, weights_that_indices_name) {
  auto const soft = tn::compile([](auto x, auto table, auto index) {
    auto const w = tn::take(table, index, tn::axis<0>);
    return tn::softmax(x, tn::axis<-2, -1>) * tn::unsqueeze(w, tn::axis<-1>);
  });
  for (std::int64_t n : pixels) {
    auto x = random_array<float, 3>({3, 4, n});
    auto table = random_array<float, 2>({5, 4});
    array<int, 1> index({3}, arrangement::contiguous, doubles({3}, {3, 0, 4}));
    doubles expected = reference::softmax(x.values(), 0b110);
    doubles const weights = table.values(), rows = index.values();
    for (std::int64_t i = 0; i < expected.size(); ++i)
      expected[i] *= weights[static_cast<std::int64_t>(rows[i / n / 4]) * 4 + i / n % 4];
    check_close(tn::dtype::f32, result_of(soft(x.view(), table.view(), index.view())), expected,
                {.arithmetic = 24 + sum_roundoffs(4 * n)}, "of " + std::to_string(n));
  }
}

}  // namespace
