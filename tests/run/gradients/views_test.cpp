// SPDX-License-Identifier: Apache-2.0
// Gradients through views, reads at indices, scans and choices: each element's derivative goes back to where it was read.
#include "run/gradients/support.hpp"
#include "tenon/tenon.hpp"

namespace {

constexpr std::int64_t rows = 9, columns = 33;

// The derivative of sum(weight * view) by the elements of x, where element i of the view is read at position `from(i)`, -1 for
// none.
template <class From>
doubles sent_back(doubles const& x, doubles const& weight, From const& from) {
  doubles result(x.extents);
  for (std::int64_t i = 0; i < weight.size(); ++i)
    if (std::int64_t const at = from(i); at >= 0) result[at] += weight[i];
  return result;
}

TEST(gradients, through_slices) {
  matrix x = random_matrix(rows, columns);
  auto const part = tn::vjp([](auto x) { return tn::slice(x, tn::axis<1>, tn::range<3, -4>); });
  auto const thinned = tn::vjp([](auto x) { return tn::slice(x, tn::axis<1>, tn::range<1, tn::end, 3>); });
  auto const backwards = tn::vjp([](auto x) { return tn::slice(x, tn::axis<1>, tn::range<-2, 4, -2>); });
  auto const flipped = tn::vjp([](auto x) { return tn::flip(x, tn::axis<0, 1>); });
  matrix dp = random_matrix(rows, 26), dt = random_matrix(rows, 11), db = random_matrix(rows, 14), df = random_matrix(rows, columns);
  doubles const a = x.values();
  auto const along_row = [](std::int64_t length, auto const& column) {
    return [=](std::int64_t i) { return i / length * columns + column(i % length); };
  };
  expect_gradient(part(x.view(), dp.view()), sent_back(a, dp.values(), along_row(26, [](std::int64_t j) { return j + 3; })), 1, "part");
  expect_gradient(thinned(x.view(), dt.view()), sent_back(a, dt.values(), along_row(11, [](std::int64_t j) { return 1 + 3 * j; })), 1, "thinned");
  expect_gradient(backwards(x.view(), db.view()), sent_back(a, db.values(), along_row(14, [](std::int64_t j) { return 31 - 2 * j; })), 1, "backwards");
  expect_gradient(flipped(x.view(), df.view()), sent_back(a, df.values(), [](std::int64_t i) { return rows * columns - 1 - i; }), 1, "flipped");
}

TEST(gradients, through_concat_and_pad) {
  matrix x = random_matrix(rows, columns), y = random_matrix(rows, 5), d = random_matrix(rows, columns + 5), dp = random_matrix(rows, columns + 3);
  auto const x_alone = tn::vjp([](auto x, auto y) { return tn::concat(x, y, tn::axis<1>); }, tn::wrt<0>);
  auto const y_alone = tn::vjp([](auto x, auto y) { return tn::concat(x, y, tn::axis<1>); }, tn::wrt<1>);
  auto const padded = tn::vjp([](auto x) { return tn::pad(x, tn::axis<1>, tn::widths<1, 2>, 7); });
  doubles const wd = d.values(), wp = dp.values();
  expect_gradient(x_alone(x.view(), y.view(), d.view()), like(x.values(), [&](std::int64_t i) { return wd[i / columns * (columns + 5) + i % columns]; }), 1, "first part");
  expect_gradient(y_alone(x.view(), y.view(), d.view()), like(y.values(), [&](std::int64_t i) { return wd[i / 5 * (columns + 5) + columns + i % 5]; }), 1, "second part");
  expect_gradient(padded(x.view(), dp.view()), like(x.values(), [&](std::int64_t i) { return wp[i / columns * (columns + 3) + i % columns + 1]; }), 1, "pad");
}

TEST(gradients, through_transpose_reshape_roll_and_tile) {
  matrix x = random_matrix(rows, columns), dt = random_matrix(columns, rows), dr = random_matrix(rows, columns), d3 = random_matrix(rows, 3 * columns);
  auto const transposed = tn::vjp([](auto x) { return tn::transpose(x) * 2; });
  auto const rolled = tn::vjp([](auto x, auto by) { return tn::roll(x, tn::axis<1>, by); });
  auto const tiled = tn::vjp([](auto x) { return tn::tile(x, tn::shape<1, 3>); });
  doubles const a = x.values(), wt = dt.values(), wr = dr.values(), w3 = d3.values();
  expect_gradient(transposed(x.view(), dt.view()), like(a, [&](std::int64_t i) { return 2 * wt[i % columns * rows + i / columns]; }), 1, "transpose");
  expect_gradient(rolled(x.view(), 5, dr.view()), like(a, [&](std::int64_t i) { return wr[i / columns * columns + (i % columns + 5) % columns]; }), 1, "roll");
  expect_gradient(tiled(x.view(), d3.view()), like(a, [&](std::int64_t i) {
                    std::int64_t const at = i / columns * 3 * columns + i % columns;
                    return w3[at] + w3[at + columns] + w3[at + 2 * columns];
                  }), 3, "tile");
  auto const reshaped = tn::grad([](auto x) { return tn::sum(tn::square(tn::sum(tn::reshape(x, tn::shape<27, 11>), tn::axis<1>))); });
  doubles sums({27});
  for (std::int64_t i = 0; i < a.size(); ++i) sums[i / 11] += a[i];
  expect_gradient(reshaped(x.view()), like(a, [&](std::int64_t i) { return 2 * sums[i / 11]; }), 11, "reshape");
}

TEST(gradients, of_embedding_are_summed_by_index) {
  auto const f = tn::vjp([](auto table, auto index) { return tn::embedding(table, index); });
  for (std::int64_t reads : {1, 40, 300}) {
    matrix table = random_matrix(11, 16), d = random_matrix(reads, 16);
    array<int, 1> index = random_array<int, 1>({reads}, arrangement::contiguous, -5, 5.99);  // negative ones count from the end
    doubles const at = index.values();
    expect_gradient(f(table.view(), index.view(), d.view()), sent_back(table.values(), d.values(), [&](std::int64_t i) {
                      auto const row = static_cast<std::int64_t>(at[i / 16]);
                      return (row < 0 ? row + 11 : row) * 16 + i % 16;
                    }), reads, "table");
  }
}

TEST(gradients, of_what_was_gathered) {
  matrix x = random_matrix(rows, columns);
  vector d = random_vector(rows);
  auto const one = tn::vjp([](auto x, auto index) { return tn::squeeze(tn::take_along_axis(x, tn::unsqueeze(index, tn::axis<1>), tn::axis<1>), tn::axis<1>); });
  array<int, 1> index = random_array<int, 1>({rows}, arrangement::contiguous, -33, 32.99);
  doubles const at = index.values();
  expect_gradient(one(x.view(), index.view(), d.view()), sent_back(x.values(), d.values(), [&](std::int64_t i) {
                    return i * columns + (static_cast<std::int64_t>(at[i]) + columns) % columns;
                  }), 1, "one of each row");
  auto several = random_array<int, 2>({rows, 4}, arrangement::contiguous, 0, 5.99);
  matrix ds = random_matrix(rows, 4);
  doubles const from = several.values();
  auto const some = tn::vjp([](auto x, auto index) { return tn::gather(x, index, tn::axis<1>); });
  expect_gradient(some(x.view(), several.view(), ds.view()), sent_back(x.values(), ds.values(), [&](std::int64_t i) {
                    return i / 4 * columns + static_cast<std::int64_t>(from[i]);
                  }), 4, "some of each row");
}

TEST(gradients, of_cumulative_sums) {
  matrix x = random_matrix(rows, columns), d = random_matrix(rows, columns);
  auto const f = tn::vjp([](auto x) { return tn::cumsum(x * x, tn::axis<1>); });
  auto const g = tn::vjp([](auto x) { return tn::cumsum(x, tn::axis<0>, tn::exclusive); });
  doubles const a = x.values(), w = d.values();
  expect_gradient(f(x.view(), d.view()), like(a, [&](std::int64_t i) {
                    double after = 0;
                    for (std::int64_t j = i; j < (i / columns + 1) * columns; ++j) after += w[j];
                    return 2 * a[i] * after;
                  }), columns, "cumsum");
  expect_gradient(g(x.view(), d.view()), like(a, [&](std::int64_t i) {
                    double after = 0;
                    for (std::int64_t j = i + columns; j < a.size(); j += columns) after += w[j];
                    return after;
                  }), rows, "exclusive cumsum");
}

// amax shares among equals, max_with_index gives all to the one it names.
TEST(gradients, of_the_greatest_of_equals) {
  doubles const values({2, 4}, {3, 1, 3, 3, 0, 5, 5, 2});
  matrix x({2, 4}, arrangement::contiguous, values);
  auto const shared = tn::grad([](auto x) { return tn::sum(tn::max(x, tn::axis<1>)); });
  auto const named = tn::grad([](auto x) { return tn::sum(tn::max_with_index(x, tn::axis<1>).values); });
  double const third = static_cast<double>(1.0f / 3);
  EXPECT_EQ(result_of(shared(x.view())).values, (std::vector<double>{third, 0, third, third, 0, 0.5, 0.5, 0}));
  EXPECT_EQ(result_of(named(x.view())).values, (std::vector<double>{1, 0, 0, 0, 0, 1, 0, 0}));
}

// Also beside zeros, where the product divided by the element would be NaN.
TEST(gradients, of_products) {
  doubles const values({4, 3}, {2, 3, 4, 2, 0, 4, 0, 3, 0, -1, 0.5, 2});
  matrix x({4, 3}, arrangement::contiguous, values);
  auto const f = tn::grad([](auto x) { return tn::sum(tn::prod(x, tn::axis<1>)); });
  EXPECT_EQ(result_of(f(x.view())).values, (std::vector<double>{12, 8, 6, 0, 8, 0, 0, 0, 0, 1, -2, -0.5}));
}

}  // namespace
