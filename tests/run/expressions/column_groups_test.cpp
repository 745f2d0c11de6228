// SPDX-License-Identifier: Apache-2.0
// Elements that are changed by statistics of groups of neighbouring columns: group norm where the
// channels are the last axis.
#include <cmath>
#include <limits>

#include "run/support/close.hpp"
#include "run/support/group_statistics.hpp"

namespace {

using reference::doubles;

TEST(column_groups, normalized_wherever_they_lie) {
  auto const layouts = {arrangement::contiguous, arrangement::misaligned, arrangement::padded,
                        arrangement::reversed, arrangement::transposed};
  expect_normalized<float>(by_magnitudes, {2, 431, 32, 10}, 2e-6, layouts);
  expect_normalized<tn::bfloat16>(by_magnitudes, {3, 900, 8, 5}, 2e-2, layouts);
}
// Groups that end in the middle of a vector.
TEST(column_groups, normalized_of_many_shapes) {
  expect_normalized<float>(by_magnitudes, {1, 1401, 32, 3}, 2e-6);
  expect_normalized<float>(by_magnitudes, {40, 230, 16, 18}, 2e-6);
  expect_normalized<float>(by_magnitudes, {3, 60, 4, 70}, 2e-6);
  expect_normalized<float>(by_magnitudes, {5, 2100, 2, 2}, 2e-6);
  expect_normalized<tn::bfloat16>(by_magnitudes, {2, 600, 32, 10}, 2e-2);
  expect_normalized<tn::half>(by_magnitudes, {2, 210, 32, 20}, 4e-3);
  expect_normalized<double>(by_magnitudes, {2, 600, 6, 7}, 1e-12);
}
// More than a cluster keeps, and groups that end in few tiles, of which many meet together, and one
// group of blocks has several.
TEST(column_groups, normalized_where_all_blocks_meet) {
  expect_normalized<float>(by_magnitudes, {1, 13001, 16, 3}, 2e-6,
                           {arrangement::contiguous, arrangement::misaligned});
  expect_normalized<float>(by_magnitudes, {40, 120, 8, 37}, 2e-6);
  expect_normalized<tn::bfloat16>(by_magnitudes, {2, 13003, 8, 5}, 2e-2,
                                  {arrangement::contiguous, arrangement::misaligned});
}
// Those of a group do not change with the number of images.
template <class T> void expect_bits_of_each_image(extents_of_rank<4> shape) {
  auto const f = tn::compile([](auto x, auto scale) {
    auto const mean = tn::mean(x, tn::axis<1, 3>, tn::keepdim);
    auto const variance = tn::var(x, tn::axis<1, 3>, tn::correction<0>, tn::keepdim);
    return (x - mean) * tn::rsqrt(variance + 1e-5f) * scale;
  });
  auto scale = random_array<T, 2>({shape[2], shape[3]});
  auto x = random_array<T, 4>(shape);
  array<T, 4> y(shape);
  f.into(y.view())(x.view(), scale.view());
  std::int64_t const image = shape[1] * shape[2] * shape[3];
  doubles const values = x.values(), all = y.result();
  shape[0] = 1;
  for (std::int64_t n : {0, 4}) {
    doubles one({1, shape[1], shape[2], shape[3]});
    for (std::int64_t i = 0; i < image; ++i) one[i] = values[n * image + i];
    array<T, 4> alone(shape), found(shape);
    alone.set(one);
    f.into(found.view())(alone.view(), scale.view());
    doubles const result = found.result();
    for (std::int64_t i = 0; i < image; ++i) ASSERT_EQ(result[i], all[n * image + i]) << i;
  }
}
TEST(column_groups, have_the_same_bits_beside_others) {
  expect_bits_of_each_image<tn::bfloat16>({5, 300, 4, 16});
  expect_bits_of_each_image<tn::bfloat16>({5, 1100, 4, 10});
  expect_bits_of_each_image<float>({5, 700, 8, 4});
  expect_bits_of_each_image<float>({5, 300, 4, 7});
}

// An operand of each element that only what is stored needs, and one of each position.
TEST(column_groups, stored_with_others) {
  extents_of_rank<4> const shape{2, 310, 4, 8};
  auto const f = tn::compile([](auto x, auto gate, auto of_position) {
    auto const mean = tn::mean(x, tn::axis<1, 3>, tn::keepdim);
    return (x - mean) * gate + tn::unsqueeze(of_position, tn::axis<0>);
  });
  auto x = random_array<float, 4>(shape), gate = random_array<float, 4>(shape);
  auto of_position = random_array<float, 3>({shape[1], shape[2], shape[3]});
  doubles const a = x.values(), g = gate.values(), b = of_position.values();
  doubles const found = result_of(f(x.view(), gate.view(), of_position.view()));
  statistics const all(a, shape);
  std::int64_t const image = shape[1] * shape[2] * shape[3];
  for (std::int64_t i = 0; i < shape[0] * image; ++i)
    ASSERT_NEAR(found[i], (a[i] - all.mean[all.group_of(i)]) * g[i] + b[i % image], 2e-6) << i;
}

// Two reductions of two operands, all of which is kept: what a gradient is made of.
TEST(column_groups, of_two_operands) {
  extents_of_rank<4> const shape{2, 260, 4, 10};
  auto const f = tn::compile([](auto x, auto y) {
    auto const mean = tn::mean(x, tn::axis<1, 3>, tn::keepdim);
    auto const product = tn::mean(y * (x - mean), tn::axis<1, 3>, tn::keepdim);
    return y - (x - mean) * product;
  });
  auto x = random_array<float, 4>(shape), y = random_array<float, 4>(shape);
  doubles const a = x.values(), b = y.values();
  doubles const found = result_of(f(x.view(), y.view()));
  statistics const all(a, shape);
  std::int64_t const count = shape[0] * shape[1] * shape[2] * shape[3];
  std::vector<double> product(all.mean.size());
  for (std::int64_t i = 0; i < count; ++i)
    product[all.group_of(i)] +=
        b[i] * (a[i] - all.mean[all.group_of(i)]) / static_cast<double>(shape[1] * shape[3]);
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t const g = all.group_of(i);
    ASSERT_NEAR(found[i], b[i] - (a[i] - all.mean[g]) * product[g], 4e-6) << i;
  }
}

