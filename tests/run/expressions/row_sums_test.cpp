// SPDX-License-Identifier: Apache-2.0
// Sums along rows that begin anywhere: against plain loops, and with the same bits however the rows
// lie and beside any number of others.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"

namespace {

using reference::doubles;

// In vectors of 16 bytes of f32 and bf16: of a lane, of several and of a warp; whole warps and
// tiles of them, a part of one more and of one less; a segment and several.
constexpr std::int64_t lengths[] = {
    9,     12,    16,    24,    32,    40,    64,    100,   128,    256,    265,     500,
    512,   528,   1000,  1023,  1025,  1051,  1055,  2047,  2048,   2049,   2051,    2056,
    3000,  4096,  4097,  4103,  6001,  8191,  8192,  8193,  8200,   12288,  16384,   16385,
    20011, 32767, 32768, 32769, 32776, 50257, 65536, 65543, 131073, 262145, 1048576, 1048577};

template <class T, class Sum, class Value>
void check_sums_of(std::int64_t rows, std::int64_t columns, Sum const& sum, Value const& value) {
  std::string const what = std::to_string(rows) + " x " + std::to_string(columns);
  auto x = random_array<T, 2>({rows, columns}, arrangement::contiguous, -2, 2);
  doubles const given = x.values();
  array<float, 1> sums({rows});
  sum.into(sums.view())(x.view());
  auto const total = [&](reference::elements const& row) {
    double result = 0;
    for (double element : row) result += value(element);
    return result;
  };
  auto const size = [&](reference::elements const& row) {
    double result = 0;
    for (double element : row) result += std::fabs(value(element));
    return result;
  };
  doubles const scale = reference::reduced(given, 0b10, false, size);
  check_close(tn::dtype::f32, sums.result(), reference::reduced(given, 0b10, false, total),
              {.arithmetic = 8 + sum_roundoffs(columns), .scale = &scale}, what);
  for (arrangement how : {arrangement::misaligned, arrangement::stepped, arrangement::padded}) {
    array<T, 2> elsewhere({rows, columns}, how, given);
    array<float, 1> again({rows});
    sum.into(again.view())(elsewhere.view());
    EXPECT_EQ(again.bits(), sums.bits()) << to_string(how) << ", " << what;
  }
  reference::elements const of_last(given.values.end() - columns, given.values.end());
  array<T, 2> last({1, columns}, arrangement::contiguous, doubles({1, columns}, of_last));
  array<float, 1> by_itself({1});
  sum.into(by_itself.view())(last.view());
  std::vector<unsigned char> const all = sums.bits();
  EXPECT_EQ(by_itself.bits(), std::vector<unsigned char>(all.end() - 4, all.end()))
      << "by itself, " << what;
}
template <class T, class Sum, class Value> void check_sums(Sum const& sum, Value const& value) {
  for (std::int64_t columns : lengths)
    for (std::int64_t rows : {1, 3, 40})
      if (rows * columns <= 1 << 21) check_sums_of<T>(rows, columns, sum, value);
  // Too many segments for a warp of each part (rows/parted_plan.cuh): blocks have them.
  constexpr std::int64_t vectors = 8704;
  check_sums_of<T>(40, 16 / sizeof(T) * vectors, sum, value);
}
template <class T> void check_plain() {
  check_sums<T>(tn::compile([](auto x) { return tn::sum(tn::cast<float>(x), tn::axis<1>); }),
                [](double x) { return x; });
}
TEST(row_sums, of_f32) { check_plain<float>(); }
TEST(row_sums, of_bf16) { check_plain<tn::bfloat16>(); }
TEST(row_sums, of_int8) { check_plain<std::int8_t>(); }
// What is not 0 of a missing element, and products, which are taken in as such.
TEST(row_sums, of_exponentials) {
  check_sums<float>(tn::compile([](auto x) { return tn::sum(tn::exp(x), tn::axis<1>); }),
                    [](double x) { return std::exp(x); });
}
TEST(row_sums, of_squares) {
  check_sums<tn::bfloat16>(tn::compile([](auto x) {
                             return tn::sum(tn::cast<float>(x) * tn::cast<float>(x), tn::axis<1>);
                           }),
                           [](double x) { return x * x; });
}

// What a row has of its own, before the sum and behind it.
TEST(row_sums, of_differences_from_a_value_of_the_row) {
  auto const sum = tn::compile([](auto x, auto y) {
    return tn::sum((x - tn::unsqueeze(y, tn::axis<1>)) * 0.5f, tn::axis<1>) * y;
  });
  for (std::int64_t columns : {1024, 16384, 20480, 32768, 131072})
    for (std::int64_t rows : {1, 5}) {
      auto y = random_array<float, 1>({rows}, arrangement::contiguous, 1, 2);
      auto x = random_array<float, 2>({rows, columns}, arrangement::contiguous, -2, 2);
      doubles const of_rows = y.values(), given = x.values();
      array<float, 1> sums({rows});
      sum.into(sums.view())(x.view(), y.view());
      doubles const found = sums.result();
      for (std::int64_t i = 0; i < rows; ++i) {
        double expected = 0, size = 0;
        for (std::int64_t j = 0; j < columns; ++j) {
          double const term = (given[i * columns + j] - of_rows[i]) * 0.5 * of_rows[i];
          expected += term, size += std::fabs(term);
        }
        EXPECT_NEAR(found[i], expected, 1e-6 * size) << rows << " x " << columns;
      }
      array<float, 2> elsewhere({rows, columns}, arrangement::misaligned, given);
      array<float, 1> again({rows});
      sum.into(again.view())(elsewhere.view(), y.view());
      EXPECT_EQ(again.bits(), sums.bits()) << rows << " x " << columns;
    }
}

}  // namespace
