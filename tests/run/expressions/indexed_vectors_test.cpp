// SPDX-License-Identifier: Apache-2.0
// Pointwise expressions of what lies at indices, one of which neighbouring elements have together:
// by whole vectors where they are, element by element where they are not, with the same values.

// What is outside is missing, rather than the end of the program, on a device.
#define TENON_CHECK_INDICES 0

#include "run/support/arrays.hpp"
#include "run/support/close.hpp"
#include "run/support/one_launch.hpp"

namespace {

using reference::doubles;

// One element, parts of a vector, whole ones, and vectors of other widths.
constexpr std::int64_t lengths[] = {1, 4, 7, 8, 24, 33, 40, 256};
constexpr std::int64_t rows = 19;

// Indices from -length to length - 1, unsigned ones from 0.
template <class I, int Rank>
array<I, Rank> random_indices(extents_of_rank<Rank> const& shape, std::int64_t length,
                              arrangement how = arrangement::contiguous) {
  double const beyond = static_cast<double>(length);
  return random_array<I, Rank>(shape, how, std::is_signed_v<I> ? -beyond : 0, beyond);
}
std::int64_t wrapped(double index, std::int64_t length) {
  return static_cast<std::int64_t>(index < 0 ? index + static_cast<double>(length) : index);
}
// Rows of a table, `n` elements each.
doubles rows_of(doubles const& table, doubles const& index, std::int64_t n) {
  doubles result({index.size() * n});
  for (std::int64_t k = 0; k < result.size(); ++k)
    result[k] = table[wrapped(index[k / n], table.extents[0]) * n + k % n];
  return result;
}

template <class T, class I> void check_rows() {
  static auto const alone = tn::compile([](auto t, auto i) { return tn::embedding(t, i); });
  static auto const with_positions =
      tn::compile([](auto t, auto i, auto p) { return tn::embedding(t, i) + p; });
  for (std::int64_t n : lengths)
    for (arrangement how : arrangements) {
      auto table = random_array<T, 2>({rows, n}, how);
      auto index = random_indices<I, 2>({3, 5}, rows);
      auto positions = random_array<T, 2>({5, n});
      doubles expected = rows_of(table.values(), index.values(), n);
      array<T, 3> out({3, 5, n});
      expect_one_launch(
          [&](tn::stream on) { alone.on(on).into(out.view())(table.view(), index.view()); });
      EXPECT_EQ(out.result().values, expected.values) << n << " " << to_string(how);
      doubles const p = positions.values();
      for (std::int64_t k = 0; k < expected.size(); ++k)
        expected[k] = as_double(from_double<T>(expected[k] + p[k % (5 * n)]));
      with_positions.into(out.view())(table.view(), index.view(), positions.view());
      EXPECT_EQ(out.result().values, expected.values) << n << " " << to_string(how);
    }
}
TEST(indexed_vectors, rows_of_a_table_f32) { check_rows<float, int>(); }
TEST(indexed_vectors, rows_of_a_table_bf16) { check_rows<tn::bfloat16, std::int64_t>(); }
TEST(indexed_vectors, rows_of_a_table_f64) { check_rows<double, std::int64_t>(); }
TEST(indexed_vectors, rows_of_a_table_bytes) { check_rows<std::int8_t, std::uint8_t>(); }

// Enough for threads that have several vectors of a row.
TEST(indexed_vectors, several_vectors_of_a_row) {
  auto const f = tn::compile([](auto t, auto i, auto x) { return tn::embedding(t, i) + x; });
  constexpr std::int64_t count = 2200, n = 1040;
  auto table = random_array<float, 2>({rows, n});
  auto index = random_indices<int, 1>({count}, rows);
  auto x = random_array<float, 1>({n});
  doubles expected = rows_of(table.values(), index.values(), n);
  doubles const added = x.values();
  for (std::int64_t k = 0; k < expected.size(); ++k)
    expected[k] = static_cast<float>(expected[k] + added[k % n]);
  EXPECT_EQ(result_of(f(table.view(), index.view(), x.view())).values, expected.values);
}

// Into results of other widths, of any layout, through indices of any layout.
TEST(indexed_vectors, results_and_indices_of_any_layout) {
  auto const f = tn::compile(
      [](auto t, auto i) { return tn::relu(tn::cast<float>(tn::take(t, i, tn::axis<0>))); });
  for (std::int64_t n : lengths)
    for (arrangement how : writable_arrangements) {
      auto table = random_array<tn::half, 2>({rows, n});
      auto index = random_indices<std::int64_t, 1>({11}, rows, how);
      doubles expected = rows_of(table.values(), index.values(), n);
      for (double& v : expected.values) v = v > 0 ? v : 0;
      array<float, 2> out({11, n}, how);
      f.into(out.view())(table.view(), index.view());
      EXPECT_EQ(out.result().values, expected.values) << n << " " << to_string(how);
    }
}

// An axis in the middle, one index for each of the outer axis' elements, and two indices.
TEST(indexed_vectors, other_axes) {
  auto const middle =
      tn::compile([](auto x, auto i) { return tn::take(x, i, tn::axis<1>) * 2.0f; });
  auto const along = tn::compile([](auto x, auto i) {
    return tn::take_along_axis(x, tn::unsqueeze(i, tn::axis<2>), tn::axis<1>) - 1.0f;
  });
  auto const two = tn::compile(
      [](auto x, auto i) { return tn::gather_nd(x, tn::reshape(i, tn::shape<-1, 2>)) + 0.5f; });
  for (std::int64_t n : lengths) {
    auto x = random_array<float, 3>({4, 6, n});
    auto i = random_indices<int, 1>({5}, 6);
    auto each = random_indices<int, 2>({4, 5}, 6);
    auto pairs = random_indices<int, 1>({14}, 4);
    doubles const a = x.values(), of_middle = result_of(middle(x.view(), i.view())),
                  of_each = result_of(along(x.view(), each.view())),
                  of_two = result_of(two(x.view(), pairs.view()));
    for (std::int64_t k = 0; k < of_middle.size(); ++k) {
      std::int64_t const batch = k / n / 5, at = k / n % 5, j = k % n;
      ASSERT_EQ(of_middle[k], 2 * a[(batch * 6 + wrapped(i.values()[at], 6)) * n + j]) << n;
      ASSERT_EQ(of_each[k],
                static_cast<float>(a[(batch * 6 + wrapped(each.values()[k / n], 6)) * n + j] - 1.0))
          << n;
    }
    for (std::int64_t k = 0; k < of_two.size(); ++k) {
      std::int64_t const first = wrapped(pairs.values()[k / n * 2], 4),
                         second = wrapped(pairs.values()[k / n * 2 + 1], 6);
      ASSERT_EQ(of_two[k], static_cast<float>(a[(first * 6 + second) * n + k % n] + 0.5)) << n;
    }
  }
}

// Tables of angles that are taken at positions, whose halves are as one.
TEST(indexed_vectors, angles_of_a_rotation) {
  auto const f = tn::compile([](auto x, auto c, auto s, auto at) {
    return tn::rope(x, tn::embedding(c, at), tn::embedding(s, at));
  });
  for (std::int64_t size : {8, 16, 48, 64, 6}) {
    std::int64_t const half = size / 2;
    auto x = random_array<float, 3>({4, 7, size});
    auto c = random_array<float, 2>({rows, half}), s = random_array<float, 2>({rows, half});
    auto at = random_indices<int, 1>({7}, rows);
    doubles const a = x.values(), cosines = c.values(), sines = s.values(),
                  result = result_of(f(x.view(), c.view(), s.view(), at.view()));
    for (std::int64_t k = 0; k < a.size(); ++k) {
      std::int64_t const j = k % size, angle = wrapped(at.values()[k / size % 7], rows) * half;
      double const other = j < half ? -a[k + half] : a[k - half];
      double const one = a[k] * cosines[angle + j % half], two = other * sines[angle + j % half];
      ASSERT_NEAR(result[k], one + two, (std::abs(one) + std::abs(two)) * 4e-7) << size;
    }
  }
}

// An index that is used for something else, too.
TEST(indexed_vectors, the_row_of_the_padding_is_zero) {
  auto const f = tn::compile([](auto t, auto i) {
    return tn::where(tn::unsqueeze(i == 2, tn::axis<1>), 0.0f, tn::embedding(t, i));
  });
  for (std::int64_t n : lengths) {
    auto table = random_array<float, 2>({rows, n});
    auto index = random_indices<std::int64_t, 1>({40}, rows);
    doubles expected = rows_of(table.values(), index.values(), n);
    for (std::int64_t k = 0; k < expected.size(); ++k)
      if (index.values()[k / n] == 2) expected[k] = 0;
    EXPECT_EQ(result_of(f(table.view(), index.view())).values, expected.values) << n;
  }
}

// On a device what is outside is NaN, and no index is taken for another one.
TEST(indexed_vectors, rows_outside_are_missing) {
  if (std::is_same_v<tn::default_space, tn::cpu>) GTEST_SKIP() << "the CPU backend throws";
  auto const f = tn::compile([](auto t, auto i, auto x) { return tn::embedding(t, i) + x; });
  std::vector<std::int64_t> const at{0,
                                     19,
                                     -19,
                                     -20,
                                     18,
                                     1ll << 32,
                                     (1ll << 32) + 1,
                                     -(1ll << 32) - 1,
                                     std::numeric_limits<std::int64_t>::min()};
  auto const count = static_cast<std::int64_t>(at.size());
  tn::tensor<std::int64_t, tn::dyn> index(at, count);
  for (std::int64_t n : lengths) {
    auto table = random_array<float, 2>({rows, n});
    auto x = random_array<float, 2>({count, n});
    doubles const t = table.values(), result = result_of(f(table.view(), index, x.view()));
    for (std::int64_t k = 0; k < result.size(); ++k) {
      std::int64_t const i = at[static_cast<std::size_t>(k / n)];
      if (i < -rows || i >= rows)
        ASSERT_TRUE(std::isnan(result[k])) << i;
      else
        ASSERT_EQ(result[k],
                  static_cast<float>(t[(i < 0 ? i + rows : i) * n + k % n] + x.values()[k]));
    }
  }
}

}  // namespace
