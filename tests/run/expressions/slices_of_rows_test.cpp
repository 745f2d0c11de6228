// SPDX-License-Identifier: Apache-2.0
// Reductions of slices that are a few columns from each other: totals, and sums of rows.
#include <algorithm>
#include <cmath>
#include <string>

#include "run/support/arrays.hpp"

namespace {

using reference::doubles;

std::string to_string(std::int64_t rows, std::int64_t columns, arrangement how) {
  return std::to_string(rows) + " x " + std::to_string(columns) + " " + to_string(how);
}

// Columns First to Less - First from the end.
template <int First, int Less, class X> constexpr auto columns_of(X const& x) {
  if constexpr (First == Less)
    return tn::slice(x, tn::axis<1>, tn::range<First, tn::end>);
  else
    return tn::slice(x, tn::axis<1>, tn::range<First, First - Less>);
}

// What is made of columns that are a few from each other, as an expression and as numbers. Rows
// have as many terms as columns but for the last `less`.
struct steps {
  static constexpr int less = 1;
  template <class X> static constexpr auto of(X const& x) {
    return tn::abs(columns_of<1, 1>(x) - columns_of<0, 1>(x));
  }
  static double term(double const* a) { return std::fabs(a[1] - a[0]); }
};
struct second_differences {
  static constexpr int less = 2;
  template <class X> static constexpr auto of(X const& x) {
    return tn::abs(columns_of<0, 2>(x) - columns_of<1, 2>(x) * 2 + columns_of<2, 2>(x));
  }
  static double term(double const* a) { return std::fabs(a[0] - 2 * a[1] + a[2]); }
};
struct behind_the_first {
  static constexpr int less = 1;
  template <class X> static constexpr auto of(X const& x) { return columns_of<1, 1>(x) * 2; }
  static double term(double const* a) { return 2 * a[1]; }
};
struct before_the_last {
  static constexpr int less = 1;
  template <class X> static constexpr auto of(X const& x) { return columns_of<0, 1>(x) + 1; }
  static double term(double const* a) { return a[0] + 1; }
};
// Beyond a vector, and of parts of parts.
struct far_apart {
  static constexpr int less = 21;
  template <class X> static constexpr auto of(X const& x) {
    auto const inner = columns_of<2, 3>(x);
    return columns_of<3, 21>(x) - columns_of<21, 21>(x) + columns_of<4, 18>(inner) +
           columns_of<9, 18>(inner);
  }
  static double term(double const* a) { return a[3] - a[21] + a[6] + a[11]; }
};

// Of whole numbers, wherever rows begin and however far apart they lie.
template <class T, class Made> void expect_sums() {
  static auto const total = tn::compile([](auto x) { return tn::sum(Made::of(x)); });
  static auto const of_rows = tn::compile([](auto x) { return tn::max(Made::of(x), tn::axis<1>); });
  for (auto const& [rows, columns] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {1, 2}, {3, 3}, {5, 8}, {70, 16}, {40, 33}, {9, 64}, {3, 520}, {2, 4096}, {2, 4100}})
    for (arrangement how : {arrangement::contiguous, arrangement::misaligned, arrangement::padded,
                            arrangement::stepped, arrangement::reversed, arrangement::repeated,
                            arrangement::transposed}) {
      if (columns <= Made::less) continue;
      auto x = whole_numbers<T, 2>({rows, columns}, how);
      doubles const a = x.values();
      doubles largest({rows});
      double sum = 0;
      for (std::int64_t i = 0; i < rows; ++i) {
        largest[i] = Made::term(&a.values[static_cast<std::size_t>(i * columns)]);
        for (std::int64_t j = 0; j < columns - Made::less; ++j) {
          double const term = Made::term(&a.values[static_cast<std::size_t>(i * columns + j)]);
          largest[i] = std::max(largest[i], term), sum += term;
        }
      }
      if constexpr (!std::is_integral_v<T>) sum = as_double(from_double<T>(sum));
      EXPECT_EQ(result_of(total(x.view()))[0], sum) << to_string(rows, columns, how);
      EXPECT_EQ(result_of(of_rows(x.view())).values, largest.values)
          << to_string(rows, columns, how);
    }
}
TEST(slices_of_rows, neighbours_of_float) {
  expect_sums<float, steps>();
  expect_sums<float, second_differences>();
  expect_sums<float, behind_the_first>();
  expect_sums<float, before_the_last>();
  expect_sums<float, far_apart>();
}
TEST(slices_of_rows, neighbours_of_bfloat16) {
  expect_sums<tn::bfloat16, steps>();
  expect_sums<tn::bfloat16, second_differences>();
  expect_sums<tn::bfloat16, behind_the_first>();
  expect_sums<tn::bfloat16, far_apart>();
}
TEST(slices_of_rows, neighbours_of_double) {
  expect_sums<double, steps>();
  expect_sums<double, second_differences>();
}
TEST(slices_of_rows, neighbours_of_bytes) {
  expect_sums<std::int8_t, steps>();
  expect_sums<std::int8_t, far_apart>();
}

