// SPDX-License-Identifier: Apache-2.0
// float8 and the wider unsigned integers as elements of arguments and results.
#include "run/support/arrays.hpp"

namespace {

using reference::doubles;

// Every pattern of a float8 through the expression: computed in float, rounded once.
template <class Float8> void check_float8() {
  std::vector<Float8> x(256);
  for (int i = 0; i < 256; ++i) x[static_cast<std::size_t>(i)].bits = static_cast<std::uint8_t>(i);
  tn::tensor<Float8, tn::dyn> operand(x, 256);
  auto const f = tn::compile([](auto x) {
    return tn::outputs(x * 0.75 + 0.1, tn::cast<float>(x),
                       tn::sum(tn::where(tn::isfinite(x), x, 0)));
  });
  auto const [scaled, wide, total] = f(operand);
  auto const a = tn::to<tn::cpu>(scaled);
  auto const b = tn::to<tn::cpu>(wide);
  static_assert(std::is_same_v<typename decltype(a)::element_type, Float8>);
  for (int i = 0; i < 256; ++i) {
    float const value = x[static_cast<std::size_t>(i)];
    Float8 const expected(value * 0.75f + 0.1f);
    EXPECT_TRUE(
        a.data()[i].bits == expected.bits ||
        (value != value && static_cast<float>(a.data()[i]) != static_cast<float>(a.data()[i])))
        << i;
    EXPECT_TRUE(b.data()[i] == value || value != value) << i;
  }
  EXPECT_EQ(static_cast<float>(tn::to<tn::cpu>(total).data()[0]),
            0.0f);  // every number and its negative
}
TEST(storage_types, float8_e4m3) { check_float8<tn::float8_e4m3>(); }
TEST(storage_types, float8_e5m2) { check_float8<tn::float8_e5m2>(); }

// Clamped to what the type has: a NaN alone is one afterwards, of each element by itself, of rows
// whose sums are of clamped numbers, too, and not between other bounds.
TEST(storage_types, clamped_to_float8_e4m3) {
  auto const f = tn::compile([](auto x, auto scale) {
    auto const y = x * scale, clamped = tn::clamp(y, -448.0f, 448.0f);
    return tn::cast<tn::float8_e4m3>(clamped);
  });
  auto const of_rows = tn::compile([](auto x) {
    auto const y = tn::exp2(x / tn::max(tn::abs(x) * 0.0f + 1.0f, tn::axis<1>, tn::keepdim));
    auto const clamped = tn::clamp(y, -448.0f, 448.0f);
    return tn::outputs(tn::cast<tn::float8_e4m3>(clamped), tn::sum(clamped, tn::axis<1>),
                       tn::max(y, tn::axis<1>));
  });
  auto const of_quotients = tn::compile([](auto x) {
    auto const y = x / tn::max(tn::abs(x) * 0.0f + 1.0f, tn::axis<1>, tn::keepdim);
    return tn::outputs(tn::cast<tn::float8_e4m3>(tn::clamp(y, -448.0f, 448.0f)),
                       tn::cast<tn::float8_e4m3>(tn::clamp(y, -448.0f, 1000.0f)));
  });
  auto const expect = [](auto const& found, std::int64_t k, float expected) {
    int const all_but_sign_of_nan = std::isnan(expected) ? 0x7f : 0xff,
              bits = tn::to<tn::cpu>(found).data()[k].bits;
    EXPECT_EQ(bits & all_but_sign_of_nan, tn::float8_e4m3(expected).bits & all_but_sign_of_nan)
        << expected;
  };
  auto const clamp = [](float x, float most) { return x < -448 ? -448 : x > most ? most : x; };
  constexpr float numbers[] = {0.0f,    -0.0f, 449.0f, -460.0f,   464.0f,     465.0f,
                               -470.0f, 1e30f, -1e30f, HUGE_VALF, -HUGE_VALF, 448.0f,
                               432.0f,  0.3f,  -0.01f, 480.0f};
  for (std::int64_t columns : {1, 7, 16, 64, 100, 1024, 3000})
    for (bool has_nan : {false, true}) {
      doubles values({2, columns});
      for (std::int64_t k = 0; k < values.size(); ++k) {
        values[k] = numbers[k * 5 % std::size(numbers)];
        if (has_nan && k % 3 == 1) values[k] = NAN;
      }
      array<float, 2> x({2, columns}, arrangement::contiguous, values);
      auto const all = f(x.view(), 1.0f);
      doubles numbers_alone = values;
      for (std::int64_t k = 0; k < numbers_alone.size(); ++k)
        if (!std::isfinite(numbers_alone[k])) numbers_alone[k] = 3;
      array<float, 2> y({2, columns}, arrangement::contiguous, numbers_alone);
      auto const [saturated, other] = of_quotients(y.view());
      auto const [powers, sums, largest] = of_rows(y.view());
      for (std::int64_t k = 0; k < values.size(); ++k) {
        expect(all, k, clamp(static_cast<float>(values[k]), 448));
        float const number = static_cast<float>(numbers_alone[k]);
        expect(saturated, k, clamp(number, 448));
        expect(other, k, clamp(number, 1000));
        expect(powers, k, clamp(std::exp2(number), 448));
      }
    }
}

template <class Unsigned> void check_unsigned() {
  Unsigned const high = std::numeric_limits<Unsigned>::max();
  std::vector<Unsigned> x{0, 1, 5, high};
  tn::tensor<Unsigned, tn::dyn> operand(x, 4);
  auto const f = tn::compile([](auto x) {
    return tn::outputs(x + 1, tn::floor_divide(x, 2), tn::shift_right(x, 1), tn::max(x), x > 4);
  });
  auto const [next, half, shifted, largest, is_large] = f(operand);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(tn::to<tn::cpu>(next).data()[i], static_cast<Unsigned>(x[i] + 1));
    EXPECT_EQ(tn::to<tn::cpu>(half).data()[i], static_cast<Unsigned>(x[i] / 2));
    EXPECT_EQ(tn::to<tn::cpu>(shifted).data()[i], static_cast<Unsigned>(x[i] / 2));
    EXPECT_EQ(tn::to<tn::cpu>(is_large).data()[i], x[i] > 4);
  }
  EXPECT_EQ(tn::to<tn::cpu>(largest).data()[0], high);
}
TEST(storage_types, u16) { check_unsigned<std::uint16_t>(); }
TEST(storage_types, u32) { check_unsigned<std::uint32_t>(); }
TEST(storage_types, u64) { check_unsigned<std::uint64_t>(); }

// Of two bytes a vector has less than a word.
TEST(storage_types, bytes_beside_rows_of_doubles) {
  auto const f =
      tn::compile([](auto x, auto w) { return (x - tn::max(x, tn::axis<1>, tn::keepdim)) * w; });
  for (std::int64_t n : {1, 5, 64, 1000, 9000})
    for (arrangement how : {arrangement::contiguous, arrangement::misaligned}) {
      auto x = whole_numbers<double, 2>({3, n}, how);
      auto w = whole_numbers<std::int8_t, 1>({n}, how);
      reference::doubles const a = x.values(), b = w.values(),
                               result = result_of(f(x.view(), w.view()));
      for (std::int64_t r = 0; r < 3; ++r) {
        double largest = a[r * n];
        for (std::int64_t c = 0; c < n; ++c) largest = std::max(largest, a[r * n + c]);
        for (std::int64_t c = 0; c < n; ++c)
          ASSERT_EQ(result[r * n + c], (a[r * n + c] - largest) * b[c]) << n << to_string(how);
      }
    }
}

}  // namespace
