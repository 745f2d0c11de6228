// SPDX-License-Identifier: Apache-2.0
// Updates at positions along several axes against a plain loop over the updates in their order.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"
#include "run/support/errors.hpp"

namespace {

using reference::doubles;

constexpr std::int64_t planes = 3, rows = 5, width = 4;

// The flat position of a row of the base at a pair of indices, of which negative ones count from
// the end.
std::int64_t row_at(doubles const& pairs, std::int64_t k) {
  auto const at = [&](std::int64_t i, std::int64_t length) {
    auto const index = static_cast<std::int64_t>(pairs[i]);
    return index < 0 ? index + length : index;
  };
  return at(2 * k, planes) * rows + at(2 * k + 1, rows);
}
template <class Combine>
doubles naive(doubles base, doubles const& pairs, doubles const& updates, Combine const& combine) {
  for (std::int64_t k = 0; 2 * k < pairs.size(); ++k)
    for (std::int64_t d = 0; d < width; ++d) {
      double& at = base[row_at(pairs, k) * width + d];
      at = combine(at, updates[k * width + d]);
    }
  return base;
}
doubles whole(doubles x) {
  for (double& v : x.values) v = std::round(v);
  return x;
}
array<int, 1> random_pairs(std::int64_t count) {
  auto i = random_array<int, 1>({2 * count}, arrangement::contiguous, -3, 2.99);
  doubles values = i.values();
  for (std::int64_t k = 1; k < values.size(); k += 2)
    values[k] = std::trunc(values[k] * 1.7);  // -5 to 3
  i.set(values);
  return i;
}
// The types say how many numbers an index has.
constexpr auto pairs = [](auto i) { return tn::reshape(i, tn::shape<-1, 2>); };

// Small integers: every order gives the same sum, exactly.
TEST(scatter_nd, rows_at_pairs) {
  auto const assign =
      tn::compile([](auto b, auto i, auto u) { return tn::scatter_nd(b, pairs(i), u); });
  auto const add = tn::compile(
      [](auto b, auto i, auto u) { return tn::scatter_nd_add(b * 2, pairs(i), tn::neg(u)); });
  auto const most =
      tn::compile([](auto b, auto i, auto u) { return tn::scatter_nd_max(b, pairs(i), u); });
  for (std::int64_t count : {0, 1, 7, 33, 300}) {
    auto base = random_array<float, 3>({planes, rows, width}, arrangement::contiguous, -9, 9);
    auto updates = random_array<float, 2>({count, width}, arrangement::contiguous, -9, 9);
    auto index = random_pairs(count);
    base.set(whole(base.values())), updates.set(whole(updates.values()));
    doubles const b = base.values(), i = index.values(), u = updates.values();
    doubles twice = b;
    for (double& x : twice.values) x *= 2;
    EXPECT_EQ(result_of(assign(base.view(), index.view(), updates.view())).values,
              naive(b, i, u, [](double, double y) { return y; }).values)
        << count;
    EXPECT_EQ(result_of(add(base.view(), index.view(), updates.view())).values,
              naive(twice, i, u, [](double x, double y) { return x - y; }).values)
        << count;
    EXPECT_EQ(result_of(most(base.view(), index.view(), updates.view())).values,
              naive(b, i, u, [](double x, double y) { return std::max(x, y); }).values)
        << count;
  }
}

// An index of one element, and a number for it; an index of one number, as scatter has it, within
// an expression.
TEST(scatter_nd, other_ranks) {
  auto base = random_array<int, 2>({4, 5}, arrangement::contiguous, -9, 9);
  array<int, 1> at({2}, arrangement::contiguous, doubles({2}, {2.0, -1.0}));
  doubles expected = base.values();
  expected[2 * 5 + 4] *= 3;
  auto const one = tn::compile(
      [](auto b, auto i) { return tn::scatter_nd_mul(b, tn::reshape(i, tn::shape<2>), 3); });
  EXPECT_EQ(result_of(one(base.view(), at.view())).values, expected.values);

  expected = base.values();
  for (std::int64_t k = 0; k < expected.size(); ++k)
    expected[k] = 10 - (k / 5 == 2 || k / 5 == 3 ? 7 : expected[k]);
  auto const rows_of = tn::compile(
      [](auto b, auto i) { return 10 - tn::scatter_nd(b, tn::reshape(i, tn::shape<2, 1>), 7); });
  EXPECT_EQ(result_of(rows_of(base.view(), at.view())).values, expected.values);
}

#if !defined(__CUDACC__)
TEST(scatter_nd, an_index_outside_is_found) {
  auto const f = tn::compile([](auto b, auto i, auto u) { return tn::scatter_nd(b, pairs(i), u); });
  auto b = random_array<float, 2>({4, 3});
  auto u = random_array<float, 1>({1});
  array<int, 1> i({2}, arrangement::contiguous, doubles({2}, {0.0, 3.0}));
  EXPECT_ERROR(f(b.view(), i.view(), u.view()),
               "tenon: scatter: index 3 is out of range for extent 3; give indices from -extent to "
               "extent - 1");
}
TEST(scatter_nd, lengths_that_differ) {
  auto const f =
      tn::compile([](auto b, auto i, auto u) { return tn::scatter_nd_add(b, pairs(i), u); });
  auto b = random_array<float, 2>({4, 3});
  auto u = random_array<float, 1>({3});
  array<int, 1> i({4}, arrangement::contiguous, doubles({4}, {0.0, 1.0, 2.0, 2.0}));
  EXPECT_ERROR(
      f(b.view(), i.view(), u.view()),
      "tenon: scatter_nd: lengths differ: axis 0 of operand 2 (3) and x1.0/2 (2), shapes [3] "
      "and [4]; make them equal; only a build-time extent of 1 repeats (expression "
      "expression, operand 1)");
}
#endif

}  // namespace
