// SPDX-License-Identifier: Apache-2.0
// Reductions over rows and over columns of the same data in one launch: sums and maxima of both,
// the columns of a softmax, the gradients of a layer normalisation.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"
#include "run/support/one_launch.hpp"

namespace {

using reference::all_axes;
using reference::doubles;
using reference::elementwise;
using reference::reduced;

constexpr unsigned over_rows = 0b01, over_columns = 0b10;
constexpr std::int64_t shapes[][2] = {{1, 1},     {33, 7},    {100, 1000}, {1025, 4096},
                                      {3000, 31}, {64, 9000}, {20000, 16}};

void check_sums(std::int64_t rows, std::int64_t columns) {
  static auto const f = tn::compile(
      [](auto x) { return tn::outputs(tn::sum(x, tn::axis<0>), tn::sum(x, tn::axis<1>)); });
  auto x = random_array<float, 2>({rows, columns});
  array<float, 1> of_columns({columns}), of_rows({rows});
  expect_one_launch(
      [&](tn::stream on) { f.on(on).into(of_columns.view(), of_rows.view())(x.view()); });
  auto const check = [&](array<float, 1> const& out, unsigned axes, std::int64_t count) {
    doubles const scale = reduced(x.values(), axes, false, reference::sum_of_magnitudes);
    check_close(tn::dtype::f32, out.result(), reduced(x.values(), axes, false, reference::sum),
                {.arithmetic = sum_roundoffs(count), .scale = &scale}, "sum");
  };
  check(of_columns, over_rows, rows);
  check(of_rows, over_columns, columns);
}

void check_maxima(std::int64_t rows, std::int64_t columns) {
  static auto const f = tn::compile([](auto x) {
    return tn::outputs(tn::max(x, tn::axis<0>), tn::max(x, tn::axis<1>), tn::max(x));
  });
  auto x = random_array<float, 2>({rows, columns});
  array<float, 1> of_columns({columns}), of_rows({rows});
  array<float, 0> of_all({});
  expect_one_launch([&](tn::stream on) {
    f.on(on).into(of_columns.view(), of_rows.view(), of_all.view())(x.view());
  });
  auto const expected = [&](unsigned axes) {
    return reduced(x.values(), axes, false, reference::max).values;
  };
  EXPECT_EQ(of_columns.result().values, expected(over_rows));
  EXPECT_EQ(of_rows.result().values, expected(over_columns));
  EXPECT_EQ(of_all.result().values, expected(all_axes));
}

void check_integers(std::int64_t rows, std::int64_t columns) {
  static auto const f = tn::compile([](auto x) {
    return tn::outputs(tn::sum(x, tn::axis<0>), tn::sum(x, tn::axis<1>), tn::sum(x));
  });
  auto x = random_array<std::int32_t, 2>({rows, columns});
  array<std::int64_t, 1> of_columns({columns}), of_rows({rows});
  array<std::int64_t, 0> of_all({});
  expect_one_launch([&](tn::stream on) {
    f.on(on).into(of_columns.view(), of_rows.view(), of_all.view())(x.view());
  });
  auto const expected = [&](unsigned axes) {
    return reduced(x.values(), axes, false, reference::sum).values;
  };
  EXPECT_EQ(of_columns.result().values, expected(over_rows));
  EXPECT_EQ(of_rows.result().values, expected(over_columns));
  EXPECT_EQ(of_all.result().values, expected(all_axes));
}

void check_sum_of_softmax(std::int64_t rows, std::int64_t columns) {
  static auto const f =
      tn::compile([](auto x) { return tn::sum(tn::softmax(x, tn::axis<-1>), tn::axis<0>); });
  auto x = random_array<float, 2>({rows, columns});
  array<float, 1> out({columns});
  expect_one_launch([&](tn::stream on) { f.on(on).into(out.view())(x.view()); });
  doubles const expected =
      reduced(reference::softmax(x.values(), over_columns), over_rows, false, reference::sum);
  check_close(tn::dtype::f32, out.result(), expected,
              {.arithmetic = 16 + sum_roundoffs(columns) + sum_roundoffs(rows)}, "sum of softmax");
}

void check_layer_norm_gradients(std::int64_t rows, std::int64_t columns) {
  static auto const f = tn::compile([](auto x, auto w, auto dy) {
    auto mean = tn::mean(x, tn::axis<-1>, tn::keepdim);
    auto variance = tn::var(x, tn::axis<-1>, tn::keepdim, tn::correction<0>);
    auto scale = tn::rsqrt(variance + 1e-5f);
    auto normal = (x - mean) * scale;
    auto h = dy * w;
    auto dx = (h - tn::mean(h, tn::axis<-1>, tn::keepdim) -
               normal * tn::mean(h * normal, tn::axis<-1>, tn::keepdim)) *
              scale;
    return tn::outputs(dx, tn::sum(dy * normal, tn::axis<0>), tn::sum(dy, tn::axis<0>));
  });
  auto x = random_array<float, 2>({rows, columns}), dy = random_array<float, 2>({rows, columns});
  auto w = random_array<float, 1>({columns});
  array<float, 2> dx({rows, columns});
  array<float, 1> dw({columns}), db({columns});
  expect_one_launch([&](tn::stream on) {
    f.on(on).into(dx.view(), dw.view(), db.view())(x.view(), w.view(), dy.view());
  });

  doubles const normal = reference::layer_norm(x.values(), over_columns, 1e-5);
  doubles const scale =
      elementwise([](double v) { return 1 / std::sqrt(v + 1e-5); },
                  reduced(x.values(), over_columns, true,
                          [](reference::elements const& e) { return reference::variance(e, 0); }));
  doubles const h = elementwise(std::multiplies<>(), dy.values(), w.values());
  doubles const of_h = reduced(h, over_columns, true, reference::mean);
  doubles const of_product =
      reduced(elementwise(std::multiplies<>(), h, normal), over_columns, true, reference::mean);
  doubles const expected = elementwise(
      [](double a, double n, double s, double m, double p) { return (a - m - n * p) * s; }, h,
      normal, scale, of_h, of_product);
  double const row_roundoffs = 32 + sum_roundoffs(columns);
  // Sizes before they cancel: h is up to 9, the normalised operand up to about 4.
  doubles const dx_scale = elementwise([](double s) { return 60 * s; }, scale);
  doubles const dx_sizes = elementwise([](double, double s) { return s; }, expected, dx_scale);
  check_close(tn::dtype::f32, dx.result(), expected,
              {.arithmetic = row_roundoffs, .scale = &dx_sizes}, "dx");
  doubles const products = elementwise(std::multiplies<>(), dy.values(), normal);
  doubles const product_sizes = elementwise(
      [](double g, double n) { return std::fabs(g) * (std::fabs(n) + 4); }, dy.values(), normal);
  doubles const dw_scale = reduced(product_sizes, over_rows, false, reference::sum),
                db_scale = reduced(dy.values(), over_rows, false, reference::sum_of_magnitudes);
  check_close(tn::dtype::f32, dw.result(), reduced(products, over_rows, false, reference::sum),
              {.arithmetic = row_roundoffs + sum_roundoffs(rows), .scale = &dw_scale}, "dw");
  check_close(tn::dtype::f32, db.result(), reduced(dy.values(), over_rows, false, reference::sum),
              {.arithmetic = sum_roundoffs(rows), .scale = &db_scale}, "db");
}

TEST(one_launch, sums_of_rows_and_columns) {
  for (auto const& [rows, columns] : shapes) check_sums(rows, columns);
}
TEST(one_launch, maxima_of_rows_columns_and_all) {
  for (auto const& [rows, columns] : shapes) check_maxima(rows, columns);
}
// Every block has what its tiles know of the total before it knows the rows.
TEST(one_launch, a_total_counts_every_row_once) {
  for (auto const& [rows, columns] : shapes) check_integers(rows, columns);
}
TEST(one_launch, column_sums_of_softmax) {
  for (auto const& [rows, columns] : shapes) check_sum_of_softmax(rows, columns);
}
TEST(one_launch, gradients_of_layer_norm) {
  for (auto const& [rows, columns] : shapes)
    if (columns > 1) check_layer_norm_gradients(rows, columns);
}

}  // namespace
