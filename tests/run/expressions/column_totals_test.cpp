// SPDX-License-Identifier: Apache-2.0
// Values of columns, over rows that are reduced, too, which come to one number: contrastive losses,
// the balance of a router's choices, and sums of all beside those of both sides.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"
#include "run/support/matrix_cases.hpp"

namespace {

// One block and several, one strip and several, the ends of vectors; the last is wider than
// registers hold.
constexpr extents_of_rank<2> shapes[] = {{1, 1},     {3, 33},    {33, 3},    {1025, 65}, {5003, 4},
                                         {70, 4099}, {130, 260}, {257, 128}, {7, 40009}};

template <class Check> void for_each_case(Check const& check) { for_each_matrix(shapes, check); }
double number(reference::doubles const& x) { return x[0]; }
reference::doubles one(double value) {
  reference::doubles result(std::vector<std::int64_t>{});
  result[0] = value;
  return result;
}

double log_sum_exp(reference::doubles const& x, std::int64_t first, std::int64_t step,
                   std::int64_t count) {
  double most = -INFINITY, sum = 0;
  for (std::int64_t i = 0; i < count; ++i) most = std::max(most, x[first + i * step]);
  for (std::int64_t i = 0; i < count; ++i) sum += std::exp(x[first + i * step] - most);
  return most + std::log(sum);
}

template <class T> void check_contrastive_loss() {
  auto const f = tn::compile([](auto s) {
    auto const matched = tn::mean(tn::diagonal(s, tn::axis<0, 1>));
    return (tn::mean(tn::logsumexp(tn::cast<float>(s), tn::axis<1>)) +
            tn::mean(tn::logsumexp(tn::cast<float>(s), tn::axis<0>))) *
               0.5f -
           tn::cast<float>(matched);
  });
  for (std::int64_t n : {1, 2, 31, 32, 33, 257, 700})
    for (arrangement how : matrix_layouts) {
      auto s = random_array<T, 2>({n, n}, how);
      reference::doubles const x = s.values();
      double total = 0, size = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        double const row = log_sum_exp(x, i * n, 1, n), column = log_sum_exp(x, i, n, n),
                     own = x[i * n + i];
        total += (row + column) / 2 - own;
        size += (std::fabs(row) + std::fabs(column)) / 2 + std::fabs(own);
      }
      auto const scale = one(size / static_cast<double>(n));
      bool const is_half = sizeof(T) == 2;
      check_close(tn::dtype::f32, result_of(f(s.view())), one(total / static_cast<double>(n)),
                  {.arithmetic = 16 + sum_roundoffs(n * n),
                   .absolute = is_half ? scale[0] / 128 : 0,
                   .scale = &scale},
                  std::to_string(n) + ", " + to_string(how));
    }
}
TEST(column_totals, contrastive_loss_of_float) { check_contrastive_loss<float>(); }
TEST(column_totals, contrastive_loss_of_bfloat16) { check_contrastive_loss<tn::bfloat16>(); }

// Of any two axes; a value of each column that is stored as well.
template <class T> void check_totals_of_both_sides() {
  auto const f = tn::compile([](auto x) {
    auto const columns = tn::sum(x, tn::axis<0>);
    return tn::outputs(columns, tn::max(columns), tn::sum(columns * columns) + tn::sum(x),
                       tn::min(tn::max(x, tn::axis<1>)));
  });
  for_each_case([&](extents_of_rank<2> const& shape, arrangement how, std::string const& what) {
    auto x = random_array<T, 2>(shape, how);
    auto const [columns, largest, squares, least] = f(x.view());
    reference::doubles const values = x.values();
    reference::doubles const sums = reference::reduced(values, 0b01, false, reference::sum),
                             sizes = reference::reduced(values, 0b01, false,
                                                        reference::sum_of_magnitudes);
    double const roundoffs = sum_roundoffs(values.size());
    check_close(tn::dtype_of<T>, result_of(columns), sums,
                {.arithmetic = roundoffs, .scale = &sizes}, "columns, " + what);
    double most = sums[0], all = 0, square = 0, size = 0, of_squares = 0;
    for (std::int64_t j = 0; j < shape[1]; ++j) {
      most = std::max(most, sums[j]), size = std::max(size, sizes[j]);
      all += sums[j], square += sums[j] * sums[j], of_squares += sizes[j] * sizes[j] + sizes[j];
    }
    auto const of_largest = one(size), of_all = one(of_squares);
    check_close(tn::dtype_of<T>, result_of(largest), one(most),
                {.arithmetic = roundoffs, .scale = &of_largest}, "largest, " + what);
    check_close(tn::dtype_of<T>, result_of(squares), one(all + square),
                {.arithmetic = 3 * roundoffs, .scale = &of_all}, "squares, " + what);
    reference::doubles const rows = reference::reduced(values, 0b10, false, reference::max);
    double smallest = rows[0];
    for (std::int64_t i = 0; i < shape[0]; ++i) smallest = std::min(smallest, rows[i]);
    check_close(tn::dtype_of<T>, result_of(least), one(smallest), {}, "least, " + what);
  });
}
TEST(column_totals, of_both_sides_of_float) { check_totals_of_both_sides<float>(); }
TEST(column_totals, of_both_sides_of_double) { check_totals_of_both_sides<double>(); }
TEST(column_totals, of_both_sides_of_half) { check_totals_of_both_sides<tn::half>(); }

