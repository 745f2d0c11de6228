// SPDX-License-Identifier: Apache-2.0
// Row programs on the CPU backend against loops in double: several phases, moments, strided rows,
// row and element stores.
//
// tenon-test: cpu-only
// tenon-test: optimized
#include "run/cpu_backend/support.hpp"

namespace tenon::cpu_test {
namespace {

constexpr auto row_softmax = [](auto x) { return softmax(x, axis<1>); };
constexpr auto row_norm = [](auto x) { return layer_norm(x, axis<1>); };
constexpr auto column_sum = [](auto x) { return sum(x, axis<0>); };

std::vector<float> run_softmax(std::vector<float> const& x, long long rows, long long columns) {
  std::vector<float> z(static_cast<std::size_t>(rows * columns));
  run<matrix>(
      "rows", row_softmax,
      {{rows}, {columns}, {in_row_major(x.data(), columns)}, {in_row_major(z.data(), columns)}});
  return z;
}

TEST(cpu_rows, softmax_of_all_extents) {
  for (long long rows : {0, 1, 3, 70})
    for (long long columns : extents) {
      if (rows == 70 && columns > 1025) continue;
      auto x = random_values(rows * columns, -20, 20);
      auto z = run_softmax(x, rows, columns);
      for (long long i = 0; i < rows; ++i) {
        double largest = -INFINITY, total = 0;
        for (long long j = 0; j < columns; ++j)
          largest = std::max<double>(largest, x[i * columns + j]);
        for (long long j = 0; j < columns; ++j) total += std::exp(x[i * columns + j] - largest);
        // x - max is rounded once: half a unit of 40 in the exponent; then 2 units per exp, the sum
        // and the quotient
        double tolerance = 40 * float_roundoff * 2 + sum_tolerance(columns) + 8 * float_roundoff;
        for (long long j = 0; j < columns; ++j) {
          double expected = std::exp(x[i * columns + j] - largest) / total;
          ASSERT_NEAR(z[i * columns + j], expected, expected * tolerance)
              << rows << "x" << columns << " at " << i << "," << j;
        }
      }
    }
}

TEST(cpu_rows, a_row_does_not_depend_on_the_number_of_rows) {
  long long const columns = 40009;  // few rows: the columns are split; many: the rows
  auto x = random_values(80 * columns, -20, 20);
  auto few = run_softmax(x, 3, columns), many = run_softmax(x, 80, columns);
  many.resize(few.size());
  EXPECT_TRUE(has_same_bits(few, many));
}

TEST(cpu_rows, layer_norm_far_from_zero) {
  for (long long columns : {1, 31, 33, 1024, 1025, 16411}) {
    long long const rows = 5;
    auto x = random_values(rows * columns, 1000, 1001);
    std::vector<float> z(static_cast<std::size_t>(rows * columns));
    run<matrix>("rows", row_norm,
                {{rows},
                 {columns},
                 {in_row_major(x.data(), columns)},
                 {in_row_major(z.data(), columns)},
                 {word(static_cast<float>(columns))}});
    for (long long i = 0; i < rows; ++i) {
      double mean = 0, m2 = 0;
      for (long long j = 0; j < columns; ++j) mean += x[i * columns + j] / double(columns);
      for (long long j = 0; j < columns; ++j) m2 += std::pow(x[i * columns + j] - mean, 2);
      double scale = 1 / std::sqrt(m2 / double(columns) + 1e-5);
      // The mean of about 1000 is off by some units of 2^-14, which the scale multiplies.
      double tolerance = 8 * 1000 * float_roundoff * scale + 1e-5;
      for (long long j = 0; j < columns; ++j)
        ASSERT_NEAR(z[i * columns + j], (x[i * columns + j] - mean) * scale, tolerance)
            << columns << " at " << i << "," << j;
    }
  }
}

TEST(cpu_rows, sum_over_the_outer_axis) {
  for (long long n : extents) {
    long long const kept = 37;
    auto x = random_values(n * kept, 0, 1);
    std::vector<float> z(static_cast<std::size_t>(kept));
    run<matrix>("rows", column_sum,
                {{kept}, {n}, {{x.data(), {1}, {kept}}}, {{z.data(), {1}, {}}}});
    for (long long i = 0; i < kept; ++i) {
      double expected = 0;
      for (long long j = 0; j < n; ++j) expected += x[j * kept + i];
      ASSERT_NEAR(z[i], expected, expected * sum_tolerance(n)) << n << " at " << i;
    }
  }
}

TEST(cpu_rows, bits_do_not_depend_on_strides_or_merging) {
  long long const rows = 6, outer = 45, inner = 47, columns = outer * inner;
  auto x = random_values(rows * columns);
  std::vector<float> transposed(x.size()), plain(static_cast<std::size_t>(rows)), strided(plain),
      unmerged(plain), reversed(plain);
  for (long long i = 0; i < rows; ++i)
    for (long long j = 0; j < columns; ++j) transposed[j * rows + i] = x[i * columns + j];
  auto row_sum = [](auto x) { return sum(x, axis<1>); };
  run<matrix>("rows", row_sum,
              {{rows}, {columns}, {in_row_major(x.data(), columns)}, {{plain.data(), {1}, {}}}});
  run<matrix>("rows", row_sum,
              {{rows}, {columns}, {{transposed.data(), {1}, {rows}}}, {{strided.data(), {1}, {}}}});
  run<matrix>("rows", row_sum,
              {{2, 3},
               {outer, inner},
               {{x.data(), {3 * columns, columns}, {inner, 1}}},
               {{unmerged.data(), {3, 1}, {}}}});
  run<matrix>("rows", row_sum,
              {{rows},
               {columns},
               {{x.data() + (rows - 1) * columns, {-columns}, {1}}},
               {{reversed.data() + rows - 1, {-1}, {}}}});
  EXPECT_TRUE(has_same_bits(plain, strided));
  EXPECT_TRUE(has_same_bits(plain, unmerged));
  EXPECT_TRUE(has_same_bits(plain, reversed));
}

// Columns across memory in one axis and in two: rows are brought together, 16 or fewer, as far as
// the innermost row axis goes; the result may replace the operand.
TEST(cpu_rows, rows_that_lie_across_have_the_bits_of_rows) {
  for (long long rows : {4, 5, 16, 19, 70, 300})
    for (long long columns : {1, 15, 33, 1025, 16411}) {
      if (rows == 300 && columns > 1025) continue;
      auto x = random_values(rows * columns, -20, 20);
      auto const expected = run_softmax(x, rows, columns);
      std::vector<float> across(expected.size()), back(across);
      for (long long i = 0; i < rows; ++i)
        for (long long j = 0; j < columns; ++j) across[j * rows + i] = x[i * columns + j];
      auto const check = [&](char const* how) {
        for (long long i = 0; i < rows; ++i)
          for (long long j = 0; j < columns; ++j) back[i * columns + j] = across[j * rows + i];
        ASSERT_TRUE(has_same_bits(expected, back)) << rows << "x" << columns << ", " << how;
      };
      auto const operand_of = across;
      run<matrix>(
          "rows", row_softmax,
          {{rows}, {columns}, {{operand_of.data(), {1}, {rows}}}, {{across.data(), {1}, {rows}}}});
      check("to another array");
      across = operand_of;
      run<matrix>(
          "rows", row_softmax,
          {{rows}, {columns}, {{across.data(), {1}, {rows}}}, {{across.data(), {1}, {rows}}}});
      check("in place");
      if (columns % 3 != 0 || rows % 5 != 0) continue;
      across = operand_of;
      run<matrix>("rows", row_softmax,
                  {{rows / 5, 5},
                   {columns / 3, 3},
                   {{operand_of.data(), {5, 1}, {3 * rows, rows}}},
                   {{across.data(), {5, 1}, {3 * rows, rows}}}});
      check("along four axes");
    }
}

TEST(cpu_rows, row_and_element_stores_and_row_loads) {
  for (long long columns : {0, 1, 33, 1025}) {
    long long const rows = 9;
    auto x = random_values(rows * columns, 0, 1), weight = random_values(rows);
    std::vector<float> shifted(x.size()), largest(static_cast<std::size_t>(rows)), spread(x.size());
    using column = tensor_argument<dtype::f32, dyn, 1>;
    run<matrix, column>("rows",
                        [](auto x, auto w) {
                          auto m = max(x, axis<1>, keepdim);
                          return outputs(x * w - m, sum(x * 0.0f, axis<1>) + max(x, axis<1>),
                                         x * 0.0f + m);
                        },
                        {{rows},
                         {columns},
                         {in_row_major(x.data(), columns), {weight.data(), {1}, {}}},
                         {in_row_major(shifted.data(), columns),
                          {largest.data(), {1}, {}},
                          in_row_major(spread.data(), columns)}});
    for (long long i = 0; i < rows; ++i) {
      float m = -INFINITY;
      for (long long j = 0; j < columns; ++j) m = std::max(m, x[i * columns + j]);
      ASSERT_EQ(largest[i], m) << columns;
      for (long long j = 0; j < columns; ++j) {
        ASSERT_NEAR(shifted[i * columns + j], x[i * columns + j] * double(weight[i]) - m,
                    4 * float_roundoff);
        ASSERT_EQ(spread[i * columns + j], m);
      }
    }
  }
}

TEST(cpu_rows, not_a_number_reaches_the_result) {
  auto x = random_values(2 * 1500);
  x[1700] = NAN;
  std::vector<float> z(2);
  run<matrix>("rows", [](auto x) { return max(x, axis<1>); },
              {{2}, {1500}, {in_row_major(x.data(), 1500)}, {{z.data(), {1}, {}}}});
  EXPECT_FALSE(std::isnan(z[0]));
  EXPECT_TRUE(std::isnan(z[1]));
}

}  // namespace
}  // namespace tenon::cpu_test
