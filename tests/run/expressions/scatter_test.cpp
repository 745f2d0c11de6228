// SPDX-License-Identifier: Apache-2.0
// Updates at indices against a plain loop over the updates in their order.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"
#include "run/support/errors.hpp"
#include "run/support/one_launch.hpp"

namespace {

using reference::doubles;

std::int64_t wrapped(double index, std::int64_t length) {
  return static_cast<std::int64_t>(index < 0 ? index + static_cast<double>(length) : index);
}

// base[index[j]][d] = combine(base[index[j]][d], updates[j][d]), one update after the other.
template <class Combine>
doubles naive(doubles base, doubles const& index, doubles const& updates, Combine const& combine) {
  std::int64_t const length = base.extents[0],
                     width = base.size() / std::max<std::int64_t>(length, 1);
  for (std::int64_t j = 0; j < index.size(); ++j)
    for (std::int64_t d = 0; d < width; ++d) {
      double& at = base[wrapped(index[j], length) * width + d];
      at = combine(at, updates[j * width + d]);
    }
  return base;
}

constexpr auto last = [](double, double y) { return y; };
constexpr auto plus = [](double x, double y) { return x + y; };
constexpr auto times = [](double x, double y) { return x * y; };
constexpr auto greatest = [](double x, double y) { return std::max(x, y); };
constexpr auto least = [](double x, double y) { return std::min(x, y); };

struct lengths {
  std::int64_t base, updates, width;
};
// Short and long beside each other; more updates than positions, so that many share one.
constexpr lengths cases[] = {{1, 1, 1},   {1, 5, 3},    {7, 0, 2},     {7, 40, 1},    {33, 31, 32},
                             {64, 9, 65}, {1000, 3, 1}, {5, 2500, 33}, {300, 4099, 7}};

auto indices_of(std::int64_t count, std::int64_t length) {
  return random_array<int, 1>({count}, arrangement::contiguous, -static_cast<double>(length),
                              static_cast<double>(length));
}

// Small integers: every order gives the same sum, exactly.
TEST(scatter, rows_at_an_index_of_one_axis) {
  auto const f =
      tn::compile([](auto b, auto i, auto u) { return tn::scatter_add(b, tn::axis<0>, i, u); });
  auto const g =
      tn::compile([](auto b, auto i, auto u) { return tn::scatter(b, tn::axis<0>, i, u); });
  auto const m =
      tn::compile([](auto b, auto i, auto u) { return tn::scatter_max(b, tn::axis<0>, i, u); });
  auto const n =
      tn::compile([](auto b, auto i, auto u) { return tn::scatter_min(b, tn::axis<0>, i, u); });
  for (lengths const& l : cases)
    for (arrangement how : arrangements) {
      auto base = random_array<float, 2>({l.base, l.width}, how, -9, 9);
      auto updates = random_array<float, 2>({l.updates, l.width}, how, -9, 9);
      auto index = indices_of(l.updates, l.base);
      doubles b = base.values(), u = updates.values();
      for (double& x : b.values) x = std::round(x);
      for (double& x : u.values) x = std::round(x);
      base.set(b), updates.set(u);
      auto const check = [&](auto const& actual, auto const& combine, char const* name) {
        EXPECT_EQ(result_of(actual).values, naive(b, index.values(), u, combine).values)
            << name << " " << l.base << " " << l.updates << " " << l.width << to_string(how);
      };
      check(f(base.view(), index.view(), updates.view()), plus, "add");
      check(g(base.view(), index.view(), updates.view()), last, "assign");
      check(m(base.view(), index.view(), updates.view()), greatest, "max");
      check(n(base.view(), index.view(), updates.view()), least, "min");
    }
}

TEST(scatter, means_of_what_comes_to_a_place) {
  auto const f =
      tn::compile([](auto b, auto i, auto u) { return tn::scatter_mean(b, tn::axis<0>, i, u); });
  for (lengths const& l : cases) {
    auto base = random_array<double, 2>({l.base, l.width}),
         updates = random_array<double, 2>({l.updates, l.width});
    auto index = indices_of(l.updates, l.base);
    doubles expected = naive(base.values(), index.values(), updates.values(), plus),
            count = expected, ones = updates.values();
    std::fill(count.values.begin(), count.values.end(), 1);
    std::fill(ones.values.begin(), ones.values.end(), 1);
    count = naive(count, index.values(), ones, plus);
    doubles const found = result_of(f(base.view(), index.view(), updates.view()));
    for (std::int64_t k = 0; k < found.size(); ++k)
      EXPECT_NEAR(found[k], expected[k] / count[k], 1e-12) << l.base << " " << l.updates;
  }
}

// An index for each element, along either axis, as take_along_axis reads.
TEST(scatter, elements_at_an_index_of_all_axes) {
  auto const rows =
      tn::compile([](auto b, auto i, auto u) { return tn::scatter_add(b, tn::axis<0>, i, u); });
  auto const columns =
      tn::compile([](auto b, auto i, auto u) { return tn::scatter(b, tn::axis<1>, i, u); });
  for (std::int64_t count : {0, 1, 31, 33, 700}) {
    auto b = random_array<int, 2>({37, 5}, arrangement::contiguous, -9, 9);
    auto i = random_array<std::int64_t, 2>({count, 5}, arrangement::contiguous, -37, 37);
    auto u = random_array<int, 2>({count, 5}, arrangement::contiguous, -9, 9);
    doubles expected = b.values(), at = i.values(), x = u.values();
    for (std::int64_t k = 0; k < at.size(); ++k) expected[wrapped(at[k], 37) * 5 + k % 5] += x[k];
    EXPECT_EQ(result_of(rows(b.view(), i.view(), u.view())).values, expected.values) << count;

    auto c = random_array<float, 2>({5, 37});
    auto j = random_array<int, 2>({5, count}, arrangement::contiguous, -37, 37);
    auto v = random_array<float, 2>({5, count});
    doubles assigned = c.values(), to = j.values(), y = v.values();
    for (std::int64_t k = 0; k < to.size(); ++k)
      assigned[k / count * 37 + wrapped(to[k], 37)] = y[k];
    EXPECT_EQ(result_of(columns(c.view(), j.view(), v.view())).values, assigned.values) << count;
  }
}

// What computes the updates, the index and the base is part of the launch, and what comes after.
TEST(scatter, fuses_with_what_stands_around_it) {
  auto const f = tn::compile([](auto b, auto i, auto u, auto w) {
    auto grown = tn::scatter_add(b * 2.0f, tn::axis<0>, i + 1, tn::relu(u) * w);
    return tn::outputs(grown + w, tn::exp(-grown));
  });
  auto b = random_array<float, 2>({65, 33}), u = random_array<float, 2>({129, 33});
  auto w = random_array<float, 1>({33});
  auto i = random_array<int, 1>({129}, arrangement::contiguous, 0, 64);
  doubles expected = b.values(), x = u.values(), at = i.values(), v = w.values();
  for (double& y : expected.values) y *= 2;
  for (std::int64_t k = 0; k < x.size(); ++k)
    expected[(static_cast<std::int64_t>(at[k / 33]) + 1) * 33 + k % 33] +=
        std::max(x[k], 0.0) * v[k % 33];
  tn::tensor<float, tn::dyn, tn::dyn> sum(65, 33), power(65, 33);
  expect_one_launch(
      [&](tn::stream on) { f.on(on).into(sum, power)(b.view(), i.view(), u.view(), w.view()); });
  doubles const s = result_of(sum), p = result_of(power);
  for (std::int64_t k = 0; k < expected.size(); ++k) {
    EXPECT_NEAR(s[k], expected[k] + v[k % 33], 1e-4) << k;
    EXPECT_NEAR(p[k], std::exp(-expected[k]), 1e-4 * std::exp(-expected[k])) << k;
  }
}

// The gradient of an embedding, the counts of a histogram, and sums that are rounded once.
TEST(scatter, sums_of_few_positions) {
  auto const counts = tn::compile([](auto x, auto zeros) {
    return tn::scatter_add(zeros, tn::axis<0>, tn::cast<int>(tn::floor(x * 16.0f)), 1);
  });
  auto x = random_array<float, 1>({5000}, arrangement::contiguous, 0, 0.99);
  auto zeros = random_array<std::int64_t, 1>({16}, arrangement::contiguous, 0, 0.5);
  zeros.set(doubles({16}));
  doubles expected({16});
  for (double v : x.values().values) expected[static_cast<std::int64_t>(v * 16)] += 1;
  EXPECT_EQ(result_of(counts(x.view(), zeros.view())).values, expected.values);

  auto const halves =
      tn::compile([](auto b, auto i, auto u) { return tn::scatter_add(b, tn::axis<0>, i, u); });
  auto b = random_array<tn::bfloat16, 2>({3, 8}), u = random_array<tn::bfloat16, 2>({512, 8});
  auto i = random_array<int, 1>({512}, arrangement::contiguous, 0, 3);
  doubles const sums = naive(b.values(), i.values(), u.values(), plus);
  doubles const actual = result_of(halves(b.view(), i.view(), u.view()));
  for (std::int64_t k = 0; k < sums.size(); ++k)
    EXPECT_NEAR(actual[k], sums[k], std::abs(sums[k]) / 256 + 1e-3) << k;
}

// What is not asked for is not computed.
TEST(scatter, parts_of_the_result) {
  auto const f = tn::compile([](auto b, auto i, auto u) {
    auto all = tn::scatter_add(b, tn::axis<0>, i, u);
    return tn::slice(all, tn::axis<0>, tn::range<20, 2, -3>);
  });
  auto const g = tn::compile([](auto b, auto i, auto u) {
    return tn::transpose(
        tn::slice(tn::scatter(b, tn::axis<0>, i, u), tn::axis<1>, tn::range<1, 4>));
  });
  auto b = random_array<int, 2>({30, 5}), u = random_array<int, 2>({77, 5});
  auto i = indices_of(77, 30);
  doubles const sums = naive(b.values(), i.values(), u.values(), plus),
                assigned = naive(b.values(), i.values(), u.values(), last);
  doubles const part = result_of(f(b.view(), i.view(), u.view())),
                turned = result_of(g(b.view(), i.view(), u.view()));
  ASSERT_EQ(part.extents, (reference::shape{6, 5}));
  for (std::int64_t k = 0; k < part.size(); ++k)
    EXPECT_EQ(part[k], sums[(20 - 3 * (k / 5)) * 5 + k % 5]) << k;
  ASSERT_EQ(turned.extents, (reference::shape{3, 30}));
  for (std::int64_t k = 0; k < turned.size(); ++k)
    EXPECT_EQ(turned[k], assigned[k % 30 * 5 + 1 + k / 30]) << k;
}

TEST(scatter, same_bits_twice) {
  auto const f =
      tn::compile([](auto b, auto i, auto u) { return tn::scatter_add(b, tn::axis<0>, i, u); });
  auto b = random_array<float, 2>({11, 130}), u = random_array<float, 2>({4099, 130});
  auto i = random_array<int, 1>({4099}, arrangement::contiguous, 0, 11);
  doubles const first = result_of(f(b.view(), i.view(), u.view()));
  EXPECT_EQ(result_of(f(b.view(), i.view(), u.view())).values, first.values);
  doubles expected = b.values(), magnitudes = expected;
  for (double& magnitude : magnitudes.values) magnitude = std::fabs(magnitude);
  doubles const x = u.values(), at = i.values();
  for (std::int64_t k = 0; k < x.size(); ++k) {
    std::int64_t const to = static_cast<std::int64_t>(at[k / 130]) * 130 + k % 130;
    expected[to] += x[k], magnitudes[to] += std::fabs(x[k]);
  }
  check_close(tn::dtype::f32, first, expected,
              {.arithmetic = 2 * std::log2(4099.0), .scale = &magnitudes});
}

TEST(scatter, one_number_for_all_and_products) {
  auto const marked =
      tn::compile([](auto b, auto i) { return tn::scatter(b, tn::axis<1>, i, 7.0f); });
  auto const scaled =
      tn::compile([](auto b, auto i, auto u) { return tn::scatter_mul(b, tn::axis<2>, i, u); });
  auto b = random_array<float, 2>({6, 40});
  auto i = random_array<int, 1>({9}, arrangement::contiguous, -40, 40);
  doubles expected = b.values();
  for (double at : i.values().values)
    for (std::int64_t row = 0; row < 6; ++row) expected[row * 40 + wrapped(at, 40)] = 7;
  EXPECT_EQ(result_of(marked(b.view(), i.view())).values, expected.values);

  auto c = random_array<int, 3>({2, 3, 10}, arrangement::contiguous, -4, 4);
  auto u = random_array<int, 3>({2, 3, 5}, arrangement::contiguous, -4, 4);
  auto j = random_array<int, 1>({5}, arrangement::contiguous, -10, 10);
  doubles products = c.values(), v = u.values();
  for (std::int64_t k = 0; k < v.size(); ++k)
    products[k / 5 * 10 + wrapped(j.values()[k % 5], 10)] *= v[k];
  EXPECT_EQ(result_of(scaled(c.view(), j.view(), u.view())).values, products.values);
}

// Which the types say: no update has to be searched for, and what comes after may be anything.
TEST(scatter, one_update) {
  tn::tensor<int, 1> const at(std::vector<int>{-2});
  tn::tensor<float, 1, 4> const updates(std::vector<float>{1, 2, 3, 4});
  auto b = random_array<float, 2>({3, 4});
  doubles assigned = b.values(), added = b.values();
  for (std::int64_t k = 0; k < 4; ++k) assigned[4 + k] = k + 1.0, added[4 + k] += k + 1.0;
  auto const f =
      tn::compile([](auto b, auto i, auto u) { return tn::scatter(b, tn::axis<0>, i, u); });
  auto const g = tn::compile([](auto b, auto i, auto u) {
    return tn::flip(tn::scatter_add(b, tn::axis<0>, i, u), tn::axis<0>);
  });
  EXPECT_EQ(result_of(f(b.view(), at, updates)).values, assigned.values);
  doubles const flipped = result_of(g(b.view(), at, updates));
  for (std::int64_t k = 0; k < 12; ++k) EXPECT_FLOAT_EQ(flipped[k], added[(2 - k / 4) * 4 + k % 4]);
}

#if !defined(__CUDACC__)
TEST(scatter, an_index_outside_is_found) {
  auto const f =
      tn::compile([](auto b, auto i, auto u) { return tn::scatter_add(b, tn::axis<0>, i, u); });
  auto b = random_array<float, 2>({4, 3}), u = random_array<float, 2>({2, 3});
  for (int wrong : {4, -5}) {
    auto i = random_array<int, 1>({2});
    i.set(doubles({2}, {0.0, static_cast<double>(wrong)}));
    EXPECT_ERROR(f(b.view(), i.view(), u.view()),
                 "tenon: scatter: index " + std::to_string(wrong) +
                     " is out of range for extent 4; give indices from -extent to extent - 1");
  }
}
TEST(scatter, lengths_that_differ) {
  auto const f =
      tn::compile([](auto b, auto i, auto u) { return tn::scatter(b, tn::axis<0>, i, u); });
  auto b = random_array<float, 2>({4, 3}), u = random_array<float, 2>({3, 3});
  auto i = random_array<int, 1>({2}, arrangement::contiguous, 0, 4);
  EXPECT_ERROR(f(b.view(), i.view(), u.view()),
               "tenon: scatter: lengths differ: axis 0 of operand 2 (3) and axis 0 of operand 1 "
               "(2), shapes [3, 3] and [2]; make them equal; only a build-time extent of 1 repeats "
               "(expression expression, operand 1)");
}
#endif

}  // namespace
