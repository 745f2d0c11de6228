// SPDX-License-Identifier: Apache-2.0
// Elements chosen by comparisons of their positions, with one another and with numbers of their
// rows, against plain loops: pointwise, and in rows that are reduced more than once.
#include <cmath>
#include <limits>

#include "run/support/arrays.hpp"
#include "run/support/close.hpp"

namespace {

using reference::doubles;
constexpr std::int64_t lengths[] = {1, 7, 8, 24, 33, 64, 200, 520, 1024, 2049};
constexpr std::int64_t rows = 5;
// The ends of the type, as far as a double has them.
constexpr long long least = std::numeric_limits<long long>::min(),
                    most = std::numeric_limits<long long>::max() - 1023;

// Elements x[b, i, j] of [2, rows, n], or 0 where is_kept(i, j) is not.
template <class IsKept> doubles kept(doubles const& x, IsKept const& is_kept) {
  doubles result = x;
  std::int64_t const n = x.extents[2];
  for (std::int64_t k = 0; k < x.size(); ++k)
    if (!is_kept(k / n % rows, k % n)) result[k] = 0;
  return result;
}

// f(x, ...) keeps elements of x and g(x, ...) adds them up along each row; whole numbers: equal is
// equal.
template <class T, class F, class G, class IsKept, class... Others>
void check(F const& f, G const& g, IsKept const& is_kept, Others&... others) {
  for (std::int64_t n : lengths)
    for (arrangement how : {arrangement::contiguous, arrangement::misaligned, arrangement::padded,
                            arrangement::transposed}) {
      array<T, 3> x({2, rows, n}, how,
                    random_array<int, 3>({2, rows, n}, arrangement::contiguous, -20, 20).values());
      doubles const expected = kept(x.values(), [&](auto i, auto j) { return is_kept(i, j, n); });
      EXPECT_EQ(result_of(f(x.view(), others.view()...)).values, expected.values)
          << n << to_string(how);
      doubles sums({2, rows});
      for (std::int64_t k = 0; k < expected.size(); ++k) sums[k / n] += expected[k];
      EXPECT_EQ(result_of(g(x.view(), others.view()...)).values, sums.values)
          << n << to_string(how);
    }
}

// Of elements whose comparison `is_kept` makes.
template <class T, class Compare, class IsKept>
void check_kept(Compare const&, IsKept const& is_kept) {
  check<T>(tn::compile([](auto x) { return tn::where(Compare{}(x), x, 0); }),
           tn::compile([](auto x) {
             return tn::sum(tn::cast<int>(tn::where(Compare{}(x), x, 0)), tn::axis<-1>);
           }),
           is_kept);
}
constexpr auto row_of = [](auto x) { return tn::iota(x, tn::axis<-2>); };
constexpr auto column_of = [](auto x) { return tn::iota(x, tn::axis<-1>); };

template <class T> struct compared_positions : testing::Test {};
using types = testing::Types<std::int8_t, tn::bfloat16>;
TYPED_TEST_SUITE(compared_positions, types, );

TYPED_TEST(compared_positions, with_one_another) {
  using T = TypeParam;
  check_kept<T>([](auto x) { return column_of(x) <= row_of(x); },
                [](auto i, auto j, auto) { return j <= i; });
  check_kept<T>([](auto x) { return row_of(x) > column_of(x); },
                [](auto i, auto j, auto) { return i > j; });
  check_kept<T>([](auto x) { return column_of(x) != row_of(x); },
                [](auto i, auto j, auto) { return j != i; });
}

TYPED_TEST(compared_positions, at_a_distance) {
  using T = TypeParam;
  check_kept<T>([](auto x) { return column_of(x) - row_of(x) < 3; },
                [](auto i, auto j, auto) { return j - i < 3; });
  check_kept<T>([](auto x) { return row_of(x) - column_of(x) >= -2; },
                [](auto i, auto j, auto) { return i - j >= -2; });
  check_kept<T>([](auto x) { return 9 <= row_of(x) + column_of(x); },
                [](auto i, auto j, auto) { return 9 <= i + j; });
  check_kept<T>(
      [](auto x) {
        auto const ahead = column_of(x) - row_of(x);
        return ahead > -3 && ahead <= 17;
      },
      [](auto i, auto j, auto) { return j - i > -3 && j - i <= 17; });
}

// Positions that go back, that leave some out, that are twice as far, that stay.
TYPED_TEST(compared_positions, that_go_on_otherwise) {
  using T = TypeParam;
  check_kept<T>([](auto x) { return tn::flip(column_of(x), tn::axis<-1>) >= 4; },
                [](auto, auto j, auto n) { return n - 1 - j >= 4; });
  check_kept<T>([](auto x) { return column_of(x) + column_of(x) < 37; },
                [](auto, auto j, auto) { return 2 * j < 37; });
  check_kept<T>([](auto x) { return column_of(x) - column_of(x) == 0 && row_of(x) < 3; },
                [](auto i, auto, auto) { return i < 3; });
}

// Numbers that each row has, as lengths of sequences are, up to the ends of their type.
template <class T, class Compare>
void check_limits(Compare const& compare, std::vector<long long> const& limits) {
  array<long long, 1> limit({rows}, arrangement::contiguous,
                            doubles({rows}, {limits.begin(), limits.end()}));
  check<T>(
      tn::compile([](auto x, auto y) {
        return tn::where(Compare{}(column_of(x), tn::unsqueeze(y, tn::axis<-1>)), x, 0);
      }),
      tn::compile([](auto x, auto y) {
        return tn::sum(
            tn::cast<int>(tn::where(Compare{}(column_of(x), tn::unsqueeze(y, tn::axis<-1>)), x, 0)),
            tn::axis<-1>);
      }),
      [&](auto i, auto j, auto) {
        return compare(static_cast<long long>(j), limits[static_cast<std::size_t>(i)]);
      },
      limit);
}
TYPED_TEST(compared_positions, with_numbers_of_rows) {
  using T = TypeParam;
  std::vector<long long> const near{3, 0, 17, 1000000, -1},
      far{least, most, least / 2, most / 2 + 1, 8};
  for (std::vector<long long> const& limits : {near, far}) {
    check_limits<T>([](auto x, auto y) { return x < y; }, limits);
    check_limits<T>([](auto x, auto y) { return y <= x; }, limits);
    check_limits<T>([](auto x, auto y) { return y == x; }, limits);
  }
}

// Each sweep of a softmax chooses anew.
TEST(compared_positions_of_rows, softmax_of_what_is_before) {
  auto const f = tn::compile([](auto x, auto distance) {
    auto const before = column_of(x) <= row_of(x) + distance;
    return tn::softmax(tn::where(before, x, -INFINITY), tn::axis<-1>);
  });
  for (std::int64_t n : {5, 8, 100, 256, 1000, 2048, 4100, 20000}) {
    auto x = random_array<float, 3>({2, rows, n}, arrangement::contiguous, -2, 2);
    doubles masked = x.values();
    for (std::int64_t k = 0; k < masked.size(); ++k)
      if (k % n > k / n % rows + n - 5) masked[k] = -INFINITY;
    check_close(tn::dtype::f32, result_of(f(x.view(), static_cast<long long>(n - 5))),
                reference::softmax(masked, 0b100), {.arithmetic = 16 + sum_roundoffs(n)},
                "softmax of what is before");
  }
}

}  // namespace
