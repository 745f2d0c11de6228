// SPDX-License-Identifier: Apache-2.0
// Positions and elements at indices against plain loops: extents x layouts x places in a kernel.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"
#include "run/support/errors.hpp"

namespace {

constexpr std::int64_t extents[] = {1, 2, 31, 33, 1023, 1025, 4099};

using reference::doubles;

// Indices from -length to length - 1.
array<int, 2> random_indices(extents_of_rank<2> const& shape, std::int64_t length) {
  return random_array<int, 2>(shape, arrangement::contiguous, -static_cast<double>(length),
                              static_cast<double>(length));
}
std::int64_t wrapped(double index, std::int64_t length) {
  return static_cast<std::int64_t>(index < 0 ? index + static_cast<double>(length) : index);
}

// Along axis 1 of a matrix: NaN wins, then the greatest, then the lowest index.
doubles naive_argmax(doubles const& x) {
  std::int64_t const rows = x.extents[0], columns = x.extents[1];
  doubles result({rows});
  for (std::int64_t i = 0; i < rows; ++i) {
    std::int64_t best = 0;
    for (std::int64_t j = 1; j < columns; ++j) {
      double const now = x[i * columns + j], before = x[i * columns + best];
      if (!std::isnan(before) && (std::isnan(now) || now > before)) best = j;
    }
    result[i] = static_cast<double>(best);
  }
  return result;
}

TEST(indexing, argmax_takes_the_first_of_equals_and_nan) {
  auto const of_rows = tn::compile([](auto x) { return tn::argmax(x, tn::axis<1>); });
  auto const of_all = tn::compile([](auto x) { return tn::argmax(x); });
  auto const both = tn::compile([](auto x) {
    auto [values, indices] = tn::max_with_index(x, tn::axis<1>);
    return tn::outputs(values, indices);
  });
  for (std::int64_t columns : extents)
    for (arrangement how : arrangements) {
      // Few different numbers: every maximum occurs many times.
      auto x = random_array<int, 2>({3, columns}, how, -2, 2);
      doubles const expected = naive_argmax(x.values());
      EXPECT_EQ(result_of(of_rows(x.view())).values, expected.values) << columns << to_string(how);
      doubles flat = x.values();
      flat.extents = {1, flat.size()};
      EXPECT_EQ(result_of(of_all(x.view()))[0], naive_argmax(flat)[0]) << columns << to_string(how);
      auto const [values, indices] = both(x.view());
      EXPECT_EQ(result_of(indices).values, expected.values);
      for (std::int64_t i = 0; i < 3; ++i)
        EXPECT_EQ(result_of(values)[i],
                  x.values()[i * columns + static_cast<std::int64_t>(expected[i])]);

      auto y = random_array<float, 2>({3, columns}, how);
      doubles special = y.values();
      for (std::int64_t i = columns / 2; i < special.size(); i += columns / 2 + 1)
        special[i] = std::numeric_limits<double>::quiet_NaN();
      special[0] = -std::numeric_limits<double>::infinity();
      y.set(special);
      EXPECT_EQ(result_of(of_rows(y.view())).values, naive_argmax(y.values()).values) << columns;
    }
}

TEST(indexing, argmin_of_infinities_and_of_one_element) {
  auto const lowest = tn::compile([](auto x) { return tn::argmin(x, tn::axis<1>); });
  array<float, 2> x({2, 3});
  double const inf = std::numeric_limits<double>::infinity();
  x.set(doubles({2, 3}, {inf, inf, inf, 0, -inf, -inf}));
  EXPECT_EQ(result_of(lowest(x.view())).values, (reference::elements{0, 1}));
  tn::tensor<float, 3, 1> column(std::vector<float>{1, 1, 1});
  EXPECT_EQ(result_of(lowest(column)).values, (reference::elements{0, 0, 0}));
  array<float, 2> empty({2, 0});
  EXPECT_ERROR(lowest(empty.view()),
               "tenon: argmin: the operand is empty along the reduced axes, shape [2, 0]; reduce "
               "at least one element; "
               "a sum, product, any or all of nothing is defined (expression expression)");
}

// Where a row is several axes, and its position counts one of them, or the rows.
TEST(indexing, positions_in_rows_of_several_axes) {
  auto const f = tn::compile([](auto x) {
    auto below = tn::where(tn::iota(x, tn::axis<2>) <= tn::iota(x, tn::axis<1>) + 2, x, 0);
    return tn::outputs(tn::sum(below * (tn::iota(x, tn::axis<0>) + 1), tn::axis<1, 2>),
                       tn::argmax(x, tn::axis<1, 2>),
                       below - tn::max(x, tn::axis<1, 2>, tn::keepdim));
  });
  for (std::int64_t columns : extents)
    for (arrangement how : arrangements) {
      auto x = random_array<int, 3>({3, 4, columns}, how, -9, 9);
      auto const [sums, largest, differences] = f(x.view());
      doubles flat = x.values();
      flat.extents = {3, 4 * columns};
      EXPECT_EQ(result_of(largest).values, naive_argmax(flat).values) << columns;
      doubles const sum = result_of(sums), difference = result_of(differences);
      for (std::int64_t i = 0; i < 3; ++i) {
        double expected = 0, most = flat[i * 4 * columns];
        for (std::int64_t j = 0; j < 4 * columns; ++j) most = std::max(most, flat[i * 4 * columns + j]);
        for (std::int64_t j = 0; j < 4 * columns; ++j) {
          std::int64_t const at = i * 4 * columns + j;
          double const kept = j % columns <= j / columns + 2 ? flat[at] : 0;
          expected += kept * static_cast<double>(i + 1);
          ASSERT_EQ(difference[at], kept - most) << columns << to_string(how);
        }
        EXPECT_EQ(sum[i], expected) << columns << to_string(how);
      }
    }
}

// Bytes that are read twice beside doubles: a thread's two of them are less than one copy moves.
TEST(indexing, positions_of_bytes_beside_doubles) {
  auto const f = tn::compile([](auto x) {
    auto position = tn::argmax(x, tn::axis<0, 2>, tn::keepdim);
    return tn::where(x, position, position) * tn::cast<double>(position + 1);
  });
  constexpr std::int64_t planes = 8, columns = 15;
  for (std::int64_t rows : {1, 3, 33}) {
    auto x = random_array<bool, 3>({planes, rows, columns});
    doubles const values = x.values(), result = result_of(f(x.view()));
    for (std::int64_t i = 0; i < values.size(); ++i) {
      std::int64_t const row = i / columns % rows;
      double expected = 0;
      for (std::int64_t k = planes * columns; k-- > 0;)
        if (values[(k / columns * rows + row) * columns + k % columns] != 0)
          expected = static_cast<double>(k);
      ASSERT_EQ(result[i], expected * (expected + 1)) << rows << " rows, element " << i;
    }
  }
}

// A value over all rows of what positions gave, which the elements and their positions use again.
TEST(indexing, positions_on_both_sides_of_a_total) {
  auto const f = tn::compile([](auto x) {
    return x + tn::iota(x, tn::axis<1>) * tn::max(tn::argmax(x, tn::axis<1>)) +
           tn::argmax(x, tn::axis<1>, tn::keepdim);
  });
  for (std::int64_t columns : extents) {
    auto x = random_array<int, 2>({5, columns}, arrangement::contiguous, -9, 9);
    doubles const largest = naive_argmax(x.values()), result = result_of(f(x.view()));
    double const most = *std::max_element(largest.values.begin(), largest.values.end());
    for (std::int64_t i = 0; i < result.size(); ++i)
      ASSERT_EQ(result[i], x.values()[i] + static_cast<double>(i % columns) * most +
                               largest[i / columns])
          << columns;
  }
}

TEST(indexing, iota_is_the_position_through_any_view) {
  auto const f = tn::compile([](auto x) {
    return tn::outputs(
        x * 0 + tn::iota(x, tn::axis<0>) * 10000 + tn::iota(x, tn::axis<1>),
        tn::slice(tn::iota(x, tn::axis<1>) + x * 0, tn::axis<1>, tn::range<tn::end, tn::end, -1>));
  });
  for (std::int64_t columns : extents)
    for (arrangement how : arrangements) {
      auto x = random_array<float, 2>({5, columns}, how);
      auto const [forward, backward] = f(x.view());
      doubles const ahead = result_of(forward), back = result_of(backward);
      for (std::int64_t i = 0; i < ahead.size(); ++i) {
        ASSERT_EQ(ahead[i], static_cast<double>(i / columns * 10000 + i % columns));
        ASSERT_EQ(back[i], static_cast<double>(columns - 1 - i % columns));
      }
    }
}

TEST(indexing, take_along_axis_of_an_expression) {
  auto const f = tn::compile(
      [](auto x, auto y, auto i) { return tn::take_along_axis(x + 2 * y, i, tn::axis<1>) - 1; });
  for (std::int64_t columns : extents)
    for (arrangement how : arrangements) {
      auto x = random_array<int, 2>({4, columns}, how), y = random_array<int, 2>({4, columns});
      auto index = random_indices({4, 7}, columns);
      doubles const result = result_of(f(x.view(), y.view(), index.view())), i = index.values(),
                    a = x.values(), b = y.values();
      for (std::int64_t k = 0; k < result.size(); ++k) {
        std::int64_t const from = k / 7 * columns + wrapped(i[k], columns);
        ASSERT_EQ(result[k], a[from] + 2 * b[from] - 1) << columns << to_string(how);
      }
    }
}

TEST(indexing, rows_of_a_table_are_normalised) {
  auto const f = tn::compile(
      [](auto table, auto i) { return tn::softmax(tn::embedding(table, i), tn::axis<-1>); });
  for (std::int64_t columns : extents) {
    auto table = random_array<float, 2>({19, columns}, arrangement::padded);
    auto index = random_indices({3, 5}, 19);
    doubles const all = reference::softmax(table.values(), 0b10), i = index.values();
    doubles expected({3, 5, columns});
    for (std::int64_t k = 0; k < expected.size(); ++k)
      expected[k] = all[wrapped(i[k / columns], 19) * columns + k % columns];
    check_close(tn::dtype::f32, result_of(f(table.view(), index.view())), expected,
                {.arithmetic = 16 + sum_roundoffs(columns)}, std::to_string(columns));
  }
}

// Taken before or after the normalisation of whole rows: one row for each index, however often it
// is named.
TEST(indexing, rows_are_taken_from_a_normalised_table) {
  auto const f = tn::compile([](auto table, auto i) {
    return tn::take(tn::softmax(table, tn::axis<-1>), i, tn::axis<0>);
  });
  auto table = random_array<float, 2>({19, 33});
  auto index = random_indices({3, 5}, 19);
  doubles const all = reference::softmax(table.values(), 0b10), i = index.values();
  doubles expected({3, 5, 33});
  for (std::int64_t k = 0; k < expected.size(); ++k)
    expected[k] = all[wrapped(i[k / 33], 19) * 33 + k % 33];
  check_close(tn::dtype::f32, result_of(f(table.view(), index.view())), expected,
              {.arithmetic = 16 + sum_roundoffs(33)}, "take");
}

TEST(indexing, one_element_of_each_row_beside_a_reduction) {
  auto const f = tn::compile([](auto x, auto labels) {
    auto picked = tn::squeeze(
        tn::take_along_axis(x, tn::unsqueeze(labels, tn::axis<1>), tn::axis<1>), tn::axis<1>);
    return tn::outputs(tn::max(x, tn::axis<1>) - picked, tn::sum(picked));
  });
  for (std::int64_t columns : extents) {
    auto x = random_array<int, 2>({6, columns});
    auto labels = random_array<int, 1>({6}, arrangement::stepped, 0, static_cast<double>(columns));
    auto const [distance, total] = f(x.view(), labels.view());
    doubles const a = x.values(), l = labels.values(), d = result_of(distance);
    double sum = 0;
    for (std::int64_t i = 0; i < 6; ++i) {
      double largest = a[i * columns];
      for (std::int64_t j = 0; j < columns; ++j) largest = std::max(largest, a[i * columns + j]);
      double const picked = a[i * columns + static_cast<std::int64_t>(l[i])];
      sum += picked;
      EXPECT_EQ(d[i], largest - picked);
    }
    EXPECT_EQ(result_of(total)[0], sum);
  }
}

TEST(indexing, an_index_of_indices_and_gather_nd) {
  auto const f = tn::compile(
      [](auto x, auto i, auto j) { return tn::take(tn::take(x, i, tn::axis<0>), j, tn::axis<0>); });
  auto x = random_array<int, 1>({50});
  auto i = random_array<int, 1>({20}, arrangement::reversed, -50, 50),
       j = random_array<int, 1>({9}, arrangement::contiguous, -20, 20);
  doubles const result = result_of(f(x.view(), i.view(), j.view()));
  for (std::int64_t k = 0; k < 9; ++k)
    EXPECT_EQ(result[k], x.values()[wrapped(i.values()[wrapped(j.values()[k], 20)], 50)]);

  auto const nd = tn::compile([](auto x, auto i) { return tn::gather_nd(x, i) + 0.5f; });
  auto y = random_array<int, 3>({4, 5, 6});
  tn::tensor<int, 3, 2> at(std::vector<int>{0, 1, 3, -1, 2, 2});
  doubles const rows = result_of(nd(y.view(), at));
  std::int64_t const from[] = {0 * 5 + 1, 3 * 5 + 4, 2 * 5 + 2};
  for (std::int64_t k = 0; k < rows.size(); ++k)
    EXPECT_EQ(rows[k], y.values()[from[k / 6] * 6 + k % 6] + 0.5);
}

TEST(indexing, every_element_type_is_read) {
  auto const check = [](auto zero) {
    using T = decltype(zero);
    auto const f = tn::compile([](auto x, auto i) { return tn::take(x, i, tn::axis<0>); });
    auto x = random_array<T, 1>({67}, arrangement::stepped, 0, 3);
    auto i = random_array<std::int64_t, 1>({40}, arrangement::contiguous, -67, 67);
    doubles const result = result_of(f(x.view(), i.view()));
    for (std::int64_t k = 0; k < 40; ++k)
      EXPECT_EQ(result[k], x.values()[wrapped(i.values()[k], 67)]) << tn::name(tn::dtype_of<T>);
  };
  check(false), check(std::uint8_t()), check(std::int16_t()), check(std::uint32_t()), check(0LL);
  check(tn::half()), check(tn::bfloat16()), check(1.0f), check(1.0);
}

// A CUDA kernel stops in debug builds, and reads nothing in release builds.
TEST(indexing, an_index_outside_of_the_axis_is_named) {
  if (std::is_same_v<tn::default_space, tn::cuda>) GTEST_SKIP() << "only the CPU backend throws";
  auto const f = tn::compile([](auto x, auto i) { return tn::take(x, i, tn::axis<0>); });
  auto x = random_array<float, 1>({5});
  for (int wrong : {5, -6, 1 << 30}) {
    tn::tensor<int, 3> i(std::vector<int>{0, wrong, 1});
    EXPECT_ERROR(f(x.view(), i),
                 "tenon: take: index " + std::to_string(wrong) +
                     " is out of range for extent 5; give indices from -extent to extent - 1");
  }
  array<float, 1> nothing({0});
  tn::tensor<int, 1> first(std::vector<int>{0});
  EXPECT_ERROR(
      f(nothing.view(), first),
      "tenon: take: index 0 is out of range for extent 0; give indices from -extent to extent - 1");
  tn::tensor<float, tn::dyn> without_memory(0);
  EXPECT_ERROR(
      f(without_memory, first),
      "tenon: take: index 0 is out of range for extent 0; give indices from -extent to extent - 1");
  array<int, 1> none({0});
  EXPECT_EQ(f(x.view(), none.view()).size(), 0);
}

}  // namespace
