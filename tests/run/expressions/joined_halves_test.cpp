// SPDX-License-Identifier: Apache-2.0
// Rotations written out: the halves of the last axis computed apart and joined again, by tables of
// another type than what is rotated, which vectors of it read in several accesses.
#include "run/support/arrays.hpp"
#include "run/support/rotation.hpp"

namespace {

template <class T> struct joined_halves : testing::Test {};
using element_types = testing::Types<float, tn::half, tn::bfloat16, double>;
TYPED_TEST_SUITE(joined_halves, element_types);

template <class T, class Table, int Half> void check_rotations() {
  static auto const f = tn::compile([](auto x, auto c, auto s) {
    auto a = tn::slice(x, tn::axis<2>, tn::range<0, Half>),
         b = tn::slice(x, tn::axis<2>, tn::range<Half, 2 * Half>);
    auto const all = tn::concat(a * c - b * s, b * c + a * s, tn::axis<2>);
    return tn::cast<T>(all);
  });
  for (arrangement how : writable_arrangements) {
    auto x = random_array<T, 3>({3, 5, 2 * Half}, how), result = array<T, 3>({3, 5, 2 * Half}, how);
    auto c = random_array<Table, 2>({5, Half}), s = random_array<Table, 2>({5, Half});
    f.into(result.view())(x.view(), c.view(), s.view());
    expect_close<T>(result.result(), {x.values(), c.values(), s.values()}, to_string(how));
  }
}

TYPED_TEST(joined_halves, by_tables_of_any_type) {
  check_rotations<TypeParam, float, 64>();
  check_rotations<TypeParam, double, 32>();
  check_rotations<TypeParam, float, 12>();
}

}  // namespace
