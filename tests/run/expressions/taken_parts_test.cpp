// SPDX-License-Identifier: Apache-2.0
// Views by positions of what was itself read at indices of the user's: a position outside of a part
// is not an index outside of what the part is read from.
#include "run/support/arrays.hpp"
#include "run/support/errors.hpp"

namespace {

using reference::doubles;

constexpr std::int64_t rows = 5, columns = 9, taken = 4;

auto operand() { return random_array<float, 2>({rows, columns}); }
auto indices() { return random_array<int, 2>({rows, taken}, arrangement::contiguous, -4, 4); }
// What take_along_axis gives of the first four columns.
double taken_at(doubles const& x, doubles const& index, std::int64_t row, std::int64_t column) {
  auto at = static_cast<std::int64_t>(index[row * taken + column]);
  return x[row * columns + (at < 0 ? at + taken : at)];
}

template <class Expected>
void expect_columns(doubles const& result, std::int64_t length, Expected const& expected) {
  ASSERT_EQ(result.size(), rows * length);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < length; ++j)
      EXPECT_EQ(result[i * length + j], expected(i, j)) << i << ", " << j;
}

TEST(taken_parts, concatenated_with_the_rest) {
  auto const f = tn::compile([](auto x, auto i) {
    auto first = tn::take_along_axis(tn::slice(x, tn::axis<1>, tn::range<0, 4>), i, tn::axis<1>);
    return tn::concat(first, tn::slice(x, tn::axis<1>, tn::range<4, 9>), tn::axis<1>);
  });
  auto const behind = tn::compile([](auto x, auto i) {
    auto last = tn::take_along_axis(tn::slice(x, tn::axis<1>, tn::range<0, 4>), i, tn::axis<1>);
    return tn::concat(x, last * 2.0f, tn::axis<1>);
  });
  auto x = operand();
  auto i = indices();
  doubles const a = x.values(), at = i.values();
  expect_columns(result_of(f(x.view(), i.view())), columns, [&](auto row, auto k) {
    return k < taken ? taken_at(a, at, row, k) : a[row * columns + k];
  });
  expect_columns(result_of(behind(x.view(), i.view())), columns + taken, [&](auto row, auto k) {
    return k < columns ? a[row * columns + k] : 2 * taken_at(a, at, row, k - columns);
  });
}

TEST(taken_parts, padded_rolled_stacked_and_tiled) {
  auto const padded = tn::compile([](auto x, auto i) {
    auto part = tn::take_along_axis(tn::slice(x, tn::axis<1>, tn::range<0, 4>), i, tn::axis<1>);
    return tn::pad(tn::pad(part, tn::axis<1>, tn::widths<2, 3>, 7), tn::axis<1>, tn::widths<1, 1>,
                   8);
  });
  auto const rolled = tn::compile([](auto x, auto i) {
    auto part = tn::take_along_axis(tn::slice(x, tn::axis<1>, tn::range<0, 4>), i, tn::axis<1>);
    return tn::roll(part, tn::axis<1>, 1);
  });
  auto const stacked = tn::compile([](auto x, auto i) {
    auto part = tn::take_along_axis(tn::slice(x, tn::axis<1>, tn::range<0, 4>), i, tn::axis<1>);
    return tn::stack(part, part + 1.0f, tn::axis<0>);
  });
  auto const tiled = tn::compile([](auto x, auto i) {
    auto part = tn::take_along_axis(tn::slice(x, tn::axis<1>, tn::range<0, 4>), i, tn::axis<1>);
    return tn::tile(part, tn::shape<1, 3>);
  });
  auto x = operand();
  auto i = indices();
  doubles const a = x.values(), at = i.values();
  expect_columns(result_of(padded(x.view(), i.view())), taken + 7, [&](auto row, auto k) {
    if (k == 0 || k == taken + 6) return 8.0;
    return k < 3 || k >= 3 + taken ? 7.0 : taken_at(a, at, row, k - 3);
  });
  expect_columns(result_of(rolled(x.view(), i.view())), taken,
                 [&](auto row, auto k) { return taken_at(a, at, row, (k + taken - 1) % taken); });
  expect_columns(result_of(tiled(x.view(), i.view())), 3 * taken,
                 [&](auto row, auto k) { return taken_at(a, at, row, k % taken); });
  doubles const both = result_of(stacked(x.view(), i.view()));
  for (std::int64_t k = 0; k < rows * taken; ++k) {
    double const one = taken_at(a, at, k / taken, k % taken);
    EXPECT_EQ(both[k], one);
    EXPECT_EQ(both[rows * taken + k], static_cast<float>(one + 1));
  }
}

