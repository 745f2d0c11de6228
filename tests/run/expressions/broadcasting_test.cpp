// SPDX-License-Identifier: Apache-2.0
// Operands that are repeated: row and column vectors, rank 0, run-time scalars, build-time
// constants and literals; and views that an expression takes of its operands.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"

namespace {

using reference::doubles;
using reference::elementwise;

// A tensor of shape [E..., 1]: only a build-time extent of 1 repeats.
tn::view<float, tn::dyn, 1> as_column(array<float, 1>& x) {
  return tn::view<float, tn::dyn, 1>(x.data(), x.size());
}

TEST(broadcasting, rows_columns_and_scalars) {
  auto const f =
      tn::compile([](auto x, auto row, auto column, auto rank_0, auto number, auto constant) {
        return (x + row) * column - rank_0 * number + constant + 0.5;
      });
  for (extents_of_rank<2> shape :
       {extents_of_rank<2>{1, 1}, {33, 1025}, {1025, 33}, {3, 4099}, {0, 5}, {5, 0}}) {
    auto x = random_array<float, 2>(
        shape, shape[0] % 2 ? arrangement::contiguous : arrangement::transposed);
    auto row = random_array<float, 1>({shape[1]}), column = random_array<float, 1>({shape[0]});
    auto rank_0 = random_array<float, 0>({});
    doubles column_values = column.values();
    column_values.extents = {shape[0], 1};
    doubles const expected = elementwise(
        [](double a, double r, double c, double s) { return (a + r) * c - s * 1.5 + 3 + 0.5; },
        x.values(), row.values(), column_values, rank_0.values());
    doubles const scale = elementwise([](double) { return 30.0; }, expected);
    auto const result = f(x.view(), row.view(), as_column(column), rank_0.view(), 1.5f, tn::ct<3>);
    check_close(tn::dtype::f32, result_of(result), expected, {.arithmetic = 4, .scale = &scale},
                std::to_string(shape[0]));
  }
}

TEST(broadcasting, outer_product_of_vectors) {
  auto column = random_array<float, 1>({77}), row = random_array<float, 1>({1025});
  auto const f = tn::compile([](auto column, auto row) { return column * row; });
  doubles column_values = column.values();
  column_values.extents = {77, 1};
  check_close(tn::dtype::f32, result_of(f(as_column(column), row.view())),
              elementwise(std::multiplies<>(), column_values, row.values()));
}

TEST(broadcasting, batch_axes_and_middle_axes) {
  auto x = random_array<float, 3>({5, 7, 33});
  auto matrix = random_array<float, 2>({7, 33});
  auto batch = random_array<float, 1>({5});
  tn::view<float, tn::dyn, 1, 1> const per_batch(batch.data(), 5);
  auto const f =
      tn::compile([](auto x, auto matrix, auto per_batch) { return x * matrix + per_batch; });
  doubles batch_values = batch.values();
  batch_values.extents = {5, 1, 1};
  doubles const expected = elementwise([](double a, double m, double b) { return a * m + b; },
                                       x.values(), matrix.values(), batch_values);
  doubles const scale = elementwise([](double) { return 12.0; }, expected);
  check_close(tn::dtype::f32, result_of(f(x.view(), matrix.view(), per_batch)), expected,
              {.arithmetic = 2, .scale = &scale});
}

TEST(broadcasting, number_types_of_arguments) {
  auto x = random_array<float, 1>({1000});
  auto const f = tn::compile([](auto x, auto number) { return x * number; });
  for (double number : {2.0, -3.0}) {
    doubles const expected = elementwise([number](double v) { return v * number; }, x.values());
    check_close(tn::dtype::f32, result_of(f(x.view(), static_cast<float>(number))), expected, {},
                "float");
    check_close(tn::dtype::f32, result_of(f(x.view(), number)), expected, {}, "double");
    check_close(tn::dtype::f32, result_of(f(x.view(), static_cast<int>(number))), expected, {},
                "int");
  }
}

TEST(broadcasting, views_inside_the_expression) {
  auto x = random_array<float, 2>({33, 40}), y = random_array<float, 2>({40, 33});
  auto const transposed = tn::compile([](auto x, auto y) { return tn::transpose(x) + y; });
  auto const sliced =
      tn::compile([](auto x) { return tn::slice(x * 2, tn::axis<1>, tn::range<38, 1, -3>); });
  auto const flattened = tn::compile(
      [](auto x) { return tn::flatten(tn::slice(x, tn::axis<0>, tn::range<1, 3>) + 1); });
  doubles const a = x.values(), b = y.values();
  doubles sum({40, 33}), steps({33, 13}), pair({80});
  for (std::int64_t i = 0; i < 40; ++i)
    for (std::int64_t j = 0; j < 33; ++j) sum[i * 33 + j] = a[j * 40 + i] + b[i * 33 + j];
  for (std::int64_t i = 0; i < 33; ++i)
    for (std::int64_t j = 0; j < 13; ++j) steps[i * 13 + j] = 2 * a[i * 40 + 38 - 3 * j];
  for (std::int64_t i = 0; i < 80; ++i) pair[i] = a[40 + i] + 1;
  check_close(tn::dtype::f32, result_of(transposed(x.view(), y.view())), sum, {}, "transpose");
  check_close(tn::dtype::f32, result_of(sliced(x.view())), steps, {}, "slice");
  check_close(tn::dtype::f32, result_of(flattened(x.view())), pair, {}, "flatten");
}

// nvcc spells template arguments of equal value as it met them first: the library's own reversed order must leave
// the order that a lambda names as it is.
TEST(broadcasting, an_order_after_the_reversed_one) {
  auto x = random_array<float, 2>({33, 40});
  auto const of_halves = tn::compile([](auto x) { return tn::transpose(tn::cast<tn::half>(x)); });
  auto const by_order = tn::compile([](auto x) {
    auto swapped = tn::transpose(x, tn::axis<1, 0>);
    return swapped;
  });
  doubles const a = x.values();
  doubles swapped({40, 33});
  for (std::int64_t i = 0; i < 40; ++i)
    for (std::int64_t j = 0; j < 33; ++j) swapped[i * 33 + j] = a[j * 40 + i];
  check_close(tn::dtype::f32, result_of(by_order(x.view())), swapped, {}, "order");
  check_close(tn::dtype::f16, result_of(of_halves(x.view())), swapped, {}, "reversed");
}

}  // namespace
