// SPDX-License-Identifier: Apache-2.0
// Gradients of reads at indices, of scans, and of reductions that choose or multiply.
#include "run/gradients/support.hpp"
#include "tenon/tenon.hpp"

namespace {

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

// By an index of two axes, in the middle of the operand; and of windows, which overlap.
TEST(gradients, of_reads_along_two_axes) {
  auto x = random_array<float, 3>({4, 5, 3});
  auto dw = random_array<float, 4>({4, 3, 3, 3});
  auto index = random_array<int, 2>({6, 7}, arrangement::contiguous, -5, 4.99);
  auto d = random_array<float, 4>({4, 6, 7, 3});
  auto const f = tn::vjp([](auto x, auto index) { return tn::take(x, index, tn::axis<1>); });
  doubles const at = index.values();
  expect_gradient(f(x.view(), index.view(), d.view()), sent_back(x.values(), d.values(), [&](std::int64_t i) {
                    auto const place = static_cast<std::int64_t>(at[i / 3 % 42]);
                    return i / 126 * 15 + (place + 5) % 5 * 3 + i % 3;
                  }), 42, "take");
  auto const windows = tn::vjp([](auto x) { return tn::unfold(x, tn::axis<1>, tn::ct<3>, tn::ct<1>); });
  expect_gradient(windows(x.view(), dw.view()), sent_back(x.values(), dw.values(), [](std::int64_t i) {
                    std::int64_t const window = i / 9 % 3, column = i / 3 % 3, element = i % 3;  // [4, windows, 3, elements]
                    return i / 27 * 15 + (window + element) * 3 + column;
                  }), 3, "unfold");
}

TEST(gradients, of_scatter_nd_add) {
  auto const f = tn::vjp([](auto base, auto index, auto updates) {
    return tn::scatter_nd_add(base, tn::reshape(index, tn::shape<-1, 2>), tn::square(updates));
  }, tn::wrt<2>);
  matrix base = random_matrix(5, 7), d = random_matrix(5, 7);
  vector updates = random_vector(3);
  array<int, 1> index({6}, arrangement::contiguous, doubles({6}, {1, 2, -1, -7, 1, 2}));
  std::int64_t const from[] = {1 * 7 + 2, 4 * 7 + 0, 1 * 7 + 2};
  doubles const w = d.values(), u = updates.values();
  expect_gradient(f(base.view(), index.view(), updates.view(), d.view()),
                  like(u, [&](std::int64_t i) { return 2 * u[i] * w[from[i]]; }), 1, "updates");
}

TEST(gradients, of_scatter_add) {
  matrix base = random_matrix(5, 7), d = random_matrix(5, 7), updates = random_matrix(9, 7);
  array<int, 1> index = random_array<int, 1>({9}, arrangement::contiguous, -5, 4.99);
  auto const add = [](auto base, auto index, auto updates) { return tn::scatter_add(base, tn::axis<0>, index, tn::square(updates)); };
  doubles const at = index.values(), w = d.values(), u = updates.values();
  expect_gradient(tn::vjp(add, tn::wrt<0>)(base.view(), index.view(), updates.view(), d.view()), w, 1, "base");
  expect_gradient(tn::vjp(add, tn::wrt<2>)(base.view(), index.view(), updates.view(), d.view()), like(u, [&](std::int64_t i) {
                    return 2 * u[i] * w[(static_cast<std::int64_t>(at[i / 7]) + 5) % 5 * 7 + i % 7];
                  }), 1, "updates");
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
