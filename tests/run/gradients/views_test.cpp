// SPDX-License-Identifier: Apache-2.0
// Gradients through views: each element's derivative goes back to where it was read.
#include "run/gradients/support.hpp"
#include "tenon/tenon.hpp"

namespace {

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

// Parts in another order: the one operand is read at positions that vary, and at one that does not.
TEST(gradients, through_parts_in_another_order) {
  auto const f = tn::vjp([](auto x) {
    return tn::cos(tn::concat(tn::slice(x, tn::axis<0>, tn::range<1, tn::end>),
                              tn::slice(x, tn::axis<0>, tn::range<0, 1>), tn::axis<0>));
  });
  tn::tensor<float, 3, 33> x;
  matrix values = random_matrix(3, 33), d = random_matrix(3, 33);
  tn::copy(x, values.view());
  doubles const a = values.values(), w = d.values();
  expect_gradient(f(x, d.view()), like(a, [&](std::int64_t i) { return -std::sin(a[i]) * w[(i + 66) % 99]; }), 1, "x");
}

// Rolled along both axes, either way and by more than there is: each way back is a roll, not a sum by index, of which a
// kernel has one.
TEST(gradients, through_two_rolls) {
  matrix x = random_matrix(rows, columns), d = random_matrix(rows, columns);
  auto const f = tn::vjp([](auto x) {
    return tn::square(tn::roll(tn::roll(x, tn::axis<0>, -2), tn::axis<1>, 40));
  });
  doubles const a = x.values(), w = d.values();
  expect_gradient(f(x.view(), d.view()), like(a, [&](std::int64_t i) {
                    std::int64_t const row = (i / columns + rows - 2) % rows, column = (i % columns + 40) % columns;
                    return 2 * a[i] * w[row * columns + column];
                  }), 1, "x");
}

// A softmax and a normalisation of joined rows: what goes back to one of them is a part of what is computed.
TEST(gradients, through_reductions_of_a_concat) {
  using left_rows = tn::view<float const, tn::dyn, 20>;
  using right_rows = tn::view<float const, tn::dyn, 13>;
  auto const softmax = [](auto x, auto y) { return tn::softmax(tn::concat(x, y, tn::axis<1>), tn::axis<1>); };
  auto const of_left = tn::vjp(softmax, tn::wrt<0>);
  auto const of_right = tn::vjp(softmax, tn::wrt<1>);
  matrix x = random_matrix(rows, 20), y = random_matrix(rows, 13), d = random_matrix(rows, columns);
  doubles const a = x.values(), b = y.values(), w = d.values();
  doubles left = a, right = b;
  for (std::int64_t r = 0; r < rows; ++r) {
    double total = 0, mean = 0;
    auto const e = [&](std::int64_t c) { return std::exp(c < 20 ? a[r * 20 + c] : b[r * 13 + c - 20]); };
    for (std::int64_t c = 0; c < columns; ++c) total += e(c);
    for (std::int64_t c = 0; c < columns; ++c) mean += e(c) / total * w[r * columns + c];
    for (std::int64_t c = 0; c < columns; ++c)
      (c < 20 ? left[r * 20 + c] : right[r * 13 + c - 20]) = e(c) / total * (w[r * columns + c] - mean);
  }
  left_rows const xs(x.view().data(), rows);
  right_rows const ys(y.view().data(), rows);
  expect_gradient(of_left(xs, ys, d.view()), left, columns, "left");
  expect_gradient(of_right(xs, ys, d.view()), right, columns, "right");
}

// Windows that overlap, meet or leave something out between them, along one axis and along two, of which the kernel of the
// way back would have two sums by index.
template <int Size, int Step>
void check_windows() {
  matrix x = random_matrix(rows, columns);
  auto const f = tn::vjp([](auto x) { return tn::square(tn::unfold(x, tn::axis<1>, tn::ct<Size>, tn::ct<Step>)); });
  constexpr std::int64_t count = (columns - Size) / Step + 1;
  auto d = random_array<float, 3>({rows, count, Size});
  doubles const a = x.values(), w = d.values();
  doubles expected(a.extents);
  for (std::int64_t i = 0; i < w.size(); ++i) {
    std::int64_t const at = i / (count * Size) * columns + i / Size % count * Step + i % Size;
    expected[at] += 2 * a[at] * w[i];
  }
  expect_gradient(f(x.view(), d.view()), expected, Size, "windows");
}
TEST(gradients, through_windows) {
  check_windows<4, 1>();
  check_windows<5, 2>();
  check_windows<3, 3>();
  check_windows<2, 7>();
  auto const f = tn::vjp([](auto x) {
    auto const of_rows = tn::unfold(x, tn::axis<0>, tn::ct<3>, tn::ct<2>);
    return tn::unfold(of_rows, tn::axis<1>, tn::ct<2>, tn::ct<1>);
  });
  matrix x = random_matrix(rows, columns);
  auto d = random_array<float, 4>({4, columns - 1, 3, 2});
  doubles const w = d.values();
  doubles expected(x.values().extents);
  for (std::int64_t i = 0; i < w.size(); ++i)
    expected[(i / 6 / (columns - 1) * 2 + i / 2 % 3) * columns + i / 6 % (columns - 1) + i % 2] += w[i];
  expect_gradient(f(x.view(), d.view()), expected, 6, "windows of both axes");
}

}  // namespace
