// SPDX-License-Identifier: Apache-2.0
// Scans from the end of each row to its beginning, of whole vectors and others, beside operands
// that lie either way: against plain loops.
#include <algorithm>

#include "run/support/arrays.hpp"

namespace {

using reference::doubles;
constexpr std::int64_t lengths[] = {1,   2,   4,    7,    8,    16,   24,   64,    100,
                                    256, 512, 1000, 1024, 2048, 4096, 8192, 20'000};

template <class T> double rounded(double v) { return as_double(from_double<T>(v)); }

template <class T> void check_sums() {
  static auto const sums =
      tn::compile([](auto x) { return tn::cumsum(x, tn::axis<1>, tn::reversed); });
  static auto const turned = tn::compile([](auto x) {
    return tn::flip(tn::cumsum(tn::flip(x, tn::axis<1>), tn::axis<1>), tn::axis<1>);
  });
  static auto const beside = tn::compile([](auto x, auto y) {
    return tn::cumsum(x - y, tn::axis<1>, tn::exclusive, tn::reversed) * 2 + y;
  });
  constexpr std::int64_t rows = 3;
  for (std::int64_t n : lengths)
    for (arrangement how : arrangements) {
      auto x = random_array<T, 2>({rows, n}, how, -1, 1),
           y = random_array<T, 2>({rows, n}, arrangement::contiguous, -1, 1);
      doubles const a = x.values(), b = y.values();
      doubles all(a.extents), others(a.extents);
      for (std::int64_t r = 0; r < rows; ++r) {
        double sum = 0, of_differences = 0;
        for (std::int64_t k = (r + 1) * n - 1; k >= r * n; --k) {
          all[k] = rounded<T>(sum += a[k]);
          others[k] = rounded<T>(of_differences * 2 + b[k]);
          of_differences += rounded<T>(a[k] - b[k]);
        }
      }
      ASSERT_EQ(result_of(sums(x.view())).values, all.values) << n << to_string(how);
      ASSERT_EQ(result_of(turned(x.view())).values, all.values) << n << to_string(how);
      ASSERT_EQ(result_of(beside(x.view(), y.view())).values, others.values) << n << to_string(how);
    }
}
TEST(backward_scans, sums) { check_sums<std::int32_t>(); }

// What a row has reached from its end, of numbers that are rounded once.
template <class T> void check_extrema() {
  static auto const f =
      tn::compile([](auto x) { return tn::cummax(x, tn::axis<1>, tn::reversed); });
  for (std::int64_t n : lengths)
    for (arrangement how : arrangements) {
      auto x = random_array<T, 2>({4, n}, how, -9, 9);
      array<T, 2> result({4, n}, how == arrangement::repeated ? arrangement::contiguous : how);
      doubles const a = x.values();
      doubles expected(a.extents);
      for (std::int64_t r = 0; r < 4; ++r) {
        double greatest = -1e9;
        for (std::int64_t k = (r + 1) * n - 1; k >= r * n; --k)
          expected[k] = greatest = std::max(greatest, a[k]);
      }
      f.into(result.view())(x.view());
      ASSERT_EQ(result.result().values, expected.values) << n << to_string(how);
    }
}
TEST(backward_scans, extrema) {
  check_extrema<float>();
  check_extrema<tn::bfloat16>();
  check_extrema<std::int8_t>();
}

}  // namespace
