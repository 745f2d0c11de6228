// SPDX-License-Identifier: Apache-2.0
// tenon-test: cuda-only
// tenon-test: code-of-sm_80
// What was compiled for sm_80 and runs on a later device knows neither of clusters nor of kernels that begin early: rows and columns
// that a later architecture's clusters or blocks would share are right all the same.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"

namespace {

using reference::doubles;

constexpr auto softmax = tn::compile([](auto x) { return tn::softmax(x, tn::axis<1>); });
constexpr auto softmax_of_columns = tn::compile([](auto x) { return tn::softmax(x, tn::axis<0>); });
constexpr auto running_sums = tn::compile([](auto x) { return tn::cumsum(x, tn::axis<1>); });
constexpr auto running_sums_of_columns = tn::compile([](auto x) { return tn::cumsum(x, tn::axis<0>); });
constexpr auto normalized_channels = tn::compile([](auto x) {
  auto centred = x - tn::mean(x, tn::axis<0, 2>, tn::keepdim);
  return centred * tn::rsqrt(tn::mean(centred * centred, tn::axis<0, 2>, tn::keepdim) + 1e-5);
});

// Rows that a block's registers do not hold: of whole vectors, of others, that begin anywhere.
TEST(older_code, long_rows) {
  for (std::int64_t columns : {16384, 16385, 50000})
    for (arrangement how : {arrangement::contiguous, arrangement::misaligned, arrangement::stepped}) {
      auto x = random_array<float, 2>({3, columns}, how);
      check_close(tn::dtype::f32, result_of(softmax(x.view())), reference::softmax(x.values(), 0b10),
                  {.arithmetic = 16 + sum_roundoffs(columns)}, std::to_string(columns) + to_string(how));
    }
}

TEST(older_code, columns_of_many_positions) {
  auto x = random_array<float, 2>({5000, 40});
  check_close(tn::dtype::f32, result_of(softmax_of_columns(x.view())), reference::softmax(x.values(), 0b01),
              {.arithmetic = 16 + sum_roundoffs(5000)});
}

TEST(older_code, scans_of_few_long_rows) {
  auto x = random_array<float, 2>({2, 100000}, arrangement::contiguous, 0, 1);
  doubles expected = x.values();
  for (std::int64_t i = 0; i < expected.size(); ++i)
    if (i % 100000 > 0) expected[i] += expected[i - 1];
  check_close(tn::dtype::f32, result_of(running_sums(x.view())), expected, {.arithmetic = sum_roundoffs(100000)});
}

TEST(older_code, scans_of_few_long_columns) {
  auto x = random_array<float, 2>({20000, 5}, arrangement::contiguous, 0, 1);
  doubles expected = x.values();
  for (std::int64_t i = 5; i < expected.size(); ++i) expected[i] += expected[i - 5];
  check_close(tn::dtype::f32, result_of(running_sums_of_columns(x.view())), expected, {.arithmetic = sum_roundoffs(20000)});
}

TEST(older_code, channels_of_images) {
  auto x = random_array<float, 3>({16, 3, 3136});
  doubles const found = result_of(normalized_channels(x.view())), values = x.values();
  double const count = 16 * 3136;
  for (std::int64_t channel = 0; channel < 3; ++channel) {
    double mean = 0, variance = 0;
    auto const each = [&](auto const& visit) {
      for (std::int64_t image = 0; image < 16; ++image)
        for (std::int64_t k = 0; k < 3136; ++k) visit((image * 3 + channel) * 3136 + k);
    };
    each([&](std::int64_t i) { mean += values[i] / count; });
    each([&](std::int64_t i) { variance += (values[i] - mean) * (values[i] - mean) / count; });
    each([&](std::int64_t i) { ASSERT_NEAR(found[i], (values[i] - mean) / std::sqrt(variance + 1e-5), 1e-4) << i; });
  }
}

}  // namespace
