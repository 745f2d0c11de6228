// SPDX-License-Identifier: Apache-2.0
// Elements divided by a value of their row: bit by bit what dividing each of them gives, of any
// sizes of both.
#include <bit>

#include "run/support/arrays.hpp"

namespace {

using reference::doubles;

// A value of the row that is loaded, beside a reduction.
constexpr auto by_loaded = tn::compile([](auto x, auto divisor) {
  return tn::outputs(x / tn::unsqueeze(divisor, tn::axis<1>), tn::max(x, tn::axis<1>));
});
// One that is reduced, and a sum with it, each in its sweep; one that all rows share.
constexpr auto by_reduced = tn::compile([](auto x, auto scale) {
  auto const by = tn::max(tn::abs(x), tn::axis<1>, tn::keepdim) * scale;
  auto const quotients = x / by;
  auto const largest = tn::max(quotients, tn::axis<1>, tn::keepdim) + 0.5f;
  return tn::outputs(quotients, (1.0f - quotients) / largest, x / scale, by, largest);
});

constexpr float huge = std::numeric_limits<float>::max(), infinite = HUGE_VALF, undefined = NAN,
                smallest = std::numeric_limits<float>::denorm_min();
constexpr float special_numbers[] = {
    0.0f,      -0.0f,      1.0f,           -3.0f,     smallest,       -smallest, huge,
    -huge,     infinite,   -infinite,      undefined, 0x1p-84f,       -0x1p-84f, 0x1.fffffep-85f,
    0x1p-126f, -0x1p-127f, 0x1p-100f,      0x1p40f,   0x1p127f,       1e-30f,    -1e30f,
    0x1p88f,   -0x1p-83f,  0x1.fffffep-1f, 0x1p28f,   0x1.fffffep127f};
constexpr float divisors[] = {1.0f,
                              3.0f,
                              0.1f,
                              -7.0f,
                              0.0f,
                              -0.0f,
                              infinite,
                              -infinite,
                              undefined,
                              smallest,
                              huge,
                              0x1p-100f,
                              0x1.fffffep-101f,
                              0x1p40f,
                              0x1p126f,
                              0x1p-126f,
                              448.0f,
                              1e-20f,
                              0x1.000002p40f,
                              0x1.fffffep-1f,
                              0x1.fffffep39f};

bool is_same(double found, float expected) {
  float const x = static_cast<float>(found);
  return std::isnan(expected) ? std::isnan(x)
                              : std::bit_cast<unsigned>(x) == std::bit_cast<unsigned>(expected);
}
// Of a size that most numbers have, with any bits.
float usual_number() {
  unsigned const bits = static_cast<unsigned>(generator()());
  return std::bit_cast<float>((bits & 0x807fffffu) | (107 + (bits >> 23 & 31)) << 23);
}

// Of three rows one has usual numbers alone, the next a zero among them at times, and the last any.
doubles numerators(std::int64_t rows, std::int64_t columns) {
  doubles x({rows, columns});
  for (std::int64_t i = 0; i < x.size(); ++i) {
    std::int64_t const row = i / columns % 3;
    x[i] = usual_number();
    if (row == 1 && i % 5 < 2) x[i] = i % 5 == 0 ? 0.0 : -0.0;
    if (row == 2 && i % 3 == 0) x[i] = special_numbers[i / 3 % std::size(special_numbers)];
  }
  return x;
}

void check_loaded(std::int64_t columns, arrangement how) {
  std::int64_t const rows = 3 * std::size(divisors);
  array<float, 2> x({rows, columns}, how, numerators(rows, columns));
  doubles by({rows});
  for (std::int64_t row = 0; row < rows; ++row) by[row] = divisors[row / 3];
  array<float, 1> divisor({rows}, arrangement::contiguous, by);
  auto const [quotients, largest] = by_loaded(x.view(), divisor.view());
  doubles const found = result_of(quotients), values = x.values();
  for (std::int64_t i = 0; i < found.size(); ++i) {
    float const y = static_cast<float>(by[i / columns]), number = static_cast<float>(values[i]);
    ASSERT_TRUE(is_same(found[i], number / y)) << number << " / " << y << " is not " << found[i]
                                               << ", " << columns << " columns, " << to_string(how);
  }
}

void check_reduced(std::int64_t columns, float scale) {
  std::int64_t const rows = 4;
  array<float, 2> x({rows, columns}, arrangement::contiguous, numerators(rows, columns));
  auto const [quotients, others, scaled, by, largest] = by_reduced(x.view(), scale);
  doubles const first = result_of(quotients), second = result_of(others), third = result_of(scaled),
                y = result_of(by), z = result_of(largest), values = x.values();
  for (std::int64_t i = 0; i < first.size(); ++i) {
    std::int64_t const row = i / columns;
    float const number = static_cast<float>(values[i]),
                quotient = number / static_cast<float>(y[row]);
    ASSERT_TRUE(is_same(first[i], quotient)) << columns << " " << scale << " " << i;
    ASSERT_TRUE(is_same(second[i], (1.0f - quotient) / static_cast<float>(z[row])))
        << columns << " " << scale << " " << i;
    ASSERT_TRUE(is_same(third[i], number / scale)) << columns << " " << scale << " " << i;
  }
}

// Lengths that one lane has, a warp, a block in registers and in shared memory, and several blocks.
constexpr std::int64_t lengths[] = {2, 7, 20, 64, 100, 256, 513, 1000, 1024, 4096};

TEST(row_quotients, by_a_value_that_is_loaded) {
  for (std::int64_t columns : lengths) check_loaded(columns, arrangement::contiguous);
  for (arrangement how : {arrangement::misaligned, arrangement::stepped, arrangement::padded})
    for (std::int64_t columns : {20, 256, 1000}) check_loaded(columns, how);
}

TEST(row_quotients, by_a_value_that_is_reduced) {
  for (std::int64_t columns : lengths)
    for (float scale : {1.0f, 1.0f / 448, -0.3f, 3e-39f}) check_reduced(columns, scale);
  for (std::int64_t columns : {20000, 70000}) check_reduced(columns, 0.7f);
}

// All numbers of a half type by some of a row.
TEST(row_quotients, of_all_halves) {
  std::int64_t const columns = 1 << 16, rows = std::size(divisors);
  doubles bits({rows, columns}), by({rows});
  for (std::int64_t i = 0; i < bits.size(); ++i)
    bits[i] = std::bit_cast<float>(static_cast<unsigned>(i % columns) << 16);
  for (std::int64_t row = 0; row < rows; ++row) by[row] = divisors[row];
  array<tn::bfloat16, 2> x({rows, columns}, arrangement::contiguous, bits);
  array<float, 1> divisor({rows}, arrangement::contiguous, by);
  auto const f = tn::compile([](auto x, auto divisor) {
    auto const wide = tn::cast<float>(x);
    return tn::outputs(wide / tn::unsqueeze(divisor, tn::axis<1>), tn::max(wide, tn::axis<1>));
  });
  auto const [quotients, largest] = f(x.view(), divisor.view());
  doubles const found = result_of(quotients);
  for (std::int64_t i = 0; i < found.size(); ++i) {
    float const number = static_cast<float>(bits[i]), y = static_cast<float>(by[i / columns]);
    ASSERT_TRUE(is_same(found[i], number / y)) << number << " / " << y << " is not " << found[i];
  }
}

}  // namespace
