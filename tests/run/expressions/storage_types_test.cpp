// SPDX-License-Identifier: Apache-2.0
// float8 and the wider unsigned integers as elements of arguments and results.
#include "run/support/arrays.hpp"

namespace {

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
