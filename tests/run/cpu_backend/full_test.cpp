// SPDX-License-Identifier: Apache-2.0
// Reductions to one value on the CPU backend, in one sweep or over the rows' results: accuracy, and
// bits that are the same for any number of threads.
//
// tenon-test: nvcc-host
// tenon-test: optimized
#if defined(_OPENMP)
#include <omp.h>
#endif

#include "run/cpu_backend/support.hpp"

namespace tenon::cpu_test {
namespace {

constexpr auto total = [](auto x) { return sum(x, axis<0, 1>); };
constexpr auto mean_of_silu = [](auto x) { return mean(silu(sum(x, axis<1>))); };

std::vector<float> run_total(std::vector<float> const& x, long long n) {
  std::vector<float> z(1);
  run<matrix>("full", total, {{}, {n}, {{x.data(), {}, {1}}}, {{z.data(), {}, {}}}});
  return z;
}

std::vector<float> run_nested(std::vector<float> const& x, long long rows, long long columns) {
  std::vector<float> z(1);
  run<matrix>("nested", mean_of_silu,
              {{rows},
               {columns},
               {in_row_major(x.data(), columns)},
               {{z.data(), {}, {}}},
               {word(static_cast<float>(rows))}});
  return z;
}

// The results of one, two and three threads.
template <class Run> void expect_same_bits_for_any_thread_count(Run const& run_once) {
#if defined(_OPENMP)
  int const usual = omp_get_max_threads();
  omp_set_num_threads(1);
  auto expected = run_once();
  for (int threads : {2, 3}) {
    omp_set_num_threads(threads);
    EXPECT_TRUE(has_same_bits(run_once(), expected)) << threads << " threads";
  }
  omp_set_num_threads(usual);
#else
  EXPECT_TRUE(has_same_bits(run_once(), run_once()));
#endif
}

TEST(cpu_full, sum_of_all_extents) {
  for (long long n : extents) {
    auto x = random_values(n, 0, 1);
    double expected = 0;
    for (long long i = 0; i < n; ++i) expected += x[i];
    EXPECT_NEAR(run_total(x, n)[0], expected, expected * sum_tolerance(n)) << n;
  }
}

TEST(cpu_full, sum_of_many_equal_terms_keeps_its_accuracy) {
  long long const n = 20000003;
  std::vector<float> x(static_cast<std::size_t>(n), 0.1f);
  double expected = static_cast<double>(n) * static_cast<double>(0.1f);
  EXPECT_NEAR(run_total(x, n)[0], expected, expected * sum_tolerance(n));
}

TEST(cpu_full, elements_and_their_sum_in_one_sweep) {
  for (long long n : extents) {
    auto x = random_values(n, 0, 1);
    std::vector<float> squares(x.size());
    float norm = -1;
    run<matrix>("full", [](auto x) { return outputs(square(x), sqrt(sum(square(x), axis<0, 1>))); },
                {{}, {n}, {{x.data(), {}, {1}}}, {{squares.data(), {}, {1}}, {&norm, {}, {}}}});
    double expected = 0;
    for (long long i = 0; i < n; ++i) {
      ASSERT_EQ(squares[i], x[i] * x[i]);
      expected += double(x[i]) * x[i];
    }
    EXPECT_NEAR(norm, std::sqrt(expected), std::sqrt(expected) * sum_tolerance(n)) << n;
  }
}

TEST(cpu_full, reductions_of_one_phase_share_the_sweep) {
  long long const n = 40009;
  auto x = random_values(n);
  float low = 0, high = 0;
  run<matrix>("full", [](auto x) { return outputs(min(x, axis<0, 1>), max(x, axis<0, 1>)); },
              {{}, {n}, {{x.data(), {}, {1}}}, {{&low, {}, {}}, {&high, {}, {}}}});
  EXPECT_EQ(low, *std::min_element(x.begin(), x.begin() + n));
  EXPECT_EQ(high, *std::max_element(x.begin(), x.begin() + n));
}

TEST(cpu_nested, mean_of_silu_of_row_sums) {
  for (long long rows : {1, 31, 32, 33, 1000, 3001})
    for (long long columns : {0, 1, 33, 40, 1025}) {
      auto x = random_values(rows * columns);
      double expected = 0, magnitude = 0;
      for (long long i = 0; i < rows; ++i) {
        double s = 0;
        for (long long j = 0; j < columns; ++j)
          s += x[i * columns + j], magnitude += std::abs(x[i * columns + j]);
        expected += s / (1 + std::exp(-s)) / double(rows);
      }
      // silu's slope is below 1.1
      double tolerance =
          1.1 * magnitude / double(rows) * (sum_tolerance(columns) + sum_tolerance(rows)) + 1e-7;
      EXPECT_NEAR(run_nested(x, rows, columns)[0], expected, tolerance) << rows << "x" << columns;
    }
}

TEST(cpu_nested, of_no_rows_is_the_identity) {
  auto x = random_values(0);
  EXPECT_TRUE(std::isnan(run_nested(x, 0, 5)[0]));  // 0 / 0
}

TEST(cpu_threads, full_and_nested_sums_have_the_same_bits) {
  auto x = random_values(700 * 1501);
  expect_same_bits_for_any_thread_count([&] { return run_total(x, 700 * 1501); });
  expect_same_bits_for_any_thread_count([&] { return run_nested(x, 700, 1501); });
  expect_same_bits_for_any_thread_count([&] { return run_nested(x, 7, 100 * 1501); });
  expect_same_bits_for_any_thread_count([&] { return run_nested(x, 100 * 1501, 7); });
}

}  // namespace
}  // namespace tenon::cpu_test
