// SPDX-License-Identifier: Apache-2.0
// Scans of short rows against plain loops: rows of every number of lanes, more and fewer of them
// than a warp or a block has, in every type and arrangement, behind and beside statistics of the
// row.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"

namespace {

using reference::doubles;
constexpr std::int64_t lengths[] = {1,  2,  3,  4,  5,   8,   9,   16,  17,
                                    31, 33, 64, 65, 100, 128, 255, 256, 257};
constexpr std::int64_t row_counts[] = {1, 2, 5, 33, 300};

// Whole numbers whose running sums are small, so that they are exact in every type.
double small(std::int64_t k) { return static_cast<double>(k * 7 % 5 - 2); }
doubles small_numbers(std::int64_t rows, std::int64_t n) {
  doubles result({rows, n});
  for (std::int64_t k = 0; k < rows * n; ++k) result[k] = small(k % n + k / n);
  return result;
}
doubles running_sums(doubles const& x) {
  doubles result = x;
  for (std::int64_t k = 0; k < x.size(); ++k)
    if (k % x.extents[1] > 0) result[k] += result[k - 1];
  return result;
}

template <class T> void check_rows(std::int64_t rows, std::int64_t n) {
  static auto const sums = tn::compile([](auto x) { return tn::cumsum(x, tn::axis<1>); });
  doubles const values = small_numbers(rows, n), expected = running_sums(values);
  for (arrangement how : writable_arrangements) {
    array<T, 2> x({rows, n}, how);
    x.set(values);
    ASSERT_EQ(result_of(sums(x.view())).values, expected.values)
        << rows << " x " << n << to_string(how);
  }
}
template <class T> void check_type() {
  for (std::int64_t n : lengths)
    for (std::int64_t rows : row_counts) check_rows<T>(rows, n);
}

TEST(short_scans, rows_of_every_number_of_lanes) { check_type<float>(); }
TEST(short_scans, of_half_and_of_double_width) {
  check_type<tn::bfloat16>();
  check_type<double>();
  check_type<std::int64_t>();
}

TEST(short_scans, rows_without_elements_and_no_rows) {
  check_rows<float>(0, 16);
  check_rows<float>(40, 0);
}

// The row's own total and greatest element are there before its scan, and leave beside it.
TEST(short_scans, behind_and_beside_statistics_of_the_row) {
  auto const f = tn::compile([](auto x) {
    auto greatest = tn::amax(x, tn::axis<1>, tn::keepdim);
    auto total = tn::sum(x - greatest, tn::axis<1>, tn::keepdim);
    return tn::outputs(tn::cumsum(x - greatest, tn::axis<1>) - total,
                       tn::squeeze(total, tn::axis<1>));
  });
  for (std::int64_t n : {1, 7, 16, 33, 100, 256})
    for (std::int64_t rows : {1, 13, 130})
      for (arrangement how : writable_arrangements) {
        array<float, 2> x({rows, n}, how);
        doubles const values = small_numbers(rows, n);
        x.set(values);
        auto [scanned, totals] = f(x.view());
        doubles const found = result_of(scanned), found_totals = result_of(totals);
        for (std::int64_t r = 0; r < rows; ++r) {
          double greatest = values[r * n], total = 0, so_far = 0;
          for (std::int64_t k = 0; k < n; ++k) greatest = std::max(greatest, values[r * n + k]);
          for (std::int64_t k = 0; k < n; ++k) total += values[r * n + k] - greatest;
          ASSERT_EQ(found_totals[r], total) << rows << " x " << n << to_string(how);
          for (std::int64_t k = 0; k < n; ++k) {
            so_far += values[r * n + k] - greatest;
            ASSERT_EQ(found[r * n + k], so_far - total)
                << rows << " x " << n << " at " << r << ", " << k << to_string(how);
          }
        }
      }
}

TEST(short_scans, the_bits_of_a_row_do_not_depend_on_the_others) {
  auto const f = tn::compile([](auto x) { return tn::logcumsumexp(x, tn::axis<1>); });
  for (std::int64_t n : {3, 16, 33, 200}) {
    auto x = random_array<float, 2>({70, n}, arrangement::contiguous, -5, 5);
    doubles const values = x.values(), all = result_of(f(x.view()));
    for (std::int64_t row : {0, 1, 31, 69}) {
      array<float, 2> one({1, n});
      doubles own({1, n});
      for (std::int64_t k = 0; k < n; ++k) own[k] = values[row * n + k];
      one.set(own);
      doubles const alone = result_of(f(one.view()));
      for (std::int64_t k = 0; k < n; ++k)
        ASSERT_EQ(alone[k], all[row * n + k]) << n << ", " << row;
    }
  }
}

// A missing number stays where it is: the scan of its row is missing from there on, that of its
// neighbours is not.
TEST(short_scans, missing_numbers_stay_in_their_row) {
  auto const f = tn::compile([](auto x) { return tn::cumsum(x, tn::axis<1>); });
  array<float, 2> x({50, 9});
  doubles values = small_numbers(50, 9);
  values[20 * 9 + 4] = std::numeric_limits<double>::quiet_NaN();
  x.set(values);
  doubles const found = result_of(f(x.view()));
  for (std::int64_t k = 0; k < found.size(); ++k)
    ASSERT_EQ(std::isnan(found[k]), k / 9 == 20 && k % 9 >= 4) << k;
}

// Rows along two axes, of weights that all rows have in common, and of the positions themselves.
TEST(short_scans, of_several_operands_and_axes) {
  auto const f = tn::compile([](auto x, auto w) {
    return tn::cumsum(tn::transpose(x, tn::axis<1, 0, 2>) * w, tn::axis<2>);
  });
  for (std::int64_t n : {5, 16, 40}) {
    array<float, 3> x({6, 7, n});
    array<float, 1> w({n});
    doubles values({6, 7, n}), weights({n});
    for (std::int64_t k = 0; k < values.size(); ++k) values[k] = small(k);
    for (std::int64_t k = 0; k < n; ++k) weights[k] = static_cast<double>(k % 3);
    x.set(values), w.set(weights);
    doubles const found = result_of(f(x.view(), w.view()));
    for (std::int64_t i = 0; i < 7; ++i)
      for (std::int64_t j = 0; j < 6; ++j) {
        double so_far = 0;
        for (std::int64_t k = 0; k < n; ++k) {
          so_far += values[(j * 7 + i) * n + k] * weights[k];
          ASSERT_EQ(found[(i * 6 + j) * n + k], so_far) << n << ": " << i << ", " << j << ", " << k;
        }
      }
  }
}

}  // namespace
