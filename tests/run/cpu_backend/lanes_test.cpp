// SPDX-License-Identifier: Apache-2.0
// Reductions in lanes and values that are kept from one sweep of a row to the next, beside naive
// loops in double.
//
// tenon-test: cpu-only
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tenon/tenon.hpp"

namespace tenon::cpu_test {
namespace {

namespace tn = tenon;
using matrix = tn::cpu::tensor<float, tn::dyn, tn::dyn>;
using vector = tn::cpu::tensor<float, tn::dyn>;

constexpr int lengths[] = {1,   2,   15,  16,   17,   31,   33,   127,
                           128, 129, 143, 1023, 1024, 1025, 1040, 3001};

struct statistics {
  double mean, m2, magnitude;
};
statistics statistics_of(float const* x, int count) {
  double sum = 0, squares = 0, magnitude = 0;
  for (int i = 0; i < count; ++i) sum += x[i], magnitude += std::abs(x[i]);
  double const mean = sum / count;
  for (int i = 0; i < count; ++i) squares += (x[i] - mean) * (x[i] - mean);
  return {mean, squares, magnitude / count};
}

// Variances of numbers far from zero, of a first number far from the others, and of equal ones.
TEST(cpu_lanes, variances_lose_nothing_to_a_distant_mean) {
  auto const variance_and_mean = tn::compile([](auto x) {
    return tn::outputs(tn::var(x, tn::axis<1>, tn::correction<0>), tn::mean(x, tn::axis<1>));
  });
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  for (int length : lengths) {
    matrix x(4, length);
    for (int i = 0; i < length; ++i) {
      float* column = x.data() + i;
      column[0] = normal(random);
      column[length] = 1e6f + std::round(64 * normal(random)) / 16;
      column[2 * length] = i == 0 ? 1e4f : normal(random);
      column[3 * length] = 0.1f;
    }
    vector variance(4), mean(4);
    variance_and_mean.into(variance, mean)(x);
    for (int row = 0; row < 4; ++row) {
      statistics const exact = statistics_of(x.data() + row * length, length);
      double const expected = exact.m2 / length;
      // The mean of a part of the row is a float.
      double const rounded = 0x1p-24 * exact.mean;
      EXPECT_NEAR(variance.data()[row], expected, 2e-5 * expected + rounded * rounded)
          << row << " of " << length;
      // 2 log2(n) units of what is added.
      EXPECT_NEAR(mean.data()[row], exact.mean, 24 * 0x1p-24 * exact.magnitude)
          << row << " of " << length;
    }
  }
}

// Deviations times another operand come with the mean: the co-moment.
TEST(cpu_lanes, sums_come_with_the_mean) {
  auto const covariance = tn::compile([](auto x, auto y) {
    return tn::mean((x - tn::mean(x, tn::axis<1>, tn::keepdim)) * y, tn::axis<1>);
  });
  std::mt19937 random(8);
  std::normal_distribution<float> normal;
  for (int length : lengths) {
    matrix x(1, length), y(1, length);
    for (int i = 0; i < length; ++i)
      x.data()[i] = 100 + normal(random), y.data()[i] = 3 + normal(random);
    vector result(1);
    covariance.into(result)(x, y);
    double const mean = statistics_of(x.data(), length).mean;
    double expected = 0, magnitude = 0;
    for (int i = 0; i < length; ++i) {
      double const term = (x.data()[i] - mean) * y.data()[i];
      expected += term / length, magnitude += std::abs(term) / length;
    }
    EXPECT_NEAR(result.data()[0], expected, 1e-5 * magnitude + 2e-6) << length;
  }
}

TEST(cpu_lanes, extremes_are_in_the_order_of_the_floats) {
  auto const extremes = tn::compile(
      [](auto x) { return tn::outputs(tn::max(x, tn::axis<1>), tn::min(x, tn::axis<1>)); });
  float const infinity = std::numeric_limits<float>::infinity();
  float const nan = std::numeric_limits<float>::quiet_NaN();
  float const least = std::numeric_limits<float>::denorm_min();
  // The value that row k has at one of its places, beside zeros of both signs.
  float const values[] = {least, -least, infinity, -infinity, nan, -nan, 0.0f, -1e30f};
  for (int length : lengths) {
    matrix x(8, length);
    for (int row = 0; row < 8; ++row)
      for (int i = 0; i < length; ++i)
        x.data()[row * length + i] = i == length * 5 / 7 ? values[row] : -0.0f;
    vector largest(8), smallest(8);
    extremes.into(largest, smallest)(x);
    for (int row = 0; row < 8; ++row) {
      float const zero = length > 1 ? -0.0f : values[row];
      float const highest = largest.data()[row], lowest = smallest.data()[row];
      if (std::isnan(values[row])) {
        EXPECT_TRUE(std::isnan(highest) && std::isnan(lowest)) << row << " of " << length;
        continue;
      }
      bool const is_above = values[row] > 0 || std::bit_cast<int>(values[row]) == 0;
      EXPECT_EQ(std::bit_cast<int>(highest), std::bit_cast<int>(is_above ? values[row] : zero))
          << row << " of " << length;
      EXPECT_EQ(std::bit_cast<int>(lowest), std::bit_cast<int>(is_above ? zero : values[row]))
          << row << " of " << length;
    }
  }
}

// The first of equal elements, NaN before any number; beginning from either end.
TEST(cpu_lanes, positions_of_extremes_are_the_first_ones) {
  auto const positions = tn::compile([](auto x) {
    auto const last = tn::flip(x, tn::axis<1>);
    return tn::outputs(tn::argmax(x, tn::axis<1>), tn::argmin(x, tn::axis<1>),
                       tn::argmax(last, tn::axis<1>));
  });
  float const infinity = std::numeric_limits<float>::infinity();
  float const nan = std::numeric_limits<float>::quiet_NaN();
  // What all elements of a row are, and what two of them are instead.
  float const common[] = {0, -infinity, infinity, 1, nan}, special[] = {2, 1, -5, nan, 3};
  using indices = tn::cpu::tensor<long long, tn::dyn>;
  for (int length : lengths) {
    matrix x(5, length);
    int const first = length / 3, second = length * 5 / 7;
    for (int row = 0; row < 5; ++row)
      for (int i = 0; i < length; ++i)
        x.data()[row * length + i] = i == first || i == second ? special[row] : common[row];
    indices largest(5), smallest(5), largest_from_end(5);
    positions.into(largest, smallest, largest_from_end)(x);
    for (int row = 0; row < 5; ++row) {
      float const* const values = x.data() + row * length;
      auto const best = [&](auto is_better) {
        int k = 0;
        for (int i = 1; i < length; ++i)
          if ((std::isnan(values[i]) && !std::isnan(values[k])) || is_better(values[i], values[k]))
            k = i;
        return k;
      };
      int last = 0;
      for (int i = length - 1, k = length - 1; i >= 0; --i) {
        if ((std::isnan(values[i]) && !std::isnan(values[k])) || values[i] > values[k]) k = i;
        last = length - 1 - k;
      }
      EXPECT_EQ(largest.data()[row], best([](float a, float b) { return a > b; }))
          << row << " of " << length;
      EXPECT_EQ(smallest.data()[row], best([](float a, float b) { return a < b; }))
          << row << " of " << length;
      EXPECT_EQ(largest_from_end.data()[row], last) << row << " of " << length;
    }
  }
}

TEST(cpu_lanes, logarithms_of_sums_of_exponentials) {
  auto const log_sum = tn::compile([](auto x) { return tn::logsumexp(x, tn::axis<1>); });
  float const infinity = std::numeric_limits<float>::infinity();
  std::mt19937 random(10);
  std::normal_distribution<float> normal;
  for (int length : lengths) {
    matrix x(6, length);
    for (int i = 0; i < length; ++i) {
      float* column = x.data() + i;
      bool const is_special = i == length * 5 / 7;
      column[0] = 20 * normal(random);
      column[length] = static_cast<float>(i) / 4 - 300;  // each is the largest so far
      column[2 * length] = -infinity;
      column[3 * length] = is_special ? infinity : normal(random);
      column[4 * length] = is_special ? std::nanf("") : normal(random);
      column[5 * length] = is_special ? 1000 : -infinity;
    }
    vector result(6);
    log_sum.into(result)(x);
    for (int row = 0; row < 2; ++row) {
      float const* const values = x.data() + row * length;
      double const most = *std::max_element(values, values + length);
      double sum = 0;
      for (int i = 0; i < length; ++i) sum += std::exp(values[i] - most);
      double const expected = most + std::log(sum);
      // A float's rounding of the result, and of terms and their sum.
      EXPECT_NEAR(result.data()[row], expected, 0x1p-23 * std::abs(expected) + 4e-6)
          << row << " of " << length;
    }
    EXPECT_EQ(result.data()[2], -infinity);
    EXPECT_EQ(result.data()[3], infinity);
    EXPECT_TRUE(std::isnan(result.data()[4]));
    EXPECT_EQ(result.data()[5], 1000);
  }
}

// Exponentials of rows that the caches hold are kept for the division; in place, too.
TEST(cpu_kept_values, softmax_of_rows_of_either_side_of_the_limit) {
  auto const softmax = tn::compile([](auto x) { return tn::softmax(x * 3.0f, tn::axis<-1>); });
  std::mt19937 random(9);
  std::normal_distribution<float> normal;
  for (int length : {1, 33, 1024, 4097, 16384, 16385, 40000}) {
    matrix x(3, length), out(3, length);
    for (int i = 0; i < 3 * length; ++i) x.data()[i] = normal(random);
    std::vector<float> const given(x.data(), x.data() + 3 * length);
    softmax.into(out)(x);
    softmax.into(x)(x);
    for (int row = 0; row < 3; ++row) {
      float const* const first = given.data() + row * length;
      double const most = *std::max_element(first, first + length);
      double sum = 0;
      for (int i = 0; i < length; ++i) sum += std::exp(3 * (first[i] - most));
      for (int i = 0; i < length; ++i) {
        double const expected = std::exp(3 * (first[i] - most)) / sum;
        // The exponent is rounded to 2^-24 of itself, which is at most some 30.
        ASSERT_NEAR(out.data()[row * length + i], expected, 4e-6 * expected)
            << row << ", " << i << " of " << length;
        ASSERT_EQ(out.data()[row * length + i], x.data()[row * length + i]);
      }
    }
  }
}

}  // namespace
}  // namespace tenon::cpu_test
