// SPDX-License-Identifier: Apache-2.0
// Reductions of rows that indices name: bit for bit those of the same rows side by side, of any
// length, place and layout.

// What is outside is missing, rather than the end of the program, on a device.
#define TENON_CHECK_INDICES 0

#include <algorithm>

#include "run/support/arrays.hpp"
#include "run/support/close.hpp"
#include "run/support/one_launch.hpp"

namespace {

using reference::doubles;

// Parts of a warp's rows, rows in registers, in shared memory, and longer ones; whole vectors and
// not.
constexpr std::int64_t lengths[] = {1,   4,    7,    8,    24,   33,   100,  256,
                                    777, 1000, 1023, 1024, 4096, 9000, 40000};
constexpr std::int64_t table_rows = 9;

std::int64_t wrapped(double index, std::int64_t length) {
  return static_cast<std::int64_t>(index < 0 ? index + static_cast<double>(length) : index);
}
template <class I, int Rank>
array<I, Rank> random_indices(extents_of_rank<Rank> const& shape, std::int64_t length,
                              arrangement how = arrangement::contiguous) {
  return random_array<I, Rank>(shape, how, -static_cast<double>(length),
                               static_cast<double>(length));
}
// The rows of a table side by side.
template <class T> array<T, 2> rows_of(array<T, 2> const& table, doubles const& index) {
  std::int64_t const n = table.extents()[1];
  doubles const all = table.values();
  doubles rows({index.size(), n});
  for (std::int64_t k = 0; k < rows.size(); ++k)
    rows[k] = all[wrapped(index[k / n], table.extents()[0]) * n + k % n];
  return {{index.size(), n}, arrangement::contiguous, rows};
}
template <class T> std::vector<unsigned char> bits_of(array<T, 2> const& x) { return x.bits(); }

constexpr auto normal = [](auto x, auto w, auto b) { return tn::layer_norm(x, w, b); };
constexpr auto with_positions = [](auto x, auto w, auto p) { return tn::rms_norm(x + p, w); };
constexpr auto soft = [](auto x, auto w, auto) { return tn::softmax(x, tn::axis<-1>) * w; };

// As of rows side by side, which have a kernel that others test.
template <class T, class I, class Function> void check_rows(Function) {
  static auto const gathered = tn::compile(
      [](auto t, auto i, auto w, auto b) { return Function{}(tn::embedding(t, i), w, b); });
  static auto const direct =
      tn::compile([](auto x, auto w, auto b) { return Function{}(x, w, b); });
  for (std::int64_t n : lengths)
    for (arrangement how : arrangements) {
      if (n > 1024 && how != arrangement::contiguous && how != arrangement::misaligned) continue;
      std::int64_t const count = n > 4096 ? 2 : 5;
      auto table = random_array<T, 2>({table_rows, n}, how);
      auto index = random_indices<I, 1>({count}, table_rows);
      auto w = random_array<T, 1>({n}), b = random_array<T, 1>({n});
      auto rows = rows_of(table, index.values());
      array<T, 2> out({count, n}), expected({count, n});
      expect_one_launch([&](tn::stream on) {
        gathered.on(on).into(out.view())(table.view(), index.view(), w.view(), b.view());
      });
      direct.into(expected.view())(rows.view(), w.view(), b.view());
      EXPECT_EQ(out.result().values, expected.result().values) << n << " " << to_string(how);
    }
}
TEST(gathered_rows, layer_norm_f32) { check_rows<float, int>(normal); }
TEST(gathered_rows, layer_norm_bf16) { check_rows<tn::bfloat16, std::int64_t>(normal); }
TEST(gathered_rows, layer_norm_f64) { check_rows<double, int>(normal); }
TEST(gathered_rows, rms_norm_f32) { check_rows<float, std::int64_t>(with_positions); }
TEST(gathered_rows, rms_norm_f16) { check_rows<tn::half, int>(with_positions); }
TEST(gathered_rows, softmax_f32) { check_rows<float, int>(soft); }
TEST(gathered_rows, softmax_bf16) { check_rows<tn::bfloat16, int>(soft); }

// Rows that are read once.
template <class T> void check_values() {
  auto const f = tn::compile([](auto t, auto i) {
    auto x = tn::embedding(t, i);
    return tn::outputs(tn::sum(x, tn::axis<-1>), tn::argmax(x, tn::axis<-1>));
  });
  auto const sums =
      tn::compile([](auto t, auto i) { return tn::sum(tn::embedding(t, i), tn::axis<-1>); });
  for (std::int64_t n : lengths)
    for (arrangement how :
         {arrangement::contiguous, arrangement::misaligned, arrangement::stepped}) {
      auto table = random_array<T, 2>({table_rows, n}, how, -9, 9);
      auto index = random_indices<int, 2>({2, 3}, table_rows, arrangement::transposed);
      auto const rows = rows_of(table, index.values()).values();
      auto const [both, largest] = f(table.view(), index.view());
      doubles const alone = result_of(sums(table.view(), index.view())), sum = result_of(both),
                    at = result_of(largest);
      for (std::int64_t r = 0; r < 6; ++r) {
        double expected = 0, scale = 0;
        std::int64_t best = 0;
        for (std::int64_t j = 0; j < n; ++j) {
          expected += rows[r * n + j], scale += std::abs(rows[r * n + j]);
          if (rows[r * n + j] > rows[r * n + best]) best = j;
        }
        double const allowed =
            precision_of(tn::dtype_of<T>).roundoff * std::abs(expected) + scale * 1e-5;
        EXPECT_NEAR(alone[r], expected, allowed) << n << " " << to_string(how);
        EXPECT_NEAR(sum[r], expected, allowed) << n << " " << to_string(how);
        EXPECT_EQ(at[r], static_cast<double>(best)) << n << " " << to_string(how);
      }
    }
}
TEST(gathered_rows, sums_and_positions_f32) { check_values<float>(); }
TEST(gathered_rows, sums_and_positions_bf16) { check_values<tn::bfloat16>(); }

// Row r of the result is the distance of row_of(r) of `all` from its largest element.
template <class RowOf>
void check_rows_of(doubles const& all, doubles const& result, std::int64_t n, RowOf const& row_of) {
  for (std::int64_t r = 0; r < result.size() / n; ++r) {
    double const* const row = &all.values[static_cast<std::size_t>(row_of(r) * n)];
    double const largest = *std::max_element(row, row + n);
    for (std::int64_t j = 0; j < n; ++j)
      ASSERT_EQ(result[r * n + j], static_cast<float>(largest - row[j])) << n;
  }
}

// Rows of each batch, rows that two indices name, and what other indices name.
TEST(gathered_rows, other_indices) {
  auto const each = tn::compile([](auto x, auto i) {
    auto rows = tn::take_along_axis(x, tn::unsqueeze(i, tn::axis<2>), tn::axis<1>);
    return tn::max(rows, tn::axis<2>, tn::keepdim) - rows;
  });
  auto const two = tn::compile([](auto x, auto i) {
    auto rows = tn::gather_nd(x, tn::reshape(i, tn::shape<-1, 2>));
    return tn::max(rows, tn::axis<-1>, tn::keepdim) - rows;
  });
  auto const indirect = tn::compile([](auto x, auto i, auto j) {
    auto rows = tn::embedding(x, tn::take(i, j, tn::axis<0>) - 1);
    return tn::max(rows, tn::axis<-1>, tn::keepdim) - rows;
  });
  for (std::int64_t n : {1, 8, 33, 64, 1000})
    for (arrangement how : arrangements) {
      auto x = random_array<float, 3>({4, 6, n}, how);
      auto y = random_array<float, 2>({6, n}, how);
      auto i = random_indices<int, 2>({4, 5}, 6);
      auto pairs = random_indices<int, 1>({14}, 4);
      auto list = random_array<int, 1>({20}, arrangement::contiguous, 0, 6);
      auto other = random_indices<std::int64_t, 1>({7}, 20);
      doubles const at_each = i.values(), at_two = pairs.values(), named = list.values(),
                    at_other = other.values();
      check_rows_of(x.values(), result_of(each(x.view(), i.view())), n,
                    [&](std::int64_t r) { return r / 5 * 6 + wrapped(at_each[r], 6); });
      check_rows_of(x.values(), result_of(two(x.view(), pairs.view())), n, [&](std::int64_t r) {
        return wrapped(at_two[2 * r], 4) * 6 + wrapped(at_two[2 * r + 1], 6);
      });
      check_rows_of(
          y.values(), result_of(indirect(y.view(), list.view(), other.view())), n,
          [&](std::int64_t r) { return wrapped(named[wrapped(at_other[r], 20)] - 1, 6); });
    }
}

// Each row is of one of two tables, of which one may have none.
TEST(gathered_rows, rows_of_two_tables) {
  auto const f = tn::compile([](auto x, auto y) {
    auto both = tn::concat(x, y, tn::axis<0>);
    return both - tn::max(both, tn::axis<1>, tn::keepdim);
  });
  for (std::int64_t n : {1, 8, 33, 64, 1000})
    for (std::int64_t count : {0, 1, 5})
      for (arrangement how : {arrangement::contiguous, arrangement::reversed}) {
        auto x = random_array<float, 2>({count, n}, how), y = random_array<float, 2>({3, n}, how);
        doubles const a = x.values(), b = y.values(), result = result_of(f(x.view(), y.view()));
        for (std::int64_t k = 0; k < result.size(); ++k) {
          std::int64_t const r = k / n;
          auto const at = [&](std::int64_t j) {
            return r < count ? a[r * n + j] : b[(r - count) * n + j];
          };
          double largest = at(0);
          for (std::int64_t j = 0; j < n; ++j) largest = std::max(largest, at(j));
          ASSERT_EQ(result[k], static_cast<float>(at(k % n) - largest)) << n << ", " << count;
        }
      }
}

// Two rows of one table for each row, and rows of planes that are seen from two places.
TEST(gathered_rows, two_of_one_table) {
  auto const product = tn::compile([](auto t, auto i, auto j) {
    return tn::sum(tn::embedding(t, i) * tn::embedding(t, j), tn::axis<1>);
  });
  auto const around = tn::compile([](auto x) {
    auto const next = tn::roll(x, tn::axis<1>, -1);
    return x - tn::max(next, tn::axis<2>, tn::keepdim) * next;
  });
  for (std::int64_t n : {1, 8, 33, 64, 1000, 9000})
    for (arrangement how : {arrangement::contiguous, arrangement::reversed}) {
      auto t = whole_numbers<float, 2>({9, n}, how);
      std::vector<std::int64_t> const first{3, 0, 8, 8, 1}, second{1, 0, -1, 2, 7};
      tn::tensor<std::int64_t, tn::dyn> const i(first, 5), j(second, 5);
      doubles const a = t.values(), sums = result_of(product(t.view(), i, j));
      for (std::int64_t r = 0; r < 5; ++r) {
        double sum = 0;
        for (std::int64_t c = 0; c < n; ++c)
          sum += a[first[r] * n + c] * a[wrapped(second[r], 9) * n + c];
        ASSERT_EQ(sums[r], sum) << n << ", " << r;
      }

      auto x = whole_numbers<float, 3>({3, 4, n}, how);
      doubles const b = x.values(), result = result_of(around(x.view()));
      for (std::int64_t r = 0; r < 12; ++r) {
        std::int64_t const next = r / 4 * 4 + (r + 1) % 4;
        double largest = b[next * n];
        for (std::int64_t c = 0; c < n; ++c) largest = std::max(largest, b[next * n + c]);
        for (std::int64_t c = 0; c < n; ++c)
          ASSERT_EQ(result[r * n + c], b[r * n + c] - largest * b[next * n + c]) << n << ", " << r;
      }
    }
}

// On a device what is outside is NaN, and the rows beside it are not.
TEST(gathered_rows, rows_outside_are_missing) {
  if (std::is_same_v<tn::default_space, tn::cpu>) GTEST_SKIP() << "the CPU backend throws";
  auto const f = tn::compile(
      [](auto t, auto i, auto w, auto b) { return tn::layer_norm(tn::embedding(t, i), w, b); });
  std::vector<std::int64_t> const at{
      0, 9, -9, -10, 8, 1ll << 32, -(1ll << 32) - 1, std::numeric_limits<std::int64_t>::min()};
  auto const count = static_cast<std::int64_t>(at.size());
  tn::tensor<std::int64_t, tn::dyn> index(at, count);
  for (std::int64_t n : {8, 33, 1000, 1024, 9000, 40000})
    for (std::int64_t height : {table_rows, std::int64_t(0)})
      for (arrangement how : {arrangement::contiguous, arrangement::reversed}) {
        auto table = random_array<float, 2>({height, n}, how);
        auto w = random_array<float, 1>({n}), b = random_array<float, 1>({n});
        doubles const result = result_of(f(table.view(), index, w.view(), b.view()));
        for (std::int64_t k = 0; k < result.size(); ++k) {
          std::int64_t const i = at[static_cast<std::size_t>(k / n)];
          ASSERT_EQ(std::isnan(result[k]), i < -height || i >= height) << n << ", " << i;
        }
      }
}

}  // namespace
