// SPDX-License-Identifier: Apache-2.0
// Values per row and values per column of the same elements, in one launch.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"
#include "run/support/matrix_cases.hpp"

namespace {

// The ends and the inside of vectors, rows of a block, tiles, strips and blocks; the last is wider
// than registers hold.
constexpr extents_of_rank<2> shapes[] = {{1, 1},     {3, 33},    {33, 3},     {31, 1000},
                                         {1025, 65}, {5003, 4},  {257, 32},   {70, 4099},
                                         {130, 260}, {20000, 9}, {300, 4096}, {7, 40009}};

template <class Check> void for_each_case(Check const& check) { for_each_matrix(shapes, check); }

template <class T>
void check_both_sums(extents_of_rank<2> const& shape, arrangement how, std::string const& what) {
  static auto const f = tn::compile(
      [](auto x) { return tn::outputs(tn::sum(x, tn::axis<0>), tn::sum(x, tn::axis<1>)); });
  auto x = random_array<T, 2>(shape, how);
  auto const [columns, rows] = f(x.view());
  reference::doubles const values = x.values();
  for (unsigned axes : {0b01u, 0b10u}) {
    reference::doubles const scale =
        reference::reduced(values, axes, false, reference::sum_of_magnitudes);
    check_close(tn::dtype_of<T>, result_of(axes == 0b01 ? columns : rows),
                reference::reduced(values, axes, false, reference::sum),
                {.arithmetic = sum_roundoffs(values.size()), .scale = &scale}, what);
  }
}
TEST(mixed, both_sums_of_float) { for_each_case(check_both_sums<float>); }
TEST(mixed, both_sums_of_double) { for_each_case(check_both_sums<double>); }
TEST(mixed, both_sums_of_bfloat16) { for_each_case(check_both_sums<tn::bfloat16>); }
TEST(mixed, both_sums_of_half) { for_each_case(check_both_sums<tn::half>); }
TEST(mixed, both_sums_of_short_integers) { for_each_case(check_both_sums<std::int16_t>); }
TEST(mixed, sums_of_rows_in_more_strips_than_blocks) {
  check_both_sums<float>({9, 280001}, arrangement::contiguous, "280001 columns");
}

// A weight of each column and of each row, and values that follow from what is known of a row.
TEST(mixed, weighted_sums) {
  auto const f = tn::compile([](auto x, auto y, auto w, auto s) {
    auto z = x * w + y * tn::unsqueeze(s, tn::axis<1>);
    return tn::outputs(tn::sum(z, tn::axis<0>) * 2.0f, tn::sqrt(tn::sum(z * z, tn::axis<1>)) * s,
                       tn::var(z, tn::axis<1>), tn::max(tn::max(z, tn::axis<1>)));
  });
  for_each_case([&](extents_of_rank<2> const& shape, arrangement how, std::string const& what) {
    if (shape[1] == 1) return;  // of one element the variance is NaN
    auto x = random_array<float, 2>(shape, how), y = random_array<float, 2>(shape, how);
    auto w = random_array<float, 1>({shape[1]}), s = random_array<float, 1>({shape[0]});
    auto const [columns, lengths, variances, largest] = f(x.view(), y.view(), w.view(), s.view());
    reference::doubles const xs = x.values(), ys = y.values(), ws = w.values(), ss = s.values();
    reference::doubles z(x.shape()), sums({shape[1]}), sizes({shape[1]}), roots({shape[0]}),
        squares({shape[0]});
    for (std::int64_t i = 0; i < shape[0]; ++i)
      for (std::int64_t j = 0; j < shape[1]; ++j) {
        std::int64_t const at = i * shape[1] + j;
        z[at] = xs[at] * ws[j] + ys[at] * ss[i];
        double const size = std::fabs(xs[at] * ws[j]) + std::fabs(ys[at] * ss[i]);
        sums[j] += 2 * z[at], sizes[j] += 2 * (std::fabs(xs[at] * ws[j]) + std::fabs(z[at]));
        roots[i] += z[at] * z[at], squares[i] += size * size;
      }
    for (std::int64_t i = 0; i < shape[0]; ++i) roots[i] = std::sqrt(roots[i]) * ss[i];
    double const roundoffs = 8 + sum_roundoffs(z.size());
    check_close(tn::dtype::f32, result_of(columns), sums,
                {.arithmetic = roundoffs, .scale = &sizes}, "columns, " + what);
    check_close(tn::dtype::f32, result_of(lengths), roots, {.arithmetic = roundoffs},
                "rows, " + what);
    auto const unbiased = [](reference::elements const& e) { return reference::variance(e, 1); };
    reference::doubles const expected = reference::reduced(z, 0b10, false, unbiased);
    // As of `conditioned_variance`, but of the terms of z, whose roundings are in it.
    reference::doubles const conditioned = reference::elementwise(
        [&](double v, double s) { return std::sqrt(v * s / static_cast<double>(shape[1] - 1)); },
        expected, squares);
    check_close(tn::dtype::f32, result_of(variances), expected,
                {.arithmetic = 4 * sum_roundoffs(shape[1]), .scale = &conditioned},
                "variance, " + what);
    check_close(tn::dtype::f32, result_of(largest),
                reference::reduced(z, 0b11, false, reference::max), {.arithmetic = 8},
                "largest, " + what);
  });
}

// Rows or columns of several axes, which are one where the operand is contiguous: the bits are the
// same.
template <class T, class F> void check_sums_in_any_layout(F const& f, int inner_axes) {
  for (extents_of_rank<3> const& shape :
       {extents_of_rank<3>{7, 9, 5}, {40, 11, 33}, {3, 200, 130}}) {
    auto x = random_array<T, 3>(shape);
    reference::doubles const values = x.values();
    std::int64_t const of_rows = inner_axes == 2 ? shape[0] : shape[0] * shape[1];
    auto const once = [&](array<T, 3>& from) {
      auto const [columns, rows] = f(from.view());
      return std::pair(result_of(columns).values, result_of(rows).values);
    };
    auto const expected = once(x);
    ASSERT_EQ(static_cast<std::int64_t>(expected.second.size()), of_rows);
    for (arrangement how : {arrangement::misaligned, arrangement::padded}) {
      array<T, 3> y(shape, how, values);
      EXPECT_EQ(once(y), expected) << shape[0] << ", " << to_string(how);
    }
    for (unsigned axes : {inner_axes == 2 ? 0b001u : 0b011u, inner_axes == 2 ? 0b110u : 0b100u}) {
      bool const is_of_columns = (axes & 1u) != 0;
      reference::doubles const scale =
          reference::reduced(values, axes, false, reference::sum_of_magnitudes);
      reference::doubles sums = reference::reduced(values, axes, false, reference::sum);
      reference::doubles found = sums;
      found.values = is_of_columns ? expected.first : expected.second;
      check_close(tn::dtype_of<T>, found, sums,
                  {.arithmetic = sum_roundoffs(values.size()), .scale = &scale});
    }
  }
}
template <class T> void check_sums_in_any_layout() {
  check_sums_in_any_layout<T>(
      tn::compile(
          [](auto x) { return tn::outputs(tn::sum(x, tn::axis<0>), tn::sum(x, tn::axis<1, 2>)); }),
      2);
  check_sums_in_any_layout<T>(
      tn::compile(
          [](auto x) { return tn::outputs(tn::sum(x, tn::axis<0, 1>), tn::sum(x, tn::axis<2>)); }),
      1);
}
TEST(mixed, sums_of_float_in_any_layout) { check_sums_in_any_layout<float>(); }
TEST(mixed, sums_of_half_in_any_layout) { check_sums_in_any_layout<tn::half>(); }

// A thread has one vector of a row, which may not be there.
TEST(mixed, both_sums_of_bytes) {
  auto const f = tn::compile(
      [](auto x) { return tn::outputs(tn::sum(x, tn::axis<0>), tn::sum(x, tn::axis<1>)); });
  for_each_case([&](extents_of_rank<2> const& shape, arrangement how, std::string const& what) {
    auto x = random_array<std::int8_t, 2>(shape, how);
    auto const [columns, rows] = f(x.view());
    tolerance const exact{.arithmetic = 0, .storage = 0};
    for (unsigned axes : {0b01u, 0b10u})
      check_close(tn::dtype::i64, result_of(axes == 0b01 ? columns : rows),
                  reference::reduced(x.values(), axes, false, reference::sum), exact, what);
  });
}

TEST(mixed, maxima_of_rows_of_columns_and_of_all) {
  auto const f = tn::compile([](auto x) {
    return tn::outputs(tn::max(x, tn::axis<0>), tn::max(x, tn::axis<1>), tn::max(x));
  });
  for_each_case([&](extents_of_rank<2> const& shape, arrangement how, std::string const& what) {
    auto x = random_array<float, 2>(shape, how);
    auto const [columns, rows, all] = f(x.view());
    tolerance const exact{.arithmetic = 0, .storage = 0};
    check_close(tn::dtype::f32, result_of(columns),
                reference::reduced(x.values(), 0b01, false, reference::max), exact, what);
    check_close(tn::dtype::f32, result_of(rows),
                reference::reduced(x.values(), 0b10, false, reference::max), exact, what);
    check_close(tn::dtype::f32, result_of(all),
                reference::reduced(x.values(), 0b11, false, reference::max), exact, what);
  });
}

template <class T> void check_mean_of_softmax() {
  auto const f =
      tn::compile([](auto x) { return tn::mean(tn::softmax(x, tn::axis<1>), tn::axis<0>); });
  for_each_case([&](extents_of_rank<2> const& shape, arrangement how, std::string const& what) {
    auto x = random_array<T, 2>(shape, how);
    auto const result = f(x.view());
    auto const mean = [](reference::elements const& e) {
      return reference::sum(e) / static_cast<double>(e.size());
    };
    check_close(tn::dtype_of<T>, result_of(result),
                reference::reduced(reference::softmax(x.values(), 0b10), 0b01, false, mean),
                {.arithmetic = 16 + sum_roundoffs(shape[0] * shape[1])}, what);
  });
}
TEST(mixed, mean_of_softmax_of_float) { check_mean_of_softmax<float>(); }
TEST(mixed, mean_of_softmax_of_bfloat16) { check_mean_of_softmax<tn::bfloat16>(); }

// dx, dgamma and dbeta of a layer norm.
constexpr auto gradients_of_layer_norm = [](auto x, auto w, auto dy, auto mean, auto variance) {
  auto const rows = tn::axis<1>;
  auto scale = tn::rsqrt(variance + 1e-5f);
  auto normal = (x - mean) * scale;
  auto h = dy * w;
  auto dx =
      (h - tn::mean(h, rows, tn::keepdim) - normal * tn::mean(h * normal, rows, tn::keepdim)) *
      scale;
  return tn::outputs(dx, tn::sum(dy * normal, tn::axis<0>), tn::sum(dy, tn::axis<0>));
};
template <class Function> void check_layer_norm_backward(Function const& f) {
  for_each_case([&](extents_of_rank<2> const& shape, arrangement how, std::string const& what) {
    if (shape[1] < 30) return;  // of few columns the scale is nearly that of the epsilon
    auto x = random_array<float, 2>(shape, how), dy = random_array<float, 2>(shape, how);
    auto w = random_array<float, 1>({shape[1]});
    array<float, 2> dx(shape, how);
    array<float, 1> dgamma({shape[1]}), dbeta({shape[1]});
    auto a = dx.view();
    auto b = dgamma.view(), c = dbeta.view();
    f.into(a, b, c)(x.view(), w.view(), dy.view());
    reference::doubles const xs = x.values(), ws = w.values(), ys = dy.values();
    reference::doubles expected(x.shape()), gamma({shape[1]}), beta({shape[1]});
    std::int64_t const n = shape[1];
    for (std::int64_t i = 0; i < shape[0]; ++i) {
      double mean = 0, variance = 0, mean_h = 0, mean_hx = 0;
      for (std::int64_t j = 0; j < n; ++j) mean += xs[i * n + j] / static_cast<double>(n);
      for (std::int64_t j = 0; j < n; ++j)
        variance += (xs[i * n + j] - mean) * (xs[i * n + j] - mean) / static_cast<double>(n);
      double const scale = 1 / std::sqrt(variance + 1e-5);
      auto const normal = [&](std::int64_t j) { return (xs[i * n + j] - mean) * scale; };
      for (std::int64_t j = 0; j < n; ++j) {
        mean_h += ys[i * n + j] * ws[j] / static_cast<double>(n);
        mean_hx += ys[i * n + j] * ws[j] * normal(j) / static_cast<double>(n);
        gamma[j] += ys[i * n + j] * normal(j), beta[j] += ys[i * n + j];
      }
      for (std::int64_t j = 0; j < n; ++j)
        expected[i * n + j] = (ys[i * n + j] * ws[j] - mean_h - normal(j) * mean_hx) * scale;
    }
    double const rows = static_cast<double>(shape[0]);
    check_close(tn::dtype::f32, dx.result(), expected, {.arithmetic = 64, .absolute = 2e-5}, what);
    check_close(tn::dtype::f32, dgamma.result(), gamma,
                {.arithmetic = 64, .absolute = 2e-6 * rows + 1e-5}, what);
    check_close(tn::dtype::f32, dbeta.result(), beta,
                {.arithmetic = 64, .absolute = 2e-6 * rows + 1e-5}, what);
  });
}
TEST(mixed, layer_norm_backward) {
  check_layer_norm_backward(tn::compile([](auto x, auto w, auto dy) {
    return gradients_of_layer_norm(x, w, dy, tn::mean(x, tn::axis<1>, tn::keepdim),
                                   tn::var(x, tn::axis<1>, tn::keepdim, tn::correction<0>));
  }));
}
// What each row sums is found in one sweep.
TEST(mixed, layer_norm_backward_with_co_moments) {
  check_layer_norm_backward(tn::compile([](auto x, auto w, auto dy) {
    auto [variance, mean] = tn::var_mean(x, tn::axis<1>, tn::keepdim, tn::correction<0>);
    return gradients_of_layer_norm(x, w, dy, mean, variance);
  }));
}

TEST(mixed, of_no_element) {
  auto const f = tn::compile(
      [](auto x) { return tn::outputs(tn::sum(x, tn::axis<0>), tn::sum(x, tn::axis<1>)); });
  array<float, 2> no_rows({0, 37}), no_columns({37, 0});
  auto const [columns, none] = f(no_rows.view());
  auto const [nothing, rows] = f(no_columns.view());
  check_close(tn::dtype::f32, result_of(columns), reference::doubles({37}));
  check_close(tn::dtype::f32, result_of(rows), reference::doubles({37}));
  EXPECT_EQ(result_of(none).size(), 0);
  EXPECT_EQ(result_of(nothing).size(), 0);
}

// In so many rounds that blocks wait for each other.
TEST(mixed, many_rounds_of_rows) {
  auto const f = tn::compile([](auto x) {
    return tn::outputs(x - tn::sum(x, tn::axis<1>, tn::keepdim), tn::sum(x, tn::axis<0>));
  });
  for (extents_of_rank<2> const& shape : {extents_of_rank<2>{3300, 2052}, {26000, 260}}) {
    array<float, 2> x(shape, arrangement::repeated), less(shape);
    array<float, 1> columns({shape[1]});
    reference::doubles numbers(x.shape());
    for (std::int64_t i = 0; i < numbers.size(); ++i)
      numbers[i] = static_cast<double>(i % shape[1] % 4);
    x.set(numbers);
    auto to = less.view();
    auto of_columns = columns.view();
    f.into(to, of_columns)(x.view());
    double of_row = 0;
    for (std::int64_t j = 0; j < shape[1]; ++j) of_row += numbers[j];
    reference::doubles const sums = columns.result(), found = less.result();
    for (std::int64_t j = 0; j < shape[1]; ++j)
      ASSERT_EQ(sums[j], static_cast<double>(shape[0]) * numbers[j]) << shape[0] << " rows, " << j;
    for (std::int64_t i = 0; i < found.size(); ++i)
      ASSERT_EQ(found[i], numbers[i] - of_row) << shape[0] << " rows, " << i;
  }
}

TEST(mixed, has_the_same_bits_in_every_run) {
  auto const f = tn::compile(
      [](auto x) { return tn::outputs(tn::sum(x, tn::axis<0>), tn::sum(x, tn::axis<1>)); });
  for (extents_of_rank<2> const& shape :
       {extents_of_rank<2>{5003, 33}, {301, 4099}, {9, 40009}, {64, 9000}}) {
    auto x = random_array<float, 2>(shape);
    auto const once = [&] {
      array<float, 1> columns({shape[1]}), rows({shape[0]});
      auto a = columns.view(), b = rows.view();
      f.into(a, b)(x.view());
      return std::pair(columns.bits(), rows.bits());
    };
    auto const expected = once();
    for (int round = 0; round < 5; ++round) EXPECT_EQ(once(), expected) << shape[0];
  }
}

}  // namespace
