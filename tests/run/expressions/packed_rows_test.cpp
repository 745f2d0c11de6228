// SPDX-License-Identifier: Apache-2.0
// Rows whose numbers are packed in pairs, by a scale of the row or of each group of columns: even
// and odd columns, halves, a last axis of two; and what else reads parts of an axis that it
// reduces. Against plain loops, of any layout.
#include <algorithm>
#include <cmath>

#include "run/support/arrays.hpp"

namespace {

using reference::doubles;
using byte = std::uint8_t;

template <class X> constexpr auto quantized(X const& x) {
  auto scale = tn::max(tn::abs(x), tn::axis<-1>, tn::keepdim) / 7.0f;
  return tn::outputs(tn::cast<byte>(tn::clamp(tn::round(x / scale) + 8.0f, 0.0f, 15.0f)), scale);
}
template <int Axis, class Q> constexpr auto packed_in_turn(Q const& q) {
  auto even = tn::slice(q, tn::axis<Axis>, tn::range<0, tn::end, 2>);
  auto odd = tn::slice(q, tn::axis<Axis>, tn::range<1, tn::end, 2>);
  return even | (odd << 4);
}

enum class order { in_turn, in_halves };

// What f gives for rows of `columns` numbers, each of which has one scale, is that of loops.
template <class T, int Rank, class F>
void expect_packed(F const& f, extents_of_rank<Rank> const& extents, arrangement how, order o) {
  std::int64_t const columns = extents[Rank - 1];
  auto x = random_array<T, Rank>(extents, how, -3, 3);
  auto const results = f(x.view());
  doubles const values = x.values(), found = result_of(tn::get<0>(results)),
                scales = result_of(tn::get<1>(results));
  std::int64_t const rows = columns > 0 ? values.size() / columns : 0;
  ASSERT_EQ(found.size(), rows * columns / 2);
  for (std::int64_t i = 0; i < rows; ++i) {
    float largest = 0;
    for (std::int64_t j = 0; j < columns; ++j)
      largest = std::max(largest, std::abs(static_cast<float>(values[i * columns + j])));
    float const scale = largest / 7.0f;
    ASSERT_EQ(scales[i], scale) << columns << " " << to_string(how) << " row " << i;
    auto const number = [&](std::int64_t j) {
      float const rounded =
          std::nearbyint(static_cast<float>(values[i * columns + j]) / scale) + 8.0f;
      return static_cast<int>(std::clamp(rounded, 0.0f, 15.0f));
    };
    for (std::int64_t j = 0; j < columns / 2; ++j)
      ASSERT_EQ(found[i * columns / 2 + j], o == order::in_turn
                                                ? number(2 * j) | number(2 * j + 1) << 4
                                                : number(j) | number(j + columns / 2) << 4)
          << columns << " " << to_string(how) << " at " << i << ", " << j;
  }
}

template <class T> void expect_in_turn() {
  auto const f = tn::compile([](auto x) {
    auto [q, scale] = quantized(tn::cast<float>(x));
    return tn::outputs(packed_in_turn<1>(q), scale);
  });
  for (std::int64_t columns : {2, 8, 16, 32, 62, 64, 100, 256, 1024, 4096, 8192})
    for (arrangement how : writable_arrangements)
      expect_packed<T, 2>(f, {columns < 1000 ? 9 : 2, columns}, how, order::in_turn);
  expect_packed<T, 2>(f, {0, 16}, arrangement::contiguous, order::in_turn);
  auto odd = random_array<T, 2>({3, 5});
  EXPECT_THROW(f(odd.view()), tn::error);
}

TEST(packed_rows, in_turn) { expect_in_turn<float>(); }
TEST(packed_rows, in_turn_of_half_types) { expect_in_turn<tn::bfloat16>(); }
TEST(packed_rows, many_in_turn) {
  auto const f = tn::compile([](auto x) {
    auto [q, scale] = quantized(tn::cast<float>(x));
    return tn::outputs(packed_in_turn<1>(q), scale);
  });
  for (std::int64_t columns : {64, 128})
    expect_packed<tn::bfloat16, 2>(f, {1000, columns}, arrangement::contiguous, order::in_turn);
}

TEST(packed_rows, in_halves) {
  auto const f = tn::compile([](auto x) {
    auto [q, scale] = quantized(x);
    auto [low, high] = tn::split(q, tn::axis<1>, tn::lengths<64, 64>);
    return tn::outputs(low | (high << 4), scale);
  });
  for (arrangement how : writable_arrangements)
    expect_packed<float, 2>(f, {33, 128}, how, order::in_halves);
  auto const of_any_length = tn::compile([](auto x) {
    auto [q, scale] = quantized(tn::cast<float>(x));
    auto [low, high] = tn::chunk(q, tn::axis<1>, tn::ct<2>);
    return tn::outputs(low | (high << 4), scale);
  });
  for (std::int64_t columns : {2, 62, 128, 2048})
    for (arrangement how : writable_arrangements)
      expect_packed<tn::bfloat16, 2>(of_any_length, {5, columns}, how, order::in_halves);
}

// A scale of each group, and a last axis for the two that share a byte.
TEST(packed_rows, in_groups) {
  auto const f = tn::compile([](auto x) {
    auto [q, scale] = quantized(tn::reshape(tn::cast<float>(x), tn::shape<-1, 4, 32>));
    return tn::outputs(tn::flatten(packed_in_turn<2>(q), tn::axis<1, 2>), scale);
  });
  auto const of_pairs = tn::compile([](auto x) {
    auto [q, scale] = quantized(x);
    auto pairs = tn::reshape(q, tn::shape<-1, 4, 16, 2>);
    return tn::outputs(tn::select(pairs, tn::axis<3>, tn::ct<0>) |
                           (tn::select(pairs, tn::axis<3>, tn::ct<1>) << 4),
                       scale);
  });
  auto const of_rows = tn::compile([](auto x) {
    auto [q, scale] = quantized(x);
    return tn::outputs(packed_in_turn<1>(tn::flatten(q, tn::axis<1, 2>)), scale);
  });
  for (std::int64_t rows : {0, 1, 17}) {
    auto x = random_array<float, 2>({rows, 128});
    auto groups = tn::view<float, tn::dyn, 4, 32>(x.data(), rows);
    auto const results = f(x.view());
    auto const same = of_pairs(groups);
    auto const too = of_rows(groups);
    doubles const values = x.values(), found = result_of(tn::get<0>(results)),
                  scales = result_of(tn::get<1>(results));
    EXPECT_EQ(found.values, result_of(tn::get<0>(same)).values);
    EXPECT_EQ(scales.values, result_of(tn::get<1>(same)).values);
    EXPECT_EQ(found.values, result_of(tn::get<0>(too)).values);
    EXPECT_EQ(scales.values, result_of(tn::get<1>(too)).values);
    for (std::int64_t g = 0; g < rows * 4; ++g) {
      float largest = 0;
      for (int j = 0; j < 32; ++j)
        largest = std::max(largest, std::abs(static_cast<float>(values[g * 32 + j])));
      float const scale = largest / 7.0f;
      ASSERT_EQ(scales[g], scale);
      for (int j = 0; j < 16; ++j) {
        auto const number = [&](int k) {
          float const rounded =
              std::nearbyint(static_cast<float>(values[g * 32 + k]) / scale) + 8.0f;
          return static_cast<int>(std::clamp(rounded, 0.0f, 15.0f));
        };
        ASSERT_EQ(found[g * 16 + j], number(2 * j) | number(2 * j + 1) << 4) << g << ", " << j;
      }
    }
  }
}

// Sums of rows that are read in three parts, and of columns.
TEST(packed_rows, sums_of_parts) {
  auto const f = tn::compile([](auto x) {
    auto const turn = [&](auto range) { return tn::slice(x, tn::axis<1>, range); };
    auto product = turn(tn::range<0, tn::end, 3>) * turn(tn::range<1, tn::end, 3>) -
                   turn(tn::range<2, tn::end, 3>);
    return product / tn::sum(x * x, tn::axis<1>, tn::keepdim);
  });
  auto const of_columns = tn::compile([](auto x) {
    auto low = tn::slice(x, tn::axis<0>, tn::range<0, 32>);
    auto high = tn::slice(x, tn::axis<0>, tn::range<32, 64>);
    return (low - high) * tn::max(x, tn::axis<0>);
  });
  for (std::int64_t columns : {3, 24, 96, 300, 3072})
    for (arrangement how : {arrangement::contiguous, arrangement::misaligned}) {
      auto x = whole_numbers<float, 2>({5, columns}, how);
      doubles const a = x.values(), found = result_of(f(x.view()));
      for (int i = 0; i < 5; ++i) {
        double sum = 0;
        for (int j = 0; j < columns; ++j) sum += a[i * columns + j] * a[i * columns + j];
        for (int j = 0; j < columns / 3; ++j) {
          double const* const three = &a.values[static_cast<std::size_t>(i * columns + 3 * j)];
          ASSERT_NEAR(found[i * (columns / 3) + j], (three[0] * three[1] - three[2]) / sum,
                      1e-6 * 1000 / sum)
              << columns << " at " << i << ", " << j;
        }
      }
    }
  for (std::int64_t columns : {1, 17, 64}) {
    auto x = whole_numbers<float, 2>({64, columns});
    doubles const a = x.values(),
                  found = result_of(of_columns(tn::view<float, 64, tn::dyn>(x.data(), columns)));
    for (int j = 0; j < columns; ++j) {
      double largest = 0;
      for (int i = 0; i < 64; ++i) largest = std::max(largest, a[i * columns + j]);
      for (int i = 0; i < 32; ++i)
        ASSERT_EQ(found[i * columns + j],
                  (a[i * columns + j] - a[(i + 32) * columns + j]) * largest);
    }
  }
}

// A row's sum has the same bits wherever its elements lie, unless rows are columns in memory.
template <class T> void expect_same_bits() {
  auto const f = tn::compile([](auto x) {
    auto even = tn::slice(x, tn::axis<1>, tn::range<0, tn::end, 2>);
    auto odd = tn::slice(x, tn::axis<1>, tn::range<1, tn::end, 2>);
    return tn::cast<float>(even * odd) / tn::sum(tn::cast<float>(x), tn::axis<1>, tn::keepdim);
  });
  for (std::int64_t columns : {16, 64, 96, 300, 1000, 2048, 6000, 8192}) {
    doubles const values = random_doubles<T>({3, columns}, 0.5, 2);
    array<float, 2> expected({3, columns / 2});
    f.into(expected.view())(array<T, 2>({3, columns}, arrangement::contiguous, values).view());
    for (arrangement how : writable_arrangements) {
      if (how == arrangement::transposed) continue;
      array<T, 2> x({3, columns}, how, values);
      array<float, 2> found({3, columns / 2});
      f.into(found.view())(x.view());
      EXPECT_EQ(found.bits(), expected.bits()) << columns << " " << to_string(how);
    }
  }
}
TEST(packed_rows, same_bits) {
  expect_same_bits<float>();
  expect_same_bits<tn::bfloat16>();
}

}  // namespace
