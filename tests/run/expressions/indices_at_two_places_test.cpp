// SPDX-License-Identifier: Apache-2.0
// One argument that is read at an index for each row, and at another one for each element of it.
#include "run/support/arrays.hpp"

namespace {

template <class T> void check_interleaved_and_windows() {
  auto const f = tn::compile([](auto x) {
    auto const repeated = tn::repeat_interleave(x, tn::axis<1>, tn::ct<21>);
    auto const padded = tn::pad(x, tn::axis<1>, tn::widths<1, 0>, tn::edge);
    auto const windows = tn::unfold(padded, tn::axis<1>, tn::ct<2>, tn::ct<1>);
    return tn::slice(repeated, tn::axis<1>, tn::range<20, 52>) + tn::min(windows, tn::axis<2>);
  });
  constexpr std::int64_t rows = 5, columns = 32;
  for (arrangement how : {arrangement::contiguous, arrangement::padded, arrangement::transposed}) {
    auto x = random_array<T, 2>({rows, columns}, how, -40, 40);
    reference::doubles const a = x.values(), found = result_of(f(x.view()));
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j) {
        double const before = a[i * columns + (j > 0 ? j - 1 : 0)];
        double const want = a[i * columns + (j + 20) / 21] + std::min(before, a[i * columns + j]);
        ASSERT_EQ(found[i * columns + j], static_cast<T>(want)) << i << ' ' << j << to_string(how);
      }
  }
}
TEST(indices_at_two_places, of_f32) { check_interleaved_and_windows<float>(); }
TEST(indices_at_two_places, of_i8) { check_interleaved_and_windows<std::int8_t>(); }

}  // namespace
