// SPDX-License-Identifier: Apache-2.0
// Rotary embedding in both layouts, quantisation by rows and blocks, and the first elements of an
// order.
#include "run/support/arrays.hpp"
#include "run/support/errors.hpp"

namespace {

using reference::doubles;

TEST(rope, rotates_pairs) {
  auto const halves = tn::compile([](auto x, auto c, auto s) { return tn::rope(x, c, s); });
  auto const neighbours =
      tn::compile([](auto x, auto c, auto s) { return tn::rope(x, c, s, tn::interleaved); });
  for (std::int64_t half : {1, 2, 16, 33}) {
    auto x = random_array<double, 3>({2, 5, 2 * half});
    auto c = random_array<double, 2>({5, half}), s = random_array<double, 2>({5, half});
    doubles const a = x.values(), cosines = c.values(), sines = s.values();
    doubles const h = result_of(halves(x.view(), c.view(), s.view())),
                  n = result_of(neighbours(x.view(), c.view(), s.view()));
    for (std::int64_t k = 0; k < a.size(); ++k) {
      std::int64_t const i = k % (2 * half), row = k - i, t = k / (2 * half) % 5;
      auto const expected = [&](std::int64_t pair, bool is_first, std::int64_t other) {
        double const turned = a[row + other] * sines[t * half + pair];
        return a[k] * cosines[t * half + pair] + (is_first ? -turned : turned);
      };
      EXPECT_NEAR(h[k], expected(i % half, i < half, i < half ? i + half : i - half), 1e-12);
      EXPECT_NEAR(n[k], expected(i / 2, i % 2 == 0, i ^ 1), 1e-12);
    }
  }
}

// The mean counts the columns as a float, the rotation as an integer.
TEST(rope, of_a_normalised_row) {
  auto const f =
      tn::compile([](auto x, auto c, auto s) { return tn::rope(tn::rms_norm(x), c, s); });
  auto const normal = tn::compile([](auto x) { return tn::rms_norm(x); });
  auto x = random_array<double, 2>({5, 66});
  auto c = random_array<double, 1>({33}), s = random_array<double, 1>({33});
  doubles const a = result_of(normal(x.view())), cosines = c.values(), sines = s.values(),
                turned = result_of(f(x.view(), c.view(), s.view()));
  for (std::int64_t row = 0; row < 5; ++row)
    for (std::int64_t k = 0; k < 33; ++k) {
      double const first = a[row * 66 + k], second = a[row * 66 + 33 + k];
      EXPECT_NEAR(turned[row * 66 + k], first * cosines[k] - second * sines[k], 1e-12);
      EXPECT_NEAR(turned[row * 66 + 33 + k], second * cosines[k] + first * sines[k], 1e-12);
    }
}

TEST(quantize, rows_and_blocks_come_back_within_half_a_unit) {
  auto const f = tn::compile([](auto x) {
    auto [values, scales] = tn::quantize<std::int8_t>(x, tn::axis<-1>);
    return tn::outputs(values, scales, tn::dequantize(values, scales));
  });
  auto const blocks = tn::compile([](auto x) {
    auto [values, scales] = tn::quantize<tn::float8_e4m3>(x, tn::ct<16>);
    return tn::outputs(values, scales);
  });
  auto x = random_array<float, 2>({5, 64});
  doubles a = x.values();
  for (std::int64_t k = 64; k < 128; ++k) a[k] = 0;
  x.set(a);
  auto const [values, scales, back] = f(x.view());
  for (std::int64_t k = 0; k < a.size(); ++k) {
    double largest = 0;
    for (std::int64_t j = 0; j < 64; ++j) largest = std::max(largest, std::abs(a[k / 64 * 64 + j]));
    EXPECT_FLOAT_EQ(static_cast<float>(result_of(scales)[k / 64]),
                    static_cast<float>(largest == 0 ? 1 : largest / 127));
    EXPECT_LE(std::abs(result_of(values)[k]), 127);
    EXPECT_NEAR(result_of(back)[k], a[k], largest / 127 * 0.5001);
  }
  auto const [small, units] = blocks(x.view());
  ASSERT_EQ(result_of(small).extents, (reference::shape{5, 4, 16}));
  ASSERT_EQ(result_of(units).extents, (reference::shape{5, 4, 1}));
  for (std::int64_t k = 0; k < a.size(); ++k)
    EXPECT_NEAR(static_cast<float>(tn::to<tn::cpu>(small).data()[k]) * result_of(units)[k / 16],
                a[k], std::abs(a[k]) / 16 + 1e-3);
}

// A scale would be below the least number there is: the elements are 0, and none is NaN.
TEST(quantize, rows_too_small_for_a_scale) {
  array<float, 1> x({3}, arrangement::contiguous, doubles({3}, {1e-44, 0, -1e-44}));
  auto const f = tn::compile([](auto x) {
    auto [values, scales] = tn::quantize<tn::float8_e4m3>(x, tn::axis<0>);
    return tn::outputs(tn::cast<float>(values), scales);
  });
  auto const [values, scales] = f(x.view());
  EXPECT_EQ(result_of(values).values, (reference::elements{0, 0, 0}));
  EXPECT_EQ(result_of(scales).values, (reference::elements{1}));
}

TEST(topk, of_more_elements_than_there_are_is_refused) {
  auto const f =
      tn::compile([](auto x) { return tn::topk(x, tn::axis<1>, tn::ct<3>).values; }, "best");
  auto x = random_array<float, 2>({4, 2});
  EXPECT_ERROR(f(x.view()),
               "tenon: topk: lengths differ: x0.1[0:3] (2) and extent 3, shapes [4, 2]; make them "
               "equal; only a build-time extent of 1 repeats (expression best, operand 0)");
}

TEST(topk, the_first_elements_in_order) {
  auto const largest = tn::compile([](auto x) {
    auto [values, indices] = tn::topk(x, tn::axis<1>, tn::ct<3>);
    return tn::outputs(values, indices);
  });
  auto const least = tn::compile(
      [](auto x) { return tn::topk(x, tn::axis<-1>, tn::ct<2>, tn::smallest).indices; });
  for (std::int64_t columns : {3, 33, 1025}) {
    auto x = random_array<int, 2>({4, columns}, arrangement::contiguous, -4, 4);
    auto const [values, indices] = largest(x.view());
    doubles const v = result_of(values), i = result_of(indices), low = result_of(least(x.view()));
    for (std::int64_t row = 0; row < 4; ++row) {
      std::vector<std::int64_t> order(static_cast<std::size_t>(columns));
      for (std::int64_t k = 0; k < columns; ++k) order[static_cast<std::size_t>(k)] = k;
      auto const at = [&](std::int64_t k) { return x.values()[row * columns + k]; };
      std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return at(a) > at(b); });
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_EQ(i.values[static_cast<std::size_t>(row) * 3 + k], static_cast<double>(order[k]));
        EXPECT_EQ(v.values[static_cast<std::size_t>(row) * 3 + k], at(order[k]));
      }
      std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return at(a) < at(b); });
      EXPECT_EQ(low[row * 2], static_cast<double>(order[0]));
    }
  }
  double const inf = std::numeric_limits<double>::infinity(),
               nan = std::numeric_limits<double>::quiet_NaN();
  array<float, 2> special({1, 4});
  special.set(doubles({1, 4}, {-inf, nan, -inf, -inf}));
  auto const [values, indices] = largest(special.view());
  EXPECT_EQ(result_of(indices).values, (reference::elements{1, 0, 2}));
}

