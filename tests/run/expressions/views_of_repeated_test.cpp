// SPDX-License-Identifier: Apache-2.0
// Views by positions, one of another, of expressions with an operand that is repeated along an axis.
#include "run/support/arrays.hpp"

namespace {

using reference::doubles;

TEST(views_of_repeated, rolled_along_both_axes) {
  auto const f = tn::compile([](auto x, auto column, auto row) {
    auto columns = tn::roll(x + column, tn::axis<1>, 2), rows = tn::roll(x * row, tn::axis<0>, 3);
    return tn::outputs(tn::roll(columns, tn::axis<0>, 3), tn::roll(rows, tn::axis<1>, 2));
  });
  auto x = random_array<int, 2>({5, 7}), column = random_array<int, 2>({5, 1}),
       row = random_array<int, 2>({1, 7});
  doubles const a = x.values(), c = column.values(), r = row.values();
  auto const one_column = tn::view<int const, tn::dyn, 1>::with_extents(column.data(), {5, 1});
  auto const one_row = tn::view<int const, 1, tn::dyn>::with_extents(row.data(), {1, 7});
  auto const [sums, products] = f(x.view(), one_column, one_row);
  doubles const sum = result_of(sums), product = result_of(products);
  for (std::int64_t k = 0; k < 35; ++k) {
    std::int64_t const i = (k / 7 + 2) % 5, j = (k % 7 + 5) % 7;
    EXPECT_EQ(sum[k], a[i * 7 + j] + c[i]) << k;
    EXPECT_EQ(product[k], a[i * 7 + j] * r[j]) << k;
  }
}

}  // namespace
