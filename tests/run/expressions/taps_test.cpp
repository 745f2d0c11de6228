// SPDX-License-Identifier: Apache-2.0
// Convolutions along an axis, with a few weights for each channel that lie beside each other or
// apart.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"

namespace {

using reference::doubles;

template <bool AreBeside> auto convolution() {
  return tn::compile([](auto x, auto w, auto b) {
    auto const all = tn::pad(x, tn::axis<1>, tn::widths<3, 0>, 0);
    auto const tap = [&](auto k) { return tn::select(w, tn::axis < AreBeside ? 1 : 0 >, k); };
    return tn::slice(all, tn::axis<1>, tn::range<0, -3>) * tap(tn::ct<0>) +
           tn::slice(all, tn::axis<1>, tn::range<1, -2>) * tap(tn::ct<1>) +
           tn::slice(all, tn::axis<1>, tn::range<2, -1>) * tap(tn::ct<2>) + x * tap(tn::ct<3>) + b;
  });
}

template <bool AreBeside, class T> void check(std::int64_t times, std::int64_t channels) {
  auto const f = convolution<AreBeside>();
  for (arrangement how : arrangements) {
    auto x = random_array<T, 3>({2, times, channels}, how);
    auto w = AreBeside ? random_array<T, 2>({channels, 4}, how) : random_array<T, 2>({4, channels});
    auto b = random_array<T, 1>({channels});
    doubles const given = x.values(), weights = w.values(), bias = b.values();
    doubles expected({2, times, channels}), scale({2, times, channels});
    for (std::int64_t k = 0; k < expected.size(); ++k) {
      std::int64_t const c = k % channels, t = k / channels % times;
      expected[k] = bias[c], scale[k] = std::fabs(bias[c]);
      for (int tap = 0; tap < 4; ++tap) {
        if (t + tap < 3) continue;
        double const term =
            given[k - (3 - tap) * channels] * weights[AreBeside ? 4 * c + tap : tap * channels + c];
        expected[k] += term, scale[k] += std::fabs(term);
      }
    }
    check_close(tn::dtype_of<T>, result_of(f(x.view(), w.view(), b.view())), expected,
                {.arithmetic = 8, .scale = &scale},
                std::to_string(times) + " x " + std::to_string(channels) + ", " + to_string(how));
  }
}

TEST(taps, beside_each_other) {
  for (std::int64_t times : {1, 2, 5, 33})
    for (std::int64_t channels : {1, 7, 8, 64, 100, 256})
      check<true, float>(times, channels), check<true, tn::bfloat16>(times, channels);
}
TEST(taps, apart) {
  for (std::int64_t times : {1, 5, 33})
    for (std::int64_t channels : {1, 7, 64})
      check<false, float>(times, channels), check<false, tn::bfloat16>(times, channels);
}

}  // namespace
