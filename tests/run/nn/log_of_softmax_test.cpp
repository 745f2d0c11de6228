// SPDX-License-Identifier: Apache-2.0
// Logarithms of shares of rows and columns, and entropies, against double: types x lengths x
// layouts, and what stands in rows whose shares are 0, infinite or no number.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"
#include "run/support/near.hpp"

namespace {

using reference::doubles;
using limits = std::numeric_limits<double>;

// Of [rows, columns] along axis 1. A share that T's arithmetic has as 0 is 0; no operand of these
// tests comes near the smallest ones that are not.
struct row_shares {
  doubles logarithms, entropies;
  row_shares(doubles const& x, double least) : logarithms(x), entropies({x.extents[0]}) {
    std::int64_t const columns = x.extents[1];
    for (std::int64_t i = 0; i < x.extents[0]; ++i) {
      double most = -limits::infinity();
      long double sum = 0, entropy = 0;
      bool has_nan = false;
      for (std::int64_t j = 0; j < columns; ++j) {
        most = std::max(most, x[i * columns + j]);
        has_nan = has_nan || std::isnan(x[i * columns + j]);
      }
      if (has_nan) most = limits::quiet_NaN();
      for (std::int64_t j = 0; j < columns; ++j) sum += std::exp(x[i * columns + j] - most);
      for (std::int64_t j = 0; j < columns; ++j) {
        double const logarithm = static_cast<double>(x[i * columns + j] - most - std::log(sum));
        bool const is_none = logarithm < least;
        logarithms[i * columns + j] = is_none ? -limits::infinity() : logarithm;
        entropy -= is_none ? limits::quiet_NaN() : std::exp(logarithm) * logarithm;
      }
      entropies[i] = static_cast<double>(entropy);
    }
  }
};

doubles turned(doubles const& x) {
  doubles result({x.extents[1], x.extents[0]});
  for (std::int64_t i = 0; i < x.extents[0]; ++i)
    for (std::int64_t j = 0; j < x.extents[1]; ++j)
      result[j * x.extents[0] + i] = x[i * x.extents[1] + j];
  return result;
}

// Roundings: of T to the result, and of its arithmetic on the way.
template <class T> void check(std::int64_t rows, std::int64_t columns, arrangement how) {
  static auto const logarithms =
      tn::compile([](auto x) { return tn::log(tn::softmax(x, tn::axis<1>)); });
  static auto const entropies = tn::compile([](auto x) {
    auto p = tn::softmax(x, tn::axis<1>);
    return -tn::sum(p * tn::log(p), tn::axis<1>);
  });
  static auto const of_columns = tn::compile([](auto x) {
    auto e = tn::exp(x - tn::max(x, tn::axis<0>, tn::keepdim));
    return tn::log(e / tn::sum(e, tn::axis<0>, tn::keepdim));
  });
  constexpr bool is_double = std::is_same_v<T, double>;
  constexpr double arithmetic = is_double ? 1e-14 : 4e-6,
                   stored = is_double                     ? 0
                            : sizeof(T) == 4              ? 0
                            : std::is_same_v<T, tn::half> ? 0x1p-11
                                                          : 0x1p-8,
                   least = is_double ? -740 : -100;
  std::string const what =
      std::to_string(rows) + " x " + std::to_string(columns) + " " + to_string(how);
  array<T, 2> x({rows, columns}, how);
  doubles values =
      random_array<double, 2>({rows, columns}, arrangement::contiguous, -8, 8).values();
  // One row has shares that are 0, one all of one element, one each infinities, and NaN.
  for (std::int64_t j = 0; j < columns; ++j) {
    if (rows > 1 && j % 3 == 1) values[columns + j] = is_double ? -2000 : -300;
    if (rows > 2 && j > 0) values[2 * columns + j] = -limits::infinity();
    if (rows > 3 && j == columns / 2) values[3 * columns + j] = limits::infinity();
    if (rows > 4) values[4 * columns + j] = -limits::infinity();
    if (rows > 5 && j + 1 == columns) values[5 * columns + j] = limits::quiet_NaN();
    if (rows > 6) values[6 * columns + j] = 3;
    if (rows > 7) values[7 * columns + j] = j == columns / 3 ? 40 : -40;
  }
  x.set(values);
  row_shares const expected(x.values(), least);
  double const absolute = arithmetic;
  expect_near(result_of(logarithms(x.view())), expected.logarithms, arithmetic + stored, absolute,
              what + " logarithms");
  expect_near(result_of(entropies(x.view())), expected.entropies, 4 * arithmetic + stored,
              4 * absolute, what + " entropies");
  if (how == arrangement::repeated) return;
  array<T, 2> y({columns, rows}, how);
  y.set(turned(x.values()));
  expect_near(result_of(of_columns(y.view())), turned(expected.logarithms), arithmetic + stored,
              absolute, what + " of columns");
}

template <class T> void check_all() {
  for (std::int64_t columns : {1, 2, 31, 33, 64, 100, 1023, 1024, 4096, 4099, 20000})
    check<T>(9, columns, arrangement::contiguous);
  for (arrangement how : arrangements) check<T>(8, 257, how), check<T>(3, 1000, how);
}

TEST(log_of_softmax, of_f32) { check_all<float>(); }
TEST(log_of_softmax, of_bf16) { check_all<tn::bfloat16>(); }
TEST(log_of_softmax, of_f16) { check_all<tn::half>(); }
TEST(log_of_softmax, of_f64) { check_all<double>(); }

}  // namespace