// Rows of several axes, other tensors beside the slices, and slices of several rows.
TEST(slices_of_rows, neighbours_along_two_axes) {
  auto const f = tn::compile([](auto x, auto y, auto w) {
    auto const upper = tn::slice(x, tn::axis<1>, tn::range<0, -1>),
               lower = tn::slice(x, tn::axis<1>, tn::range<1, tn::end>),
               corner = tn::slice(upper, tn::axis<2>, tn::range<0, -1>),
               below = tn::slice(lower, tn::axis<2>, tn::range<0, -1>),
               across = tn::slice(lower, tn::axis<2>, tn::range<1, tn::end>);
    auto const d = (below - corner) * w + (across - below) * y;
    return tn::outputs(tn::sum(d), tn::var(d));
  });
  for (auto const& e : std::vector<extents_of_rank<3>>{{1, 2, 2}, {3, 5, 9}, {2, 4, 264}})
    for (arrangement how :
         {arrangement::contiguous, arrangement::misaligned, arrangement::padded}) {
      auto x = whole_numbers<float, 3>(e, how);
      auto y = whole_numbers<float, 3>({e[0], e[1] - 1, e[2] - 1}, how);
      auto w = whole_numbers<float, 1>({e[2] - 1});
      doubles const a = x.values(), b = y.values(), c = w.values();
      std::vector<double> all;
      for (std::int64_t i = 0; i < e[0]; ++i)
        for (std::int64_t j = 1; j < e[1]; ++j)
          for (std::int64_t k = 1; k < e[2]; ++k) {
            auto const at = [&](auto r, auto s) { return a[(i * e[1] + r) * e[2] + s]; };
            all.push_back((at(j, k - 1) - at(j - 1, k - 1)) * c[k - 1] +
                          (at(j, k) - at(j, k - 1)) *
                              b[(i * (e[1] - 1) + j - 1) * (e[2] - 1) + k - 1]);
          }
      double sum = 0, squares = 0;
      for (double const one : all) sum += one;
      double const count = static_cast<double>(all.size());
      for (double const one : all) squares += (one - sum / count) * (one - sum / count);
      auto const [total, variance] = f(x.view(), y.view(), w.view());
      EXPECT_EQ(result_of(total)[0], sum) << e[2] << to_string(how);
      if (count == 1) continue;
      double const expected = squares / (count - 1);
      EXPECT_NEAR(result_of(variance)[0], expected, 1e-5 * expected) << e[2] << to_string(how);
    }
}

// Weights of columns, and of rows, which one element stands for.
TEST(slices_of_rows, neighbours_with_weights) {
  auto const f = tn::compile([](auto x, auto of_column, auto of_row) {
    return tn::sum(steps::of(x) * of_column * tn::unsqueeze(of_row, tn::axis<1>));
  });
  for (auto const& [rows, columns] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{2, 3}, {33, 64}, {3, 1031}}) {
    auto x = whole_numbers<float, 2>({rows, columns});
    auto of_column = whole_numbers<float, 1>({columns - 1}),
         of_row = whole_numbers<float, 1>({rows});
    doubles const a = x.values(), b = of_column.values(), c = of_row.values();
    double sum = 0;
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns - 1; ++j)
        sum += std::fabs(a[i * columns + j + 1] - a[i * columns + j]) * b[j] * c[i];
    EXPECT_EQ(result_of(f(x.view(), of_column.view(), of_row.view()))[0], sum) << columns;
  }
}

// The same bits wherever rows begin and however far apart they lie; of one axis as well.
template <class T> void expect_same_bits() {
  auto const total = tn::compile([](auto x) { return tn::sum(tn::cast<float>(steps::of(x))); });
  auto const behind = tn::compile([](auto x) {
    auto const d = tn::cast<float>(behind_the_first::of(x));
    return tn::sum(d * d);
  });
  auto const of_rows = tn::compile([](auto x) {
    auto const d = tn::cast<float>(second_differences::of(x));
    return tn::mean(d * d, tn::axis<1>);
  });
  for (auto const& [rows, columns] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {1, 5000}, {300, 40}, {7, 2048}, {5, 519}}) {
    auto x = random_array<T, 2>({rows, columns});
    auto const first = result_of(total(x.view())), second = result_of(of_rows(x.view())),
               third = result_of(behind(x.view()));
    for (arrangement how : {arrangement::contiguous, arrangement::misaligned, arrangement::padded,
                            arrangement::stepped}) {
      array<T, 2> y({rows, columns}, how, x.values());
      EXPECT_EQ(result_of(total(y.view())).values, first.values) << to_string(rows, columns, how);
      EXPECT_EQ(result_of(of_rows(y.view())).values, second.values)
          << to_string(rows, columns, how);
      EXPECT_EQ(result_of(behind(y.view())).values, third.values) << to_string(rows, columns, how);
    }
    // Where what is behind the first column is aligned.
    tn::tensor<T, tn::dyn> memory(rows * (columns + 16) + 16);
    auto const stride = (columns + 7) / 8 * 8;
    auto const z = dyn_view<T, 2>::with_strides(memory.data() + 15, {rows, columns}, {stride, 1});
    tn::compile([](auto v) { return v + 0; }).into(z)(x.view());
    EXPECT_EQ(result_of(behind(z)).values, third.values) << to_string(rows, columns, {});
  }
}
TEST(slices_of_rows, bits_of_float) { expect_same_bits<float>(); }
TEST(slices_of_rows, bits_of_bfloat16) { expect_same_bits<tn::bfloat16>(); }

}  // namespace