// An index at an index, of a part: every one of them is checked inside, none outside.
TEST(taken_parts, taken_from_twice) {
  auto const f = tn::compile([](auto x, auto i, auto j) {
    auto once = tn::take_along_axis(x, i, tn::axis<1>);
    auto twice = tn::take_along_axis(once, j, tn::axis<1>);
    return tn::concat(x, twice, tn::axis<1>);
  });
  auto x = operand();
  auto i = random_array<int, 2>({rows, taken}, arrangement::contiguous, 0, columns);
  auto j = random_array<int, 2>({rows, 3}, arrangement::contiguous, -taken, taken);
  doubles const a = x.values(), first = i.values(), second = j.values();
  expect_columns(result_of(f(x.view(), i.view(), j.view())), columns + 3, [&](auto row, auto k) {
    if (k < columns) return a[row * columns + k];
    auto at = static_cast<std::int64_t>(second[row * 3 + k - columns]);
    at = at < 0 ? at + taken : at;
    return a[row * columns + static_cast<std::int64_t>(first[row * taken + at])];
  });
}

// A part of no elements has indices of none.
TEST(taken_parts, empty_part) {
  auto const f = tn::compile([](auto x, auto i) {
    return tn::concat(tn::take_along_axis(x, i, tn::axis<1>), x, tn::axis<1>);
  });
  auto x = operand();
  auto i = random_array<int, 2>({rows, 0});
  EXPECT_EQ(result_of(f(x.view(), i.view())).values, x.values().values);
}

#if !defined(__CUDACC__)
TEST(taken_parts, an_index_outside_is_still_found) {
  auto const f = tn::compile([](auto x, auto i) {
    return tn::concat(tn::take_along_axis(x, i, tn::axis<1>), x, tn::axis<1>);
  });
  auto x = operand();
  for (double wrong : {9.0, -10.0}) {
    auto i = random_array<long long, 2>({rows, taken}, arrangement::contiguous, 0, 9);
    doubles at = i.values();
    at[rows * taken - 1] = wrong;
    i.set(at);
    EXPECT_ERROR(f(x.view(), i.view()),
                 "tenon: take: index " + std::to_string(static_cast<int>(wrong)) +
                     " is out of range for extent 9; give indices from -extent to extent - 1");
  }
}
#endif

// An index into what is read by position: rolled, or a turned tensor in another
// shape.
TEST(taken_parts, an_index_outside_of_a_moved_axis_is_named) {
  if (std::is_same_v<tn::default_space, tn::cuda>) GTEST_SKIP() << "only the CPU backend throws";
  auto const rolled = tn::compile([](auto x, auto i) {
    return tn::take(tn::roll(tn::flatten(x), tn::axis<0>, tn::ct<3>), i, tn::axis<0>);
  });
  auto const turned = tn::compile([](auto x, auto i) {
    return tn::take(tn::flatten(tn::transpose(x) + 1.0f), i, tn::axis<0>);
  });
  auto x = random_array<float, 2>({4, 6});
  for (int wrong : {24, -25, 1 << 30}) {
    tn::tensor<int, 3> i(std::vector<int>{0, wrong, 1});
    std::string const message = "tenon: take: index " + std::to_string(wrong) +
                                " is out of range for extent 24; give indices from -extent to "
                                "extent - 1";
    EXPECT_ERROR(rolled(x.view(), i), message);
    EXPECT_ERROR(turned(x.view(), i), message);
  }
  tn::tensor<int, 2> inside(std::vector<int>{-24, 23});
  EXPECT_EQ(result_of(turned(x.view(), inside))[0], static_cast<float>(x.values()[0]) + 1.0f);
  EXPECT_EQ(result_of(turned(x.view(), inside))[1], static_cast<float>(x.values()[23]) + 1.0f);
}

}  // namespace
