// SPDX-License-Identifier: Apache-2.0
// Rows that pass once, short and so long that several blocks share them: which element is the
// extreme one, and logarithms of sums of exponentials, against plain loops.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"

namespace {

using reference::doubles;

// Tiles that are whole, one element short, and one element more; one segment and many.
constexpr std::int64_t lengths[] = {8,     64,    500,   1024,  4096,   4104,   8184,
                                    16384, 32768, 32776, 70001, 131072, 393216, 524288};
double const inf = std::numeric_limits<double>::infinity();

// NaN first, then the greatest (or the least), then the lowest index.
std::int64_t extreme(doubles const& x, std::int64_t row, double sign) {
  std::int64_t const columns = x.extents[1];
  std::int64_t best = 0;
  for (std::int64_t j = 1; j < columns; ++j) {
    double const now = sign * x[row * columns + j], before = sign * x[row * columns + best];
    if (!std::isnan(before) && (std::isnan(now) || now > before)) best = j;
  }
  return best;
}

// Few numbers many times; one number; zeros of both signs; a few NaN; an infinity in the end.
doubles special_rows(std::int64_t columns) {
  doubles x = random_doubles<int>({5, columns}, -3, 3);
  std::uniform_int_distribution<std::int64_t> column(0, columns - 1);
  for (std::int64_t j = 0; j < columns; ++j) {
    x[columns + j] = -inf;
    x[2 * columns + j] = x[2 * columns + j] > 0 ? -0.0 : j < columns / 2 ? -1.0 : 0.0;
  }
  for (int k = 0; k < 3; ++k) x[3 * columns + column(generator())] = std::nan("");
  x[4 * columns + columns - 1] = inf;
  return x;
}

template <class T> void check_extremes() {
  auto const f = tn::compile([](auto x) {
    auto [most, where_most] = tn::max_with_index(x, tn::axis<1>);
    return tn::outputs(tn::argmin(x, tn::axis<1>), most, where_most);
  });
  auto const alone = tn::compile([](auto x) { return tn::argmax(x, tn::axis<1>); });
  auto const of_all = tn::compile([](auto x) { return tn::argmax(x); });
  for (std::int64_t columns : lengths)
    for (bool is_special : {true, false}) {
      auto const values = is_special ? special_rows(columns) : random_doubles<T>({5, columns});
      array<T, 2> x({5, columns}, arrangement::contiguous, values);
      doubles const rounded = x.values();
      auto const [least, most, where_most] = f(x.view());
      doubles const lowest = result_of(least), highest = result_of(where_most),
                    value = result_of(most), again = result_of(alone(x.view()));
      for (std::int64_t i = 0; i < 5; ++i) {
        std::int64_t const expected = extreme(rounded, i, 1);
        ASSERT_EQ(lowest[i], static_cast<double>(extreme(rounded, i, -1))) << columns << ' ' << i;
        ASSERT_EQ(highest[i], static_cast<double>(expected)) << columns << ' ' << i;
        ASSERT_EQ(again[i], static_cast<double>(expected)) << columns << ' ' << i;
        double const chosen = rounded[i * columns + expected];
        ASSERT_TRUE(std::isnan(chosen)
                        ? std::isnan(value[i])
                        : value[i] == chosen && std::signbit(value[i]) == std::signbit(chosen))
            << columns << ' ' << i;
      }
      doubles flat = rounded;
      flat.extents = {1, 5 * columns};
      ASSERT_EQ(result_of(of_all(x.view()))[0], static_cast<double>(extreme(flat, 0, 1)))
          << columns;
    }
}
TEST(long_rows, extremes_of_f32) { check_extremes<float>(); }
TEST(long_rows, extremes_of_bf16) { check_extremes<tn::bfloat16>(); }

// Few rows are shared by several blocks, many are not.
template <class T> void check_log_sum_exp() {
  auto const of_rows =
      tn::compile([](auto x) { return tn::logsumexp(tn::cast<float>(x), tn::axis<1>); });
  auto const mean =
      tn::compile([](auto x) { return tn::mean(tn::logsumexp(tn::cast<float>(x), tn::axis<1>)); });
  for (std::int64_t columns : lengths)
    for (std::int64_t rows : {1, 3, 300}) {
      if (rows * columns > 1 << 21) continue;
      auto x = random_array<T, 2>({rows, columns}, arrangement::contiguous, -60, 60);
      doubles const given = x.values(),
                    expected = reference::reduced(given, 0b10, false, reference::log_sum_exp);
      array<float, 1> out({rows});
      of_rows.into(out.view())(x.view());
      tolerance const allowed{.arithmetic = 32 + sum_roundoffs(columns) + sum_roundoffs(rows)};
      check_close(tn::dtype::f32, out.result(), expected, allowed, std::to_string(columns));
      double total = 0;
      for (std::int64_t i = 0; i < rows; ++i) total += expected[i] / static_cast<double>(rows);
      check_close(tn::dtype::f32, result_of(mean(x.view())), doubles({}, {total}), allowed,
                  std::to_string(columns));
      // A row's bits are those that it has alone.
      reference::elements const of_first(given.values.begin(), given.values.begin() + columns);
      array<T, 2> first({1, columns}, arrangement::contiguous, doubles({1, columns}, of_first));
      array<float, 1> by_itself({1});
      of_rows.into(by_itself.view())(first.view());
      std::vector<unsigned char> const all = out.bits();
      EXPECT_EQ(by_itself.bits(), std::vector<unsigned char>(all.begin(), all.begin() + 4))
          << sizeof(T) << " bytes, " << ' ' << rows << " x " << columns;
    }
}
TEST(long_rows, log_sum_exp_of_f32) { check_log_sum_exp<float>(); }
TEST(long_rows, log_sum_exp_of_bf16) { check_log_sum_exp<tn::bfloat16>(); }

}  // namespace
