// SPDX-License-Identifier: Apache-2.0
// The first elements of rows of any length and place against a stable sort: types x lengths x
// layouts, with ties, NaN, infinities and zeros of both signs.
#include <algorithm>
#include <numeric>

#include "run/support/arrays.hpp"

namespace {

using reference::doubles;
using limits = std::numeric_limits<double>;

doubles elements(std::int64_t rows, std::int64_t columns, bool is_special) {
  doubles x = random_array<float, 2>({rows, columns}, arrangement::contiguous, -99, 99).values();
  for (double& each : x.values) each = std::floor(each);
  if (!is_special) return x;
  for (std::int64_t i = 0; i < x.size(); ++i) {
    std::int64_t const row = i / columns, column = i % columns;
    if (row == 0) x[i] = column % 2 == 0 ? -0.0 : 0.0;
    if (row == 1 && column % 5 == 3) x[i] = limits::quiet_NaN();
    if (row == 2) x[i] = column % 3 == 0 ? -limits::infinity() : limits::infinity();
    if (row == 3) x[i] = -1;
    if (row == 4) x[i] = static_cast<double>(column % 251);
    if (row == 5) x[i] = -static_cast<double>(column % 251);
    if (row == 6) x[i] = -limits::infinity();
  }
  return x;
}

template <class T, int Count>
void check(std::int64_t rows, std::int64_t columns, arrangement how, bool is_special) {
  static auto const best = tn::compile([](auto x) {
    auto [values, places] = tn::topk(x, tn::axis<1>, tn::ct<Count>);
    return tn::outputs(values, places);
  });
  static auto const worst = tn::compile([](auto x) {
    auto [values, places] = tn::topk(x, tn::axis<1>, tn::ct<Count>, tn::smallest);
    return tn::outputs(values, places);
  });
  array<T, 2> x({rows, columns}, how, elements(rows, columns, is_special));
  doubles const of = x.values();
  auto const [high, high_places] = best(x.view());
  auto const [low, low_places] = worst(x.view());
  doubles const found[] = {result_of(high), result_of(low)},
                places[] = {result_of(high_places), result_of(low_places)};
  for (bool is_least : {false, true})
    for (std::int64_t row = 0; row < rows; ++row) {
      std::vector<std::int64_t> order(static_cast<std::size_t>(columns));
      std::iota(order.begin(), order.end(), 0);
      auto const at = [&](std::int64_t k) { return of[row * columns + k]; };
      std::stable_sort(order.begin(), order.end(), [&](auto i, auto j) {
        double const a = is_least ? at(j) : at(i), b = is_least ? at(i) : at(j);
        return std::isnan(a) ? !std::isnan(b) : a > b;  // NaN is the greatest
      });
      for (std::int64_t k = 0; k < Count; ++k) {
        std::string const what = std::to_string(rows) + " x " + std::to_string(columns) + " " +
                                 to_string(how) + (is_least ? " least" : "") + " row " +
                                 std::to_string(row) + " number " + std::to_string(k);
        std::int64_t const place = order[static_cast<std::size_t>(k)];
        double const value = found[is_least][row * Count + k];
        ASSERT_EQ(places[is_least][row * Count + k], static_cast<double>(place)) << what;
        ASSERT_EQ(std::isnan(value), std::isnan(at(place))) << what;
        if (std::isnan(value)) continue;
        ASSERT_EQ(value, at(place)) << what;
        ASSERT_EQ(std::signbit(value), std::signbit(at(place))) << what;
      }
    }
}

template <class T, int Count> void check_all() {
  constexpr bool is_special = !std::is_integral_v<T>;
  for (std::int64_t columns : {8, 9, 63, 257, 1023, 1024, 1025, 2047, 4099, 8191})
    for (bool special : {false, is_special})
      check<T, Count>(7, columns, arrangement::contiguous, special);
  for (std::int64_t columns : {64, 1000, 1333})
    for (arrangement how : arrangements) check<T, Count>(5, columns, how, false);
  check<T, Count>(130, 515, arrangement::contiguous, false);
  check<T, Count>(2, 70001, arrangement::contiguous, false);
  check<T, Count>(1, 140001, arrangement::misaligned, false);
}

TEST(topk_of_any_rows, of_bf16) { check_all<tn::bfloat16, 8>(); }
TEST(topk_of_any_rows, of_f16) { check_all<tn::half, 5>(); }
TEST(topk_of_any_rows, of_f32) { check_all<float, 3>(); }
TEST(topk_of_any_rows, of_f64) { check_all<double, 2>(); }
TEST(topk_of_any_rows, of_bytes) { check_all<std::int8_t, 4>(); }
TEST(topk_of_any_rows, of_integers) { check_all<int, 1>(); }

}  // namespace
