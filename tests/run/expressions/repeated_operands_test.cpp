// SPDX-License-Identifier: Apache-2.0
// Operands that vary along some axes of a pointwise expression alone, and whose elements are wider
// than those of the others: scales of rows, weights of columns and of channels, lengths, classes.
#include "run/support/arrays.hpp"

namespace {

using reference::doubles;

constexpr arrangement all[] = {
    arrangement::contiguous, arrangement::misaligned, arrangement::transposed, arrangement::stepped,
    arrangement::reversed,   arrangement::padded,     arrangement::repeated};
// Whole vectors of any width, of some, and of none.
const std::vector<extents_of_rank<2>> shapes = {{33, 1024}, {7, 264},  {64, 100}, {50, 12}, {5, 17},
                                                {3, 513},   {1, 4096}, {300, 1},  {0, 8},   {8, 0}};

// What the elements are when they are stored.
template <class T> double stored(double number) { return as_double(from_double<T>(number)); }

template <class T> void expect_rows_and_columns() {
  auto const f = tn::compile([](auto x, auto scale, auto weight, auto bias) {
    return tn::cast<T>(tn::cast<float>(x) * tn::unsqueeze(scale, tn::axis<1>) * weight + bias);
  });
  auto const by_rows = tn::compile([](auto x, auto scale) {
    return tn::cast<T>(tn::cast<float>(x) * tn::unsqueeze(scale, tn::axis<1>));
  });
  for (auto const& e : shapes)
    for (arrangement how : all) {
      auto x = whole_numbers<T, 2>(e, how);
      auto scale = random_array<float, 1>({e[0]}, arrangement::contiguous, 0.5, 1);
      auto weight = random_array<float, 1>(
          {e[1]}, how == arrangement::misaligned ? how : arrangement::contiguous, 0.5, 1);
      auto bias = whole_numbers<float, 1>({e[1]});
      array<T, 2> transposed(e, arrangement::transposed);
      f.into(transposed.view())(x.view(), scale.view(), weight.view(), bias.view());
      doubles const a = x.values(), s = scale.values(), w = weight.values(), b = bias.values(),
                    both = result_of(f(x.view(), scale.view(), weight.view(), bias.view())),
                    other = transposed.result(), rows = result_of(by_rows(x.view(), scale.view()));
      for (std::int64_t i = 0; i < e[0]; ++i)
        for (std::int64_t j = 0; j < e[1]; ++j) {
          std::int64_t const at = i * e[1] + j;
          float const scaled = static_cast<float>(a[at]) * static_cast<float>(s[i]);
          double const expected = static_cast<double>(scaled) * w[j] + b[j];
          double const tolerance = tn::is_half(tn::dtype_of<T>) ? expected / 200 : 1;
          ASSERT_NEAR(both[at], expected, tolerance)
              << e[0] << " x " << e[1] << " " << to_string(how) << " at " << i << ", " << j;
          ASSERT_EQ(both[at], other[at]) << to_string(how);
          ASSERT_EQ(rows[at], stored<T>(scaled)) << to_string(how);
        }
    }
}

TEST(repeated_operands, float_of_half) { expect_rows_and_columns<tn::bfloat16>(); }
TEST(repeated_operands, float_of_bytes) { expect_rows_and_columns<std::int8_t>(); }

// Statistics that all rows share, some that all planes do, and some that differ between planes.
TEST(repeated_operands, statistics_of_channels) {
  auto const f = tn::compile([](auto x, auto mean, auto spread, auto bias) {
    return tn::cast<tn::bfloat16>(
        tn::relu((x - mean) * tn::rsqrt(tn::square(spread) + 0.5f) + bias));
  });
  auto const by_planes = tn::compile([](auto x, auto mean, auto spread, auto bias) {
    return tn::cast<tn::bfloat16>(tn::relu((x - mean) * tn::rsqrt(tn::square(spread) + 0.5f) +
                                           tn::unsqueeze(bias, tn::axis<1>)));
  });
  for (extents_of_rank<3> const& e : {extents_of_rank<3>{3, 5, 64}, {1, 1, 264}, {7, 3, 12}}) {
    auto x = random_array<tn::bfloat16, 3>(e, arrangement::contiguous, -2, 2);
    auto mean = random_array<float, 1>({e[2]}, arrangement::contiguous, -1, 1);
    auto spread = random_array<float, 1>({e[2]}, arrangement::contiguous, -1, 1);
    auto of_all = random_array<float, 1>({e[2]}, arrangement::contiguous, -1, 1);
    auto of_rows = random_array<float, 2>({e[1], e[2]}, arrangement::contiguous, -1, 1);
    auto of_planes = random_array<float, 2>({e[0], e[2]}, arrangement::contiguous, -1, 1);
    doubles const a = x.values(), m = mean.values(), s = spread.values(), all = of_all.values(),
                  rows = of_rows.values(), planes = of_planes.values(),
                  found = result_of(f(x.view(), mean.view(), spread.view(), of_all.view())),
                  by_row = result_of(f(x.view(), mean.view(), spread.view(), of_rows.view())),
                  by_plane =
                      result_of(by_planes(x.view(), mean.view(), spread.view(), of_planes.view()));
    for (std::int64_t i = 0; i < e[0] * e[1]; ++i)
      for (std::int64_t k = 0; k < e[2]; ++k) {
        std::int64_t const at = i * e[2] + k;
        double const scaled = (a[at] - m[k]) / std::sqrt(s[k] * s[k] + 0.5);
        ASSERT_NEAR(found[at], std::max(scaled + all[k], 0.0), 0.02) << i << ", " << k;
        ASSERT_NEAR(by_row[at], std::max(scaled + rows[i % e[1] * e[2] + k], 0.0), 0.02);
        ASSERT_NEAR(by_plane[at], std::max(scaled + planes[i / e[1] * e[2] + k], 0.0), 0.02);
      }
  }
}

// Much is computed of rows and what they share.
template <class T> void expect_biased() {
  auto const f =
      tn::compile([](auto x, auto bias) { return tn::sin(x + bias) + tn::cos(x + bias); });
  for (auto const& e : shapes) {
    auto x = random_array<T, 2>(e, arrangement::contiguous, -1, 1);
    auto bias = random_array<T, 1>({e[1]}, arrangement::contiguous, -1, 1);
    doubles const a = x.values(), b = bias.values(), found = result_of(f(x.view(), bias.view()));
    for (std::int64_t i = 0; i < e[0]; ++i)
      for (std::int64_t j = 0; j < e[1]; ++j) {
        double const sum = a[i * e[1] + j] + b[j];
        ASSERT_NEAR(found[i * e[1] + j], std::sin(sum) + std::cos(sum),
                    tn::is_half(tn::dtype_of<T>) ? 0.01 : 1e-6)
            << e[0] << " x " << e[1] << " at " << i << ", " << j;
      }
  }
}
TEST(repeated_operands, much_arithmetic) {
  expect_biased<float>();
  expect_biased<tn::bfloat16>();
}

TEST(repeated_operands, lengths_and_classes) {
  auto const masked = tn::compile([](auto x, auto lengths) {
    return tn::where(tn::iota(x, tn::axis<1>) < tn::unsqueeze(lengths, tn::axis<1>), x, 0);
  });
  auto const one_hot =
      tn::compile([](auto classes) { return tn::cast<float>(tn::one_hot(classes, tn::ct<100>)); });
  for (auto const& e : shapes)
    for (arrangement how : all) {
      auto x = whole_numbers<tn::bfloat16, 2>(e, how);
      auto lengths = random_array<std::int64_t, 1>({e[0]}, arrangement::contiguous, 0,
                                                   static_cast<double>(e[1]) + 1);
      doubles const a = x.values(), n = lengths.values(),
                    found = result_of(masked(x.view(), lengths.view()));
      for (std::int64_t i = 0; i < e[0]; ++i)
        for (std::int64_t j = 0; j < e[1]; ++j)
          ASSERT_EQ(found[i * e[1] + j], static_cast<double>(j) < n[i] ? a[i * e[1] + j] : 0)
              << e[0] << " x " << e[1] << " " << to_string(how) << " at " << i << ", " << j;
    }
  auto classes = random_array<std::int64_t, 1>({77}, arrangement::contiguous, 0, 100);
  doubles const of = classes.values(), ones = result_of(one_hot(classes.view()));
  for (std::int64_t i = 0; i < 77; ++i)
    for (std::int64_t k = 0; k < 100; ++k)
      ASSERT_EQ(ones[i * 100 + k], static_cast<double>(k) == of[i] ? 1 : 0) << i << ", " << k;
}

// Several axes on both sides of those along which an operand varies.
TEST(repeated_operands, weights_of_channels) {
  auto const f = tn::compile([](auto x, auto sample, auto channel, auto place) {
    auto const channels = tn::unsqueeze(tn::unsqueeze(channel, tn::axis<1>), tn::axis<2>);
    auto const samples = tn::unsqueeze(tn::unsqueeze(sample, tn::axis<2>), tn::axis<3>);
    return tn::cast<tn::bfloat16>(tn::cast<float>(x) * channels + samples - place);
  });
  for (auto const& e :
       std::vector<extents_of_rank<4>>{{2, 5, 3, 16}, {1, 7, 2, 8}, {3, 4, 5, 6}, {2, 3, 1, 40}})
    for (arrangement how : all) {
      auto x = whole_numbers<tn::bfloat16, 4>(e, how);
      auto sample = whole_numbers<float, 2>({e[0], e[1]});
      auto channel = whole_numbers<float, 1>({e[1]}), place = whole_numbers<float, 1>({e[3]});
      doubles const a = x.values(), s = sample.values(), c = channel.values(), p = place.values(),
                    found = result_of(f(x.view(), sample.view(), channel.view(), place.view()));
      for (std::int64_t at = 0; at < a.size(); ++at) {
        std::int64_t const l = at % e[3], j = at / (e[3] * e[2]) % e[1],
                           i = at / (e[3] * e[2]) / e[1];
        ASSERT_EQ(found[at], stored<tn::bfloat16>(a[at] * c[j] + s[i * e[1] + j] - p[l]))
            << to_string(how) << " at " << at;
      }
    }
}

}  // namespace