// The rows are needed as wholes: how evenly a router chooses its experts.
template <class T> void check_balance_of_choices() {
  auto const f = tn::compile([](auto logits, auto chosen) {
    auto const p = tn::mean(tn::softmax(logits, tn::axis<1>), tn::axis<0>);
    return tn::outputs(tn::sum(p * tn::mean(chosen, tn::axis<0>)),
                       tn::mean(tn::square(tn::logsumexp(logits, tn::axis<1>))));
  });
  for_each_case([&](extents_of_rank<2> const& shape, arrangement how, std::string const& what) {
    auto logits = random_array<T, 2>(shape, how), chosen = random_array<T, 2>(shape, how);
    auto const [balance, size] =
        f(tn::view<T const, "T", "E">(logits.view()), tn::view<T const, "T", "E">(chosen.view()));
    auto const mean = [](reference::elements const& e) {
      return reference::sum(e) / static_cast<double>(e.size());
    };
    reference::doubles const x = logits.values(),
                             p = reference::reduced(reference::softmax(x, 0b10), 0b01, false, mean),
                             c = reference::reduced(chosen.values(), 0b01, false, mean),
                             of_c = reference::reduced(chosen.values(), 0b01, false,
                                                       reference::sum_of_magnitudes);
    double expected = 0, magnitude = 0, squares = 0;
    for (std::int64_t j = 0; j < shape[1]; ++j) {
      expected += p[j] * c[j];
      magnitude += p[j] * of_c[j] / static_cast<double>(shape[0]);
    }
    for (std::int64_t i = 0; i < shape[0]; ++i) {
      double const one_row = log_sum_exp(x, i * shape[1], 1, shape[1]);
      squares += one_row * one_row / static_cast<double>(shape[0]);
    }
    auto const scale = one(magnitude);
    double const roundoffs = 16 + sum_roundoffs(shape[0] * shape[1]);
    check_close(tn::dtype_of<T>, result_of(balance), one(expected),
                {.arithmetic = roundoffs, .scale = &scale}, what);
    check_close(tn::dtype_of<T>, result_of(size), one(squares),
                {.arithmetic = roundoffs, .absolute = 1e-5}, what);
  });
}
TEST(column_totals, balance_of_choices_of_float) { check_balance_of_choices<float>(); }
TEST(column_totals, balance_of_choices_of_bfloat16) { check_balance_of_choices<tn::bfloat16>(); }

// The same where the choice is of the greatest logit: positions are told apart by each row's own.
template <class T> void check_balance_of_greatest() {
  auto const f = tn::compile([](auto logits) {
    auto const x = tn::cast<float>(logits);
    auto const chosen = tn::iota(x, tn::axis<1>) == tn::argmax(x, tn::axis<1>, tn::keepdim);
    auto const share = tn::mean(tn::cast<float>(chosen), tn::axis<0>);
    auto const p = tn::mean(tn::softmax(x, tn::axis<1>), tn::axis<0>);
    return tn::outputs(tn::sum(p * share), share);
  });
  for_each_case([&](extents_of_rank<2> const& shape, arrangement how, std::string const& what) {
    auto logits = random_array<T, 2>(shape, how);
    auto const [balance, share] = f(logits.view());
    reference::doubles const x = logits.values(), p = reference::softmax(x, 0b10);
    reference::doubles of_columns({shape[1]});
    double expected = 0;
    for (std::int64_t i = 0; i < shape[0]; ++i) {
      std::int64_t greatest = 0;
      for (std::int64_t j = 0; j < shape[1]; ++j)
        if (x[i * shape[1] + j] > x[i * shape[1] + greatest]) greatest = j;
      of_columns[greatest] += 1 / static_cast<double>(shape[0]);
    }
    for (std::int64_t i = 0; i < shape[0] * shape[1]; ++i)
      expected += p[i] * of_columns[i % shape[1]] / static_cast<double>(shape[0]);
    double const roundoffs = 16 + sum_roundoffs(shape[0] * shape[1]);
    check_close(tn::dtype::f32, result_of(share), of_columns, {.arithmetic = roundoffs}, what);
    check_close(tn::dtype::f32, result_of(balance), one(expected), {.arithmetic = roundoffs}, what);
  });
}
TEST(column_totals, balance_of_greatest_of_float) { check_balance_of_greatest<float>(); }
TEST(column_totals, balance_of_greatest_of_bfloat16) { check_balance_of_greatest<tn::bfloat16>(); }