// Channels in one axis, as programs have them.
TEST(column_groups, of_channels) {
  constexpr std::int64_t n = 2, height = 40, width = 36, channels = 96, groups = 32;
  auto const f = tn::compile([](auto x, auto scale, auto shift) {
    auto const split = tn::reshape(x, tn::shape<n, height * width, groups, channels / groups>);
    auto const mean = tn::mean(split, tn::axis<1, 3>, tn::keepdim);
    auto const variance = tn::var(split, tn::axis<1, 3>, tn::correction<0>, tn::keepdim);
    auto const all = (split - mean) * tn::rsqrt(variance + 1e-5f);
    return tn::reshape(all, tn::shape<n, height * width, channels>) * scale + shift;
  });
  auto x = random_array<float, 3>({n, height * width, channels}, arrangement::contiguous, -2, 3);
  auto scale = random_array<float, 1>({channels}), shift = random_array<float, 1>({channels});
  using vector = tn::view<float const, channels>;
  doubles const a = x.values(), s = scale.values(), b = shift.values();
  doubles const found = result_of(f(tn::view<float const, n, height * width, channels>{x.data()},
                                    vector{scale.data()}, vector{shift.data()}));
  statistics const all(a, {n, height * width, groups, channels / groups});
  for (std::int64_t i = 0; i < n * height * width * channels; ++i) {
    std::int64_t const g = all.group_of(i), c = i % channels;
    double const one = (a[i] - all.mean[g]) / std::sqrt(all.variance[g] + 1e-5);
    ASSERT_NEAR(found[i], one * s[c] + b[c], 1e-5) << i;
  }
}

