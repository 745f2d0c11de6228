// SPDX-License-Identifier: Apache-2.0
// Every family of sums keeps the bound 2 ceil(log2 n) roundoffs of the sum of magnitudes, whatever
// the elements are: operands on which each addition of a long chain would lose a whole roundoff.
#include "run/support/hard_sums.hpp"

namespace {

using reference::doubles;

std::string name_of(char const* what, problem const& p) {
  return std::string(what) + " of " + std::to_string(p.n) + ", " + std::to_string(p.groups) +
         " of them, pattern " + std::to_string(p.first_pattern);
}

// found[i] is the sum of group group_of(i).
template <class T, class GroupOf>
void check_sums(doubles const& found, operand<T> const& given, problem const& p,
                GroupOf const& group_of, char const* what) {
  double worst = 0;
  std::int64_t at = 0;
  for (std::int64_t i = 0; i < found.size(); ++i) {
    int const pattern = p.pattern_of(group_of(i));
    double const error = static_cast<double>(std::fabs(found[i] - given.sums[pattern]) /
                                             (given.magnitudes[pattern] * roundoff_of<T>));
    if (!(error <= worst)) worst = error, at = i;
  }
  EXPECT_LE(worst, allowed_roundoffs(p.n)) << name_of(what, p) << ", sum " << at;
}
constexpr auto itself = [](std::int64_t i) { return i; };

// Lengths around those of vectors, warps, tiles, blocks and their chains; then a million.
constexpr std::int64_t lengths[] = {1,    2,    3,    4,     5,     7,     8,      9,      15,
                                    16,   17,   31,   33,    64,    100,   129,    1000,   1025,
                                    2113, 4099, 8192, 16897, 40009, 65537, 262144, 1000003};
// How many sums beside each other: one vector and less, a tile of lanes and more.
constexpr std::int64_t widths[] = {1, 3, 4, 33, 64, 200};

// Problems of at most so many elements, and one sum of up to `longest`.
template <class Check>
void for_each_problem(std::int64_t most_elements, std::int64_t longest, Check const& check) {
  int pattern = 0;
  for (std::int64_t n : lengths)
    for (std::int64_t groups : widths) {
      if (n * groups > most_elements && (groups > 1 || n > longest)) continue;
      bool const is_small = n * groups <= 4096;
      for (int k = 0; k < (is_small && groups == 1 ? pattern_count : 1); ++k)
        check(problem{n, groups, pattern++ % pattern_count});
    }
}
constexpr std::int64_t many = 300000, million = 1000003;

// f(x): one sum per row or column, or that sum at every element of it.
template <class T, along Axis, class F> void check_each(char const* what, F const& f) {
  for_each_problem(many, million, [&](problem const& p) {
    operand<T> const given(p, Axis);
    doubles const found = result_of(f(given.x));
    bool const is_everywhere = found.size() != p.groups;
    check_sums(
        found, given, p,
        [&](std::int64_t i) {
          if (!is_everywhere) return i;
          return Axis == along::rows ? i / p.n : i % p.groups;
        },
        what);
  });
}

// What a sum adds up: elements of a half type as floats, so that the result is not rounded to it.
template <class T, class Value> constexpr auto wide(Value x) {
  if constexpr (tn::is_half(tn::dtype_of<T>))
    return tn::cast<float>(x);
  else
    return x;
}

template <class T> void check_rows() {
  check_each<T, along::rows>("rows",
                             tn::compile([](auto x) { return tn::sum(wide<T>(x), tn::axis<1>); }));
  check_each<T, along::rows>("rows, sent back", tn::compile([](auto x) {
                               return wide<T>(x) * 0 +
                                      tn::sum(wide<T>(x), tn::axis<1>, tn::keepdim);
                             }));
}
TEST(sum_bounds, rows_of_float) { check_rows<float>(); }
TEST(sum_bounds, rows_of_double) { check_rows<double>(); }
TEST(sum_bounds, rows_of_bfloat16) { check_rows<tn::bfloat16>(); }

// Eight positions of so many columns that each has a warp of its own.
template <class T> void check_wide_columns() {
  auto const f = tn::compile([](auto x) { return tn::sum(wide<T>(x), tn::axis<0>); });
  for (int pattern = 0; pattern < pattern_count; ++pattern) {
    problem const p{8, 64000 / static_cast<std::int64_t>(sizeof(T)), pattern};
    operand<T> const given(p, along::columns);
    check_sums(result_of(f(given.x)), given, p, itself, "wide columns");
  }
}
template <class T> void check_columns() {
  check_wide_columns<T>();
  check_each<T, along::columns>(
      "columns", tn::compile([](auto x) { return tn::sum(wide<T>(x), tn::axis<0>); }));
  check_each<T, along::columns>("columns, sent back", tn::compile([](auto x) {
                                  return wide<T>(x) * 0 +
                                         tn::sum(wide<T>(x), tn::axis<0>, tn::keepdim);
                                }));
}
TEST(sum_bounds, columns_of_float) { check_columns<float>(); }
TEST(sum_bounds, columns_of_double) { check_columns<double>(); }
TEST(sum_bounds, columns_of_bfloat16) { check_columns<tn::bfloat16>(); }

// Rows, columns and all of the same elements in one launch.
template <class T> void check_rows_and_columns() {
  auto const f = tn::compile([](auto x) {
    return tn::outputs(tn::sum(wide<T>(x), tn::axis<0>), tn::sum(wide<T>(x), tn::axis<1>));
  });
  auto check = [&](problem const& p) {
    for (along axis : {along::columns, along::rows}) {
      operand<T> const given(p, axis);
      auto const [columns, rows] = f(given.x);
      if (axis == along::columns)
        check_sums(result_of(columns), given, p, itself, "mixed columns");
      else
        check_sums(result_of(rows), given, p, itself, "mixed rows");
    }
  };
  for_each_problem(many, million, check);
  // Long chains in each block, with columns in registers and in the cache.
  check({10007, 1024, 0}), check({3001, 8200, 1});
}
TEST(sum_bounds, rows_and_columns_of_float) { check_rows_and_columns<float>(); }
TEST(sum_bounds, rows_and_columns_of_double) { check_rows_and_columns<double>(); }
TEST(sum_bounds, rows_and_columns_of_bfloat16) { check_rows_and_columns<tn::bfloat16>(); }

// A sum over everything: by itself, and sent back to the elements.
template <class T> void check_all() {
  auto const plain = tn::compile([](auto x) { return tn::sum(wide<T>(x)); });
  auto const sent_back = tn::compile([](auto x) { return wide<T>(x) * 0 + tn::sum(wide<T>(x)); });
  for_each_problem(many, million, [&](problem const& p) {
    if (p.groups > 1) return;
    operand<T> const given(p, along::rows);
    auto const first = [](std::int64_t) { return 0; };
    check_sums(result_of(plain(given.x)), given, p, first, "all");
    check_sums(result_of(sent_back(given.x)), given, p, first, "all, sent back");
  });
}
TEST(sum_bounds, all_of_float) { check_all<float>(); }
TEST(sum_bounds, all_of_double) { check_all<double>(); }

// A sum over rows of what is known of each: n rows of few elements. Sums of sums are allowed what
// both are.
TEST(sum_bounds, totals_of_rows_and_of_columns) {
  auto const of_rows =
      tn::compile([](auto x) { return tn::sum(tn::abs(tn::sum(x, tn::axis<1>))); });
  auto const of_columns =
      tn::compile([](auto x) { return tn::sum(tn::abs(tn::sum(x, tn::axis<0>))); });
  auto const sent_back = tn::compile([](auto x) {
    return x * 0 + tn::sum(tn::abs(tn::sum(x, tn::axis<1>, tn::keepdim)), tn::axis<0>, tn::keepdim);
  });
  for_each_problem(many, million, [&](problem const& p) {
    if (p.groups > 33) return;
    // The large element is in the first row, or the first column.
    auto const check = [&](auto const& f, along axis, char const* what) {
      operand<float> const given(p, axis, true);
      long double sum = 0;
      for (std::int64_t g = 0; g < p.groups; ++g) sum += given.sums[p.pattern_of(g)];
      doubles const found = result_of(f(given.x));
      auto const error =
          static_cast<double>(std::fabs(found[found.size() - 1] - sum) / (sum * 0x1p-24));
      EXPECT_LE(error, allowed_roundoffs(p.n) + allowed_roundoffs(p.groups)) << name_of(what, p);
    };
    check(of_rows, along::columns, "totals of rows");
    check(of_columns, along::rows, "totals of columns");
    check(sent_back, along::columns, "totals of rows, sent back");
  });
}

// Sums of rows, and of planes of rows.
TEST(sum_bounds, planes) {
  auto const f = tn::compile(
      [](auto x) { return tn::outputs(tn::sum(x, tn::axis<2>), tn::sum(x, tn::axis<1, 2>)); });
  for_each_problem(many, million, [&](problem const& p) {
    for (std::int64_t columns : {1, 5}) {
      if (p.n % columns != 0) continue;
      operand<float> const given(p, along::rows);
      tn::view<float const, tn::dyn, tn::dyn, tn::dyn> const x(given.x.data(), p.groups,
                                                               p.n / columns, columns);
      check_sums(result_of(tn::get<1>(f(x))), given, p, itself, "planes");
    }
  });
}

// Sums beside positions, scans and joined parts, which other kernels make.
TEST(sum_bounds, sums_of_ordered_rows) {
  auto const positioned = tn::compile(
      [](auto x) { return tn::outputs(tn::sum(x, tn::axis<1>), tn::argmax(x, tn::axis<1>)); });
  check_each<float, along::rows>("rows beside positions",
                                 [&](auto const& x) { return tn::get<0>(positioned(x)); });
  check_each<float, along::rows>("joined rows", tn::compile([](auto x) {
                                   return tn::sum(tn::concat(x, x * 0, tn::axis<1>), tn::axis<1>);
                                 }));
  auto const scanned = tn::compile(
      [](auto x) { return tn::outputs(tn::sum(x, tn::axis<1>), tn::cummax(x, tn::axis<1>)); });
  check_each<float, along::rows>("rows beside a scan",
                                 [&](auto const& x) { return tn::get<0>(scanned(x)); });
}

TEST(sum_bounds, blocks) {
  auto const f = tn::compile([](auto x) { return tn::block_sum(x, tn::axis<1>, tn::ct<128>); });
  for (int pattern = 0; pattern < pattern_count; ++pattern)
    for (std::int64_t n : {2, 3, 8, 16, 31, 100, 128}) {
      problem const p{n, 5, pattern};
      operand<float> const given(p, along::rows);
      check_sums(
          result_of(f(given.x)), given, p, [&](std::int64_t i) { return i / n; }, "blocks");
    }
}

// All updates of a column have one target: one index for all columns, or one for each element.
template <class Index> void check_scattered(std::int64_t most, char const* what) {
  auto const f =
      tn::compile([](auto b, auto i, auto u) { return tn::scatter_add(b, tn::axis<0>, i, u); });
  for_each_problem(most, most, [&](problem const& p) {
    operand<float> const given(p, along::columns);
    array<float, 2> base({2, p.groups});
    base.set(doubles({2, p.groups}));
    Index index = [&] {
      if constexpr (std::is_same_v<Index, array<int, 1>>)
        return Index({p.n});
      else
        return Index({p.n, p.groups});
    }();
    doubles targets(index.shape());
    for (double& target : targets.values) target = 1;
    index.set(targets);
    doubles const found = result_of(f(base.view(), index.view(), given.x));
    doubles second({p.groups});
    for (std::int64_t g = 0; g < p.groups; ++g) second[g] = found[p.groups + g];
    check_sums(second, given, p, itself, what);
  });
}
TEST(sum_bounds, scattered) { check_scattered<array<int, 1>>(million / 4, "scattered"); }
TEST(sum_bounds, scattered_by_element) {
  check_scattered<array<int, 2>>(40009, "scattered by element");
}

}  // namespace
