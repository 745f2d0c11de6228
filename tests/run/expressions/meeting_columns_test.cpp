// SPDX-License-Identifier: Apache-2.0
// Elements that are changed by statistics of their columns, of which few are so long that all
// blocks of a device share them and meet between the sweeps.
#include <cmath>
#include <limits>

#include "run/support/arrays.hpp"
#include "run/support/close.hpp"

namespace {

using reference::doubles;

struct statistics {
  std::vector<double> mean, variance;
};
statistics statistics_of(doubles const& x, std::int64_t rows, std::int64_t columns) {
  statistics all{std::vector<double>(columns), std::vector<double>(columns)};
  for (std::int64_t i = 0; i < rows * columns; ++i) all.mean[i % columns] += x[i];
  for (double& mean : all.mean) mean /= static_cast<double>(rows);
  for (std::int64_t i = 0; i < rows * columns; ++i) {
    double const d = x[i] - all.mean[i % columns];
    all.variance[i % columns] += d * d / static_cast<double>(rows);
  }
  return all;
}

// Batch norm of features: a scale and a shift of each column, and its statistics beside the
// elements.
template <class T> auto normalized() {
  return tn::compile([](auto x, auto scale, auto shift) {
    auto const mean = tn::mean(x, tn::axis<0>);
    auto const variance = tn::var(x, tn::axis<0>, tn::correction<0>);
    return tn::outputs((x - mean) * tn::rsqrt(variance + 1e-5) * scale + shift, mean, variance);
  });
}
template <class T>
void expect_normalized(std::int64_t rows, std::int64_t columns, double within,
                       std::initializer_list<arrangement> layouts = {arrangement::contiguous}) {
  auto const f = normalized<T>();
  auto scale = random_array<T, 1>({columns}), shift = random_array<T, 1>({columns});
  doubles const s = scale.values(), b = shift.values();
  doubles values({rows, columns});
  std::vector<unsigned char> bits;
  for (arrangement how : layouts) {
    auto x = random_array<T, 2>({rows, columns}, how, -2, 3);
    if (how == *layouts.begin()) values = x.values();
    x.set(values);
    array<T, 2> y({rows, columns}, how);
    array<T, 1> mean({columns}), variance({columns});
    f.into(y.view(), mean.view(), variance.view())(x.view(), scale.view(), shift.view());
    statistics const all = statistics_of(values, rows, columns);
    doubles const found = y.result(), m = mean.result(), v = variance.result();
    for (std::int64_t c = 0; c < columns; ++c) {
      ASSERT_NEAR(m[c], all.mean[c], within) << to_string(how) << " " << c;
      ASSERT_NEAR(v[c], all.variance[c], within * 4) << to_string(how) << " " << c;
    }
    for (std::int64_t i = 0; i < rows * columns; ++i) {
      std::int64_t const c = i % columns;
      double const one = (values[i] - all.mean[c]) / std::sqrt(all.variance[c] + 1e-5);
      ASSERT_NEAR(found[i], one * s[c] + b[c], within * 4) << to_string(how) << " " << i;
    }
    if (how == *layouts.begin()) bits = y.bits();
    EXPECT_EQ(y.bits(), bits) << "other bits where they are " << to_string(how);
  }
}

TEST(meeting_columns, normalized_wherever_they_lie) {
  expect_normalized<float>(26011, 40, 2e-6,
                           {arrangement::contiguous, arrangement::misaligned, arrangement::padded,
                            arrangement::reversed});
  expect_normalized<tn::bfloat16>(70001, 24, 2e-2,
                                  {arrangement::contiguous, arrangement::misaligned,
                                   arrangement::padded, arrangement::reversed});
}
TEST(meeting_columns, normalized_of_odd_numbers) {
  for (std::int64_t columns : {1, 2, 3, 13, 37})
    expect_normalized<float>(400000 / (columns + 4), columns, 2e-6);
  expect_normalized<tn::bfloat16>(60000, 7, 2e-2);
  expect_normalized<tn::half>(50000, 33, 4e-3);
}

// Three operands of eight bytes are more than the shared memory of all blocks; of 72 columns two
// groups of blocks have three tiles.
TEST(meeting_columns, longer_than_what_is_kept) {
  auto const f = tn::compile([](auto x, auto y, auto z) {
    auto const all = x * y + z;
    return all - tn::mean(all, tn::axis<0>);
  });
  for (extents_of_rank<2> const shape : {extents_of_rank<2>{40003, 34}, {26001, 72}}) {
    auto x = random_array<double, 2>(shape), y = random_array<double, 2>(shape),
         z = random_array<double, 2>(shape);
    doubles const a = x.values(), b = y.values(), c = z.values();
    doubles const found = result_of(f(x.view(), y.view(), z.view()));
    std::vector<double> mean(shape[1]);
    std::int64_t const count = shape[0] * shape[1];
    for (std::int64_t i = 0; i < count; ++i)
      mean[i % shape[1]] += (a[i] * b[i] + c[i]) / static_cast<double>(shape[0]);
    for (std::int64_t i = 0; i < count; ++i)
      ASSERT_NEAR(found[i], a[i] * b[i] + c[i] - mean[i % shape[1]], 1e-12) << i;
  }
}

// An operand that the first sweep needs and the third, one that only the second needs, one that
// only the stores need, and one that all columns share.
TEST(meeting_columns, operands_of_some_sweeps) {
  auto const f = tn::compile([](auto x, auto y, auto z, auto weight) {
    auto const most = tn::max(x, tn::axis<0>);
    auto const sum = tn::sum(tn::abs(y) * tn::unsqueeze(weight, tn::axis<1>) + most, tn::axis<0>);
    return tn::outputs(x / (1 + tn::abs(sum)) + z, sum);
  });
  for (arrangement how : {arrangement::contiguous, arrangement::misaligned}) {
    constexpr std::int64_t rows = 26003, columns = 36;
    auto x = random_array<float, 2>({rows, columns}, how),
         y = random_array<float, 2>({rows, columns}), z = random_array<float, 2>({rows, columns});
    auto weight = random_array<float, 1>({rows});
    doubles const a = x.values(), b = y.values(), c = z.values(), w = weight.values();
    using matrix = tn::view<float const, rows, columns>;
    auto const [changed, sums] = f(matrix{x.data()}, matrix{y.data()}, matrix{z.data()},
                                   tn::view<float const, rows>{weight.data()});
    doubles const found = result_of(changed), s = result_of(sums);
    std::vector<double> most(columns, -INFINITY), sum(columns);
    for (std::int64_t i = 0; i < rows * columns; ++i)
      most[i % columns] = std::fmax(most[i % columns], a[i]);
    for (std::int64_t i = 0; i < rows * columns; ++i)
      sum[i % columns] += std::fabs(b[i]) * w[i / columns] + most[i % columns];
    for (std::int64_t i = 0; i < columns; ++i) ASSERT_NEAR(s[i], sum[i], 0.05) << i;
    for (std::int64_t i = 0; i < rows * columns; ++i)
      ASSERT_NEAR(found[i], a[i] / (1 + std::fabs(sum[i % columns])) + c[i], 1e-5) << i;
  }
}

// A NaN and infinities change their own columns, as they do in short ones.
TEST(meeting_columns, softmax_of_what_is_not_finite) {
  std::int64_t const rows = 30001, columns = 35;
  auto const f = tn::compile([](auto x) { return tn::softmax(x, tn::axis<0>); });
  auto x = random_array<float, 2>({rows, columns});
  doubles a = x.values();
  a[17 * columns + 3] = std::numeric_limits<double>::quiet_NaN();
  a[20000 * columns + 4] = -std::numeric_limits<double>::infinity();
  a[29999 * columns + 34] = std::numeric_limits<double>::infinity();
  for (std::int64_t r = 0; r < rows; ++r)
    a[r * columns + 7] = -std::numeric_limits<double>::infinity();
  x.set(a);
  check_close(tn::dtype::f32, result_of(f(x.view())), reference::softmax(x.values(), 0b01),
              {.arithmetic = 16 + sum_roundoffs(rows)});
}

// Positions along two axes that are not one, and columns along two others.
template <class T> void expect_centred_along_two_axes(double within) {
  std::int64_t const n = 90, height = 300, width = 3, channels = 24, columns = width * channels;
  auto const f = tn::compile([](auto x) { return x - tn::mean(x, tn::axis<0, 1>, tn::keepdim); });
  auto x = random_array<T, 4>({n, height, width, channels}, arrangement::padded);
  doubles const a = x.values(), found = result_of(f(x.view()));
  statistics const all = statistics_of(a, n * height, columns);
  for (std::int64_t i = 0; i < n * height * columns; ++i)
    ASSERT_NEAR(found[i], a[i] - all.mean[i % columns], within) << i;
}
TEST(meeting_columns, of_several_axes) {
  expect_centred_along_two_axes<float>(1e-5);
  expect_centred_along_two_axes<tn::bfloat16>(2e-2);
}

// A total over the values of all columns is stored beside the elements.
TEST(meeting_columns, total_of_the_columns) {
  std::int64_t const rows = 30000, columns = 40;
  auto const f = tn::compile([](auto x) {
    auto const mean = tn::mean(x, tn::axis<0>, tn::keepdim);
    return tn::outputs(x - mean, tn::max(tn::abs(mean)));
  });
  auto x = random_array<float, 2>({rows, columns}, arrangement::contiguous, -2, 3);
  auto const [centred, most] = f(x.view());
  statistics const all = statistics_of(x.values(), rows, columns);
  double largest = 0;
  for (double mean : all.mean) largest = std::fmax(largest, std::fabs(mean));
  EXPECT_NEAR(result_of(most)[0], largest, 1e-6);
  EXPECT_NEAR(result_of(centred)[5], x.values()[5] - all.mean[5], 1e-5);
}

TEST(meeting_columns, have_the_same_bits_on_a_second_call) {
  auto const f = tn::compile([](auto x) { return tn::softmax(x, tn::axis<0>); });
  auto x = random_array<tn::bfloat16, 2>({60000, 36});
  doubles const first = result_of(f(x.view())), second = result_of(f(x.view()));
  EXPECT_EQ(first.values, second.values);
}

// No element is stored: what is reduced last are values per column, too.
TEST(meeting_columns, largest_deviations) {
  std::int64_t const rows = 30011, columns = 38;
  auto const f = tn::compile([](auto x) {
    return tn::max(tn::abs(x - tn::mean(x, tn::axis<0>, tn::keepdim)), tn::axis<0>);
  });
  auto x = random_array<float, 2>({rows, columns}, arrangement::contiguous, -2, 3);
  doubles const a = x.values(), found = result_of(f(x.view()));
  statistics const all = statistics_of(a, rows, columns);
  std::vector<double> most(columns);
  for (std::int64_t i = 0; i < rows * columns; ++i)
    most[i % columns] = std::fmax(most[i % columns], std::fabs(a[i] - all.mean[i % columns]));
  for (std::int64_t c = 0; c < columns; ++c) EXPECT_NEAR(found[c], most[c], 1e-5) << c;
}

#if defined(__CUDACC__)
TEST(meeting_columns, say_so) {
  auto const f = tn::compile([](auto x) { return tn::softmax(x, tn::axis<0>); });
  auto x = array<float, 2>({100000, 64});
  std::string const schedule = tn::explain(f, x.view()).schedule;
  EXPECT_NE(schedule.find("columns over blocks, which meet"), std::string::npos) << schedule;
}
#endif

}  // namespace
