// SPDX-License-Identifier: Apache-2.0
// Entropies of softmax along an axis, as they are written with its logarithm, alone and beside what
// else such a row is for, against double: types x lengths x layouts x what stands there.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"
#include "run/support/near.hpp"

namespace {

using reference::doubles;
using limits = std::numeric_limits<double>;

// Of [rows, columns] along axis 1.
struct row_facts {
  doubles entropies, logarithms;
  explicit row_facts(doubles const& x) : entropies({x.extents[0]}), logarithms({x.extents[0]}) {
    std::int64_t const columns = x.extents[1];
    for (std::int64_t i = 0; i < x.extents[0]; ++i) {
      double most = -limits::infinity();
      long double sum = 0, entropy = 0;
      for (std::int64_t j = 0; j < columns; ++j) {
        double const each = x[i * columns + j];
        most = std::isnan(each) || each > most ? each : most;
        if (std::isnan(each)) break;
      }
      for (std::int64_t j = 0; j < columns; ++j) sum += std::exp(x[i * columns + j] - most);
      for (std::int64_t j = 0; j < columns; ++j) {
        long double const logarithm = x[i * columns + j] - most - std::log(sum);
        entropy -= std::exp(logarithm) * logarithm;
      }
      entropies[i] = static_cast<double>(entropy);
      logarithms[i] = static_cast<double>(x[i * columns + columns / 2] - most - std::log(sum));
    }
  }
};

template <class T> doubles rows_of_all_kinds(std::int64_t rows, std::int64_t columns) {
  doubles values =
      random_array<double, 2>({rows, columns}, arrangement::contiguous, -8, 8).values();
  for (std::int64_t j = 0; j < columns; ++j) {
    if (rows > 1 && j % 3 == 1) values[columns + j] = -300;  // shares that are 0
    if (rows > 2 && j + 1 == columns) values[2 * columns + j] = -limits::infinity();
    if (rows > 3 && j == columns / 2) values[3 * columns + j] = limits::infinity();
    if (rows > 4) values[4 * columns + j] = -limits::infinity();
    if (rows > 5 && j == columns / 3) values[5 * columns + j] = limits::quiet_NaN();
    if (rows > 6) values[6 * columns + j] = 3;
    if (rows > 7) values[7 * columns + j] = j == columns / 3 ? 40 : -40;
    if (rows > 8) values[8 * columns + j] += 4000;
  }
  return values;
}

template <class T> void check(std::int64_t rows, std::int64_t columns, arrangement how) {
  static auto const alone = tn::compile([](auto x) {
    auto l = tn::log_softmax(x, tn::axis<1>);
    return -tn::sum(tn::exp(l) * l, tn::axis<1>);
  });
  static auto const of_shares = tn::compile([](auto x) {
    return tn::sum(tn::log_softmax(x, tn::axis<1>) * tn::softmax(x, tn::axis<1>), tn::axis<1>);
  });
  static auto const beside = tn::compile([](auto x, auto at) {
    auto l = tn::log_softmax(x, tn::axis<1>);
    auto chosen = tn::take_along_axis(l, tn::unsqueeze(at, tn::axis<1>), tn::axis<1>);
    return tn::outputs(tn::squeeze(chosen, tn::axis<1>), -tn::sum(l * tn::exp(l), tn::axis<1>));
  });
  static auto const of_columns = tn::compile([](auto x) {
    auto l = tn::log_softmax(x, tn::axis<0>);
    return -tn::sum(tn::exp(l) * l, tn::axis<0>);
  });
  constexpr bool is_double = std::is_same_v<T, double>;
  constexpr double near = is_double ? 1e-13 : 2e-6, stored = is_double || sizeof(T) == 4   ? 0
                                                             : std::is_same_v<T, tn::half> ? 0x1p-11
                                                                                           : 0x1p-8;
  std::string const what =
      std::to_string(rows) + " x " + std::to_string(columns) + " " + to_string(how);
  array<T, 2> x({rows, columns}, how);
  x.set(rows_of_all_kinds<T>(rows, columns));
  row_facts const expected(x.values());
  expect_near(result_of(alone(x.view())), expected.entropies, near + stored, near, what);
  doubles negated = expected.entropies;
  for (std::int64_t i = 0; i < rows; ++i) negated[i] = -negated[i];
  expect_near(result_of(of_shares(x.view())), negated, near + stored, near, what + " of shares");
  array<std::int64_t, 1> at({rows}, arrangement::contiguous);
  doubles places({rows});
  for (std::int64_t i = 0; i < rows; ++i) places[i] = static_cast<double>(columns / 2);
  at.set(places);
  auto const [logarithms, entropies] = beside(x.view(), at.view());
  expect_near(result_of(entropies), expected.entropies, near + stored, near, what + " beside");
  expect_near(result_of(logarithms), expected.logarithms, near + stored, near, what + " chosen");
  if (how == arrangement::repeated) return;
  array<T, 2> y({columns, rows}, how);
  doubles const given = x.values();
  doubles turned({columns, rows});
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) turned[j * rows + i] = given[i * columns + j];
  y.set(turned);
  expect_near(result_of(of_columns(y.view())), expected.entropies, near + stored, near,
              what + " of columns");
}

template <class T> void check_all() {
  for (std::int64_t columns : {1, 2, 7, 31, 33, 64, 100, 1023, 4096, 4099, 20000})
    check<T>(10, columns, arrangement::contiguous);
  for (arrangement how : arrangements) check<T>(9, 257, how), check<T>(3, 1000, how);
  check<T>(2000, 33, arrangement::contiguous), check<T>(300, 512, arrangement::contiguous);
}

TEST(entropy, of_f32) { check_all<float>(); }
TEST(entropy, of_bf16) { check_all<tn::bfloat16>(); }
TEST(entropy, of_f16) { check_all<tn::half>(); }
TEST(entropy, of_f64) { check_all<double>(); }

// The shares of rows add up to 1 beside their entropy, too.
TEST(entropy, beside_shares) {
  auto const f = tn::compile([](auto x) {
    auto p = tn::softmax(x, tn::axis<1>);
    return tn::outputs(p, -tn::sum(p * tn::log_softmax(x, tn::axis<1>), tn::axis<1>));
  });
  auto x = random_array<float, 2>({5, 3000}, arrangement::contiguous, -8, 8);
  auto const [shares, entropies] = f(x.view());
  doubles const p = result_of(shares);
  for (std::int64_t i = 0; i < 5; ++i) {
    double total = 0;
    for (std::int64_t j = 0; j < 3000; ++j) total += p[i * 3000 + j];
    EXPECT_NEAR(total, 1, 4 * 0x1p-24) << "row " << i;
  }
  expect_near(result_of(entropies), row_facts(x.values()).entropies, 2e-6, 2e-6, "beside shares");
}

}  // namespace