// As it is written for a router, of a number of experts that is known; and triangles, whose columns
// and rows are both reduced.
TEST(column_totals, one_of_many) {
  auto const f = tn::compile([](auto logits) {
    auto const p = tn::softmax(logits, tn::axis<1>);
    auto const chosen = tn::one_hot(tn::argmax(logits, tn::axis<1>), tn::ct<64>);
    return 64.0f *
           tn::sum(tn::mean(tn::cast<float>(chosen), tn::axis<0>) * tn::mean(p, tn::axis<0>));
  });
  for (std::int64_t rows : {1, 7, 300, 2049}) {
    auto logits = random_array<float, 2>({rows, 64});
    reference::doubles const x = logits.values(), p = reference::softmax(x, 0b10);
    std::vector<double> count(64), mean(64);
    for (std::int64_t i = 0; i < rows; ++i) {
      std::int64_t greatest = 0;
      for (std::int64_t j = 0; j < 64; ++j) {
        mean[j] += p[i * 64 + j];
        if (x[i * 64 + j] > x[i * 64 + greatest]) greatest = j;
      }
      count[greatest] += 1;
    }
    double expected = 0;
    for (std::size_t j = 0; j < 64; ++j) expected += count[j] * mean[j];
    expected *= 64.0 / static_cast<double>(rows * rows);
    auto const result = f(tn::view<float const, tn::dyn, 64>(logits.data(), rows));
    check_close(tn::dtype::f32, result_of(result), one(expected),
                {.arithmetic = 16 + sum_roundoffs(rows * 64)}, std::to_string(rows));
  }
}
TEST(column_totals, of_a_triangle) {
  auto const f = tn::compile([](auto x) {
    auto const below = tn::tril(x);
    return tn::outputs(tn::sum(below, tn::axis<0>), tn::sum(below, tn::axis<1>));
  });
  for_each_case([&](extents_of_rank<2> const& shape, arrangement how, std::string const& what) {
    auto x = random_array<float, 2>(shape, how);
    auto const [columns, rows] = f(x.view());
    reference::doubles below = x.values();
    for (std::int64_t i = 0; i < below.size(); ++i)
      if (i % shape[1] > i / shape[1]) below[i] = 0;
    for (unsigned axis : {1u, 2u}) {
      auto const sums = reference::reduced(below, axis, false, reference::sum),
                 sizes = reference::reduced(below, axis, false, reference::sum_of_magnitudes);
      check_close(tn::dtype::f32, axis == 1 ? result_of(columns) : result_of(rows), sums,
                  {.arithmetic = sum_roundoffs(shape[0] + shape[1]), .scale = &sizes}, what);
    }
  });
}

TEST(column_totals, of_no_element) {
  auto const f = tn::compile([](auto x) {
    auto const columns = tn::sum(x, tn::axis<0>);
    return tn::outputs(tn::sum(columns * columns), tn::sum(tn::square(tn::sum(x, tn::axis<1>))));
  });
  auto const g = tn::compile([](auto x) {
    return tn::outputs(tn::sum(tn::square(tn::sum(tn::softmax(x, tn::axis<1>), tn::axis<0>))),
                       tn::sum(tn::sum(tn::abs(x), tn::axis<1>)));
  });
  for (extents_of_rank<2> const& shape : {extents_of_rank<2>{0, 37}, {37, 0}, {0, 0}, {0, 9000}}) {
    array<float, 2> x(shape);
    auto const [a, b] = f(x.view());
    auto const [c, d] = g(x.view());
    for (double found :
         {number(result_of(a)), number(result_of(b)), number(result_of(c)), number(result_of(d))})
      EXPECT_EQ(found, 0) << shape[0] << " x " << shape[1];
  }
}

// One NaN or infinity off the diagonal is none of the diagonal's.
TEST(column_totals, diagonal_has_no_other_elements) {
  auto const f = tn::compile([](auto x) {
    return tn::outputs(tn::max(tn::diagonal(x, tn::axis<0, 1>)),
                       tn::sum(tn::diagonal(x, tn::axis<0, 1>)), tn::max(tn::max(x, tn::axis<1>)),
                       tn::sum(tn::max(x, tn::axis<0>)));
  });
  array<float, 2> x({40, 40});
  reference::doubles numbers(x.shape());
  for (std::int64_t i = 0; i < 40 * 40; ++i) numbers[i] = -1;
  numbers[40 * 3 + 5] = NAN, numbers[40 * 7 + 2] = INFINITY;
  x.set(numbers);
  auto const [largest, sum, of_all, of_columns] = f(x.view());
  EXPECT_EQ(number(result_of(largest)), -1);
  EXPECT_EQ(number(result_of(sum)), -40);
  EXPECT_TRUE(std::isnan(number(result_of(of_all))));
  EXPECT_TRUE(std::isnan(number(result_of(of_columns))));
}

TEST(column_totals, have_the_same_bits_in_every_run) {
  auto const f = tn::compile([](auto x) {
    return tn::mean(tn::logsumexp(x, tn::axis<1>)) + tn::mean(tn::logsumexp(x, tn::axis<0>));
  });
  for (extents_of_rank<2> const& shape :
       {extents_of_rank<2>{5003, 33}, {301, 4099}, {9, 40009}, {64, 9000}}) {
    auto x = random_array<float, 2>(shape);
    auto const once = [&] { return number(result_of(f(x.view()))); };
    double const expected = once();
    for (int round = 0; round < 5; ++round) EXPECT_EQ(once(), expected) << shape[0];
  }
}

}  // namespace
