// SPDX-License-Identifier: Apache-2.0
// Reductions of short blocks along a row, beside reductions of the whole row.
#include "run/support/arrays.hpp"
#include "run/support/one_launch.hpp"

namespace {

using reference::doubles;

constexpr std::int64_t lengths[] = {0, 1, 2, 7, 31, 33, 128, 129, 1023, 1025, 4099};

// Along the last axis of a matrix; the last block may be shorter.
template <class Combine>
doubles naive(doubles const& x, std::int64_t block, Combine const& combine) {
  doubles result = x;
  std::int64_t const columns = x.extents[1];
  for (std::int64_t k = 0; k < x.size(); ++k) {
    std::int64_t const row = k / columns * columns, first = row + k % columns / block * block;
    double all = x[first];
    for (std::int64_t j = first + 1; j < std::min(first + block, row + columns); ++j)
      all = combine(all, x[j]);
    result[k] = all;
  }
  return result;
}
constexpr auto greatest = [](double x, double y) { return std::max(x, y); };
constexpr auto least = [](double x, double y) { return std::min(x, y); };
constexpr auto plus = [](double x, double y) { return x + y; };

TEST(blocks, each_element_has_the_result_of_its_block) {
  auto const f = tn::compile([](auto x) {
    return tn::outputs(tn::block_max(x, tn::axis<1>, tn::ct<32>),
                       tn::block_min(x, tn::axis<1>, tn::ct<2>),
                       tn::block_sum(x, tn::axis<1>, tn::ct<128>));
  });
  auto const columns =
      tn::compile([](auto x) { return tn::block_max(tn::transpose(x), tn::axis<1>, tn::ct<4>); });
  for (std::int64_t n : lengths)
    for (arrangement how : arrangements) {
      auto x = random_array<int, 2>({3, n}, how, -99, 99);
      auto const [maxima, minima, sums] = f(x.view());
      EXPECT_EQ(result_of(maxima).values, naive(x.values(), 32, greatest).values) << n;
      EXPECT_EQ(result_of(minima).values, naive(x.values(), 2, least).values) << n;
      EXPECT_EQ(result_of(sums).values, naive(x.values(), 128, plus).values) << n;
      auto y = random_array<float, 2>({n, 3}, how);
      doubles turned({3, n});
      doubles const untouched = y.values();
      for (std::int64_t k = 0; k < turned.size(); ++k) turned[k] = untouched[k % n * 3 + k / n];
      EXPECT_EQ(result_of(columns(y.view())).values, naive(turned, 4, greatest).values) << n;
    }
}

// Columns first, first + step, ... of what blocks have in common, stored beside all elements.
template <int First, int Step> void expect_stored_columns(std::int64_t n) {
  auto const f = tn::compile([](auto x) {
    auto largest = tn::block_max(tn::abs(x), tn::axis<-1>, tn::ct<32>);
    return tn::outputs(x / largest,
                       tn::slice(1.0f / largest, tn::axis<-1>, tn::range<First, tn::end, Step>));
  });
  auto x = random_array<float, 2>({3, n});
  auto const [quotients, stored] = f(x.view());
  doubles const a = x.values(), all = result_of(quotients), some = result_of(stored);
  doubles magnitudes = a;
  for (std::int64_t k = 0; k < a.size(); ++k) magnitudes[k] = std::abs(a[k]);
  doubles const largest = naive(magnitudes, 32, greatest);
  std::int64_t const count = some.extents[1];
  ASSERT_EQ(count, (n - First + Step - 1) / Step);
  for (std::int64_t k = 0; k < a.size(); ++k)
    EXPECT_EQ(all[k], static_cast<float>(a[k]) / static_cast<float>(largest[k])) << n;
  for (std::int64_t k = 0; k < some.size(); ++k)
    EXPECT_EQ(some[k], 1.0f / static_cast<float>(largest[k / count * n + First + k % count * Step]))
        << n << " " << First << " " << Step << " " << k;
}
TEST(blocks, some_columns_of_what_they_have_in_common) {
  for (std::int64_t n : {32, 36, 100, 1020, 1024, 4096, 5000}) {
    expect_stored_columns<0, 32>(n);
    expect_stored_columns<8, 32>(n);
    expect_stored_columns<5, 32>(n);
    expect_stored_columns<4, 16>(n);
    expect_stored_columns<0, 64>(n);
  }
}

// Numbers in units of a block's largest one that are too large for float8_e4m3, or not numbers.
TEST(blocks, what_is_too_large_for_float8) {
  auto const f = tn::compile([](auto x, auto limit) {
    auto scale = limit / tn::block_max(tn::abs(x), tn::axis<-1>, tn::ct<32>);
    return tn::outputs(tn::cast<tn::float8_e4m3>(x * scale), scale);
  });
  for (std::int64_t n : {32, 1000, 4096})
    for (float limit : {448.0f, 463.0f, 600.0f}) {
      auto x = random_array<float, 2>({2, n});
      doubles const a = x.values();
      auto const [numbers, scales] = f(x.view(), limit);
      doubles const found = result_of(numbers), by = result_of(scales);
      for (std::int64_t k = 0; k < a.size(); ++k) {
        float const exact = static_cast<float>(a[k]) * static_cast<float>(by[k]),
                    expected = static_cast<float>(tn::float8_e4m3(exact));
        EXPECT_TRUE(found[k] == expected || (std::isnan(found[k]) && std::isnan(expected)))
            << n << " " << limit << " " << k << " " << exact << " " << found[k];
      }
    }
}

// RMS norm, then a scale for each 32 columns and the values in steps of it.
TEST(blocks, of_a_normalised_row_in_one_launch) {
  auto const f = tn::compile([](auto x, auto w) {
    auto y = tn::cast<float>(tn::cast<tn::bfloat16>(tn::rms_norm(tn::cast<float>(x), w)));
    auto largest = tn::maximum(tn::block_max(tn::abs(y), tn::axis<-1>, tn::ct<32>), 1e-12f);
    auto scale = 127.0f / largest;
    auto values = tn::cast<std::int8_t>(tn::round(y * scale));
    return tn::outputs(values, tn::slice(1.0f / scale, tn::axis<-1>, tn::range<0, tn::end, 32>));
  });
  for (std::int64_t n : {32, 96, 1024, 4096}) {
    std::int64_t const rows = 5;
    auto x = random_array<tn::bfloat16, 2>({rows, n});
    auto w = random_array<float, 1>({n});
    tn::tensor<std::int8_t, tn::dyn, tn::dyn> values(rows, n);
    tn::tensor<float, tn::dyn, tn::dyn> scales(rows, n / 32);
    expect_one_launch([&](tn::stream on) { f.on(on).into(values, scales)(x.view(), w.view()); });
    doubles const a = x.values(), b = w.values(), v = result_of(values), s = result_of(scales);
    for (std::int64_t row = 0; row < rows; ++row) {
      double squares = 0;
      for (std::int64_t j = 0; j < n; ++j) squares += a[row * n + j] * a[row * n + j];
      double const factor = 1 / std::sqrt(squares / static_cast<double>(n) + 1e-5);
      for (std::int64_t block = 0; block < n / 32; ++block) {
        double largest = 0;
        for (std::int64_t j = block * 32; j < block * 32 + 32; ++j)
          largest = std::max(largest, std::abs(a[row * n + j] * factor * b[j]));
        double const unit = s[row * (n / 32) + block];
        EXPECT_NEAR(unit, largest / 127, largest / 127 * 5e-3) << n << " " << row;
        for (std::int64_t j = block * 32; j < block * 32 + 32; ++j)
          EXPECT_NEAR(v[row * n + j] * unit, a[row * n + j] * factor * b[j], largest * 0.01) << j;
      }
    }
  }
}

}  // namespace