TEST(topk, nan_is_the_greatest) {
  auto const least =
      tn::compile([](auto x) { return tn::topk(x, tn::axis<1>, tn::ct<4>, tn::smallest).indices; });
  double const inf = std::numeric_limits<double>::infinity(),
               nan = std::numeric_limits<double>::quiet_NaN();
  array<float, 2> x({2, 5});
  x.set(doubles({2, 5}, {nan, inf, nan, 3, inf, nan, nan, nan, nan, nan}));
  EXPECT_EQ(result_of(least(x.view())).values, (reference::elements{3, 1, 4, 0, 0, 1, 2, 3}));
}

// Ten reductions, one after the other, whose states had more shared memory than a block has.
TEST(topk, of_a_softmax_by_a_chain_of_states) {
  constexpr int count = 8;
  auto const f = tn::compile([](auto x) {
    auto [values, places] = tn::topk(tn::softmax(x, tn::axis<-1>), tn::axis<-1>, tn::ct<count>);
    return tn::outputs(values, places);
  });
  for (std::int64_t columns : {8, 33, 1000, 1025, 4096, 30000, 70000}) {
    auto x = random_array<float, 2>({2, columns}, arrangement::contiguous, -8, 8);
    doubles a = x.values();
    for (std::int64_t k = 0; k < a.size(); ++k) a[k] = std::round(a[k] * 64) / 64;
    x.set(a);
    auto const [values, places] = f(x.view());
    doubles const v = result_of(values), at = result_of(places);
    for (std::int64_t row = 0; row < 2; ++row) {
      std::vector<std::int64_t> order(static_cast<std::size_t>(columns));
      double sum = 0;
      for (std::int64_t k = 0; k < columns; ++k) {
        order[static_cast<std::size_t>(k)] = k;
        sum += std::exp(a[row * columns + k]);
      }
      std::stable_sort(order.begin(), order.end(), [&](auto i, auto j) {
        return a[row * columns + i] > a[row * columns + j];
      });
      for (std::int64_t k = 0; k < count; ++k) {
        std::int64_t const place = order[static_cast<std::size_t>(k)];
        double const expected = std::exp(a[row * columns + place]) / sum;
        EXPECT_EQ(at[row * count + k], static_cast<double>(place)) << columns;
        EXPECT_NEAR(v[row * count + k], expected, 1e-5 * expected) << columns;
      }
    }
  }
}

// So many states of one phase that fewer blocks than a cluster has may share a row.
TEST(topk, six_positions_beside_each_other) {
  auto const f = tn::compile([](auto x) {
    auto const along = tn::axis<-1>;
    return tn::outputs(tn::argmax(x, along), tn::argmin(x, along), tn::argmax(tn::abs(x), along),
                       tn::argmin(tn::abs(x), along), tn::argmax(x * x - x, along),
                       tn::argmin(x * x - x, along));
  });
  for (std::int64_t columns : {1, 33, 1025, 4096, 40000}) {
    auto x = random_array<double, 2>({2, columns});
    doubles const a = x.values();
    auto const [greatest, least, farthest, nearest, most, fewest] = f(x.view());
    auto const expect_greatest = [&](auto const& found, auto of) {
      doubles const places = result_of(found);
      for (std::int64_t row = 0; row < 2; ++row) {
        std::int64_t best = 0;
        for (std::int64_t k = 1; k < columns; ++k)
          if (of(a[row * columns + k]) > of(a[row * columns + best])) best = k;
        EXPECT_EQ(places[row], static_cast<double>(best)) << columns;
      }
    };
    expect_greatest(greatest, [](double e) { return e; });
    expect_greatest(least, [](double e) { return -e; });
    expect_greatest(farthest, [](double e) { return std::abs(e); });
    expect_greatest(nearest, [](double e) { return -std::abs(e); });
    expect_greatest(most, [](double e) { return e * e - e; });
    expect_greatest(fewest, [](double e) { return e - e * e; });
  }
}

}  // namespace