// What is there once for each group is loaded, and an operand of each position of an image, which
// the images share.
TEST(column_groups, operands_of_groups_and_of_positions) {
  extents_of_rank<4> const shape{3, 420, 8, 10};
  auto const f = tn::compile([](auto x, auto bias, auto of_group) {
    auto const all = x + tn::unsqueeze(bias, tn::axis<0>);
    auto const most = tn::max(all, tn::axis<1, 3>, tn::keepdim);
    return tn::outputs((all - most) * of_group, tn::sum(all * of_group, tn::axis<1, 3>));
  });
  auto x = random_array<float, 4>(shape);
  auto bias = random_array<float, 3>({shape[1], shape[2], shape[3]});
  auto of_group = random_array<float, 4>({shape[0], 1, shape[2], 1});
  doubles const a = x.values(), b = bias.values(), w = of_group.values();
  using repeated = tn::view<float const, tn::dyn, 1, tn::dyn, 1>;
  auto const [y, sums] =
      f(x.view(), bias.view(), repeated::with_extents(of_group.data(), {shape[0], 1, shape[2], 1}));
  doubles const found = result_of(y), s = result_of(sums);
  statistics const all(a, shape);
  std::int64_t const image = shape[1] * shape[2] * shape[3];
  std::vector<double> most(all.mean.size(), -INFINITY), sum(all.mean.size());
  for (std::int64_t i = 0; i < shape[0] * image; ++i) {
    std::int64_t const g = all.group_of(i);
    most[g] = std::fmax(most[g], a[i] + b[i % image]), sum[g] += (a[i] + b[i % image]) * w[g];
  }
  for (std::size_t g = 0; g < sum.size(); ++g) EXPECT_NEAR(s[g], sum[g], 2e-3) << g;
  for (std::int64_t i = 0; i < shape[0] * image; ++i) {
    std::int64_t const g = all.group_of(i);
    ASSERT_NEAR(found[i], (a[i] + b[i % image] - most[g]) * w[g], 1e-5) << i;
  }
}

// No element is stored.
TEST(column_groups, sums_alone) {
  extents_of_rank<4> const shape{3, 500, 8, 10};
  auto const f = tn::compile(
      [](auto x) { return tn::outputs(tn::sum(x, tn::axis<1, 3>), tn::min(x, tn::axis<1, 3>)); });
  auto x = random_array<float, 4>(shape);
  doubles const a = x.values();
  auto const [sums, least] = f(x.view());
  doubles const s = result_of(sums), l = result_of(least);
  statistics const all(a, shape);
  std::vector<double> smallest(all.mean.size(), INFINITY);
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(a.values.size()); ++i)
    smallest[all.group_of(i)] = std::fmin(smallest[all.group_of(i)], a[i]);
  for (std::size_t g = 0; g < smallest.size(); ++g) {
    EXPECT_NEAR(s[g], all.mean[g] * 5000, 2e-3) << g;
    EXPECT_EQ(l[g], smallest[g]) << g;
  }
}

// A NaN and an infinity change their own groups.
TEST(column_groups, softmax_of_what_is_not_finite) {
  extents_of_rank<4> const shape{2, 701, 4, 6};
  auto const f = tn::compile([](auto x) { return tn::softmax(x, tn::axis<1, 3>); });
  auto x = random_array<float, 4>(shape);
  doubles a = x.values();
  a[7] = std::numeric_limits<double>::quiet_NaN();
  a[24 * 200 + 13] = std::numeric_limits<double>::infinity();
  a[24 * 900 + 20] = -std::numeric_limits<double>::infinity();
  x.set(a);
  check_close(tn::dtype::f32, result_of(f(x.view())), reference::softmax(x.values(), 0b1010),
              {.arithmetic = 16 + sum_roundoffs(4206)});
}

TEST(column_groups, have_the_same_bits_on_a_second_call) {
  auto const f = tn::compile([](auto x) { return x - tn::mean(x, tn::axis<1, 3>, tn::keepdim); });
  auto x = random_array<float, 4>({4, 800, 16, 10});
  doubles const first = result_of(f(x.view())), second = result_of(f(x.view()));
  EXPECT_EQ(first.values, second.values);
}

TEST(column_groups, without_elements) {
  auto const f = tn::compile([](auto x) { return x - tn::mean(x, tn::axis<1, 3>, tn::keepdim); });
  for (extents_of_rank<4> const shape :
       {extents_of_rank<4>{0, 3, 4, 8}, {2, 0, 4, 8}, {2, 3, 0, 8}, {2, 3, 4, 0}})
    EXPECT_EQ(result_of(f(array<float, 4>(shape).view())).values.size(), 0u);
}

}  // namespace
