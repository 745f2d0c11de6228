// SPDX-License-Identifier: Apache-2.0
// Rotary embedding in both layouts, quantisation by rows and blocks, and positions of several
// extrema at once.
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

// So many states of one phase that fewer blocks than a cluster has may share a row.
TEST(positions, six_beside_each_other) {
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
