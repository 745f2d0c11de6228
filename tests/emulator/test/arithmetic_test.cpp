// SPDX-License-Identifier: Apache-2.0
// Instructions that each lane does by itself, against plain C++.

#include <bit>
#include <climits>
#include <cmath>
#include <cstdint>

#include "fixture.hpp"

using namespace emulator;

TEST(arithmetic, sums_of_elements) {
  int const n = 1000;
  memory<float> a(n), b(n), c(n);
  for (int k = 0; k < n; ++k) a[k] = k, b[k] = 2 * k;
  ASSERT_EQ(result_of(call("add", 8, 128, a, b, c, n)), "");
  for (int k = 0; k < n; ++k) EXPECT_EQ(c[k], 3 * k) << k;
}

TEST(arithmetic, lanes_that_part_meet_again) {
  int const n = 1000;
  memory<int> steps(n);
  ASSERT_EQ(result_of(call("diverge", 8, 128, steps, n)), "");
  for (int k = 0; k < n; ++k) {
    int expected = 0;
    for (int x = k; x > 1; ++expected) x = x % 2 ? 3 * x + 1 : x / 2;
    EXPECT_EQ(steps[k], expected) << k;
  }
}

TEST(arithmetic, calls_that_call_themselves) {
  memory<int> out(64);
  ASSERT_EQ(result_of(call("recursion", 1, 64, out)), "");
  int const fibonacci[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
  for (int k = 0; k < 64; ++k) EXPECT_EQ(out[k], fibonacci[k % 12]) << k;
}

TEST(arithmetic, local_memory_is_a_thread_s_own) {
  memory<int> out(64);
  ASSERT_EQ(result_of(call("locals", 1, 64, out, 64)), "");
  for (int t = 0; t < 64; ++t) {
    int elements[64], sum = 0;
    for (int k = 0; k < 64; ++k) elements[k * 7 % 64] = k + t;
    for (int k = 0; k < 64; ++k) sum += elements[k * 3 % 64];
    EXPECT_EQ(out[t], sum) << t;
  }
}

TEST(arithmetic, halves_in_pairs) {
  memory<unsigned> a(32), b(32), f16(32), bf16(32);
  memory<float> sums(32);
  for (unsigned k = 0; k < 32; ++k) a[k] = 0x3c003800 + k, b[k] = 0x3f803f00 + k;
  ASSERT_EQ(result_of(call("halves", 1, 32, a, b, sums, f16, bf16)), "");
  EXPECT_EQ(f16[0], 0x40003a00u);
  EXPECT_EQ(bf16[0], 0x40003f40u);
  EXPECT_EQ(sums[0], 2.75f);
}

TEST(arithmetic, conversions_round_as_asked) {
  float const values[] = {1.5f, 2.5f, -1.5f, 0.49999997f, 1e10f, -1e10f, NAN, 3.7f};
  memory<float> in(32);
  memory<int> out(256);
  for (int k = 0; k < 32; ++k) in[k] = values[k % 8];
  ASSERT_EQ(result_of(call("conv", 1, 32, in, out, 32)), "");
  EXPECT_EQ(out[0], 2);  // to nearest even, down, up
  EXPECT_EQ(out[8], 2);
  EXPECT_EQ(out[16], -2);
  EXPECT_EQ(out[1], 1);
  EXPECT_EQ(out[17], -2);
  EXPECT_EQ(out[2], 2);
  EXPECT_EQ(out[32], INT_MAX);
  EXPECT_EQ(out[40], INT_MIN);
  EXPECT_EQ(out[48], 0);  // NaN
  EXPECT_EQ(out[5], 0x3fc00000);
  EXPECT_EQ(out[6], 0x3fc00001);
}

TEST(arithmetic, bits_of_words) {
  std::uint32_t const a = 0x89abcdef, b = 0x01234567, c = 0x7261;
  std::uint64_t const x = 0x123456789abc, both = std::uint64_t{b} << 32 | a;
  memory<unsigned> out(32);
  ASSERT_EQ(result_of(call("words", 1, 1, out, a, b, c, x)), "");
  std::uint32_t permuted = 0, dot = c;
  for (int k = 0; k < 4; ++k) {
    permuted |= static_cast<std::uint32_t>(both >> (8 * (c >> 4 * k & 7)) & 255) << 8 * k;
    dot += (a >> 8 * k & 255) * (b >> 8 * k & 255);
  }
  auto const difference = static_cast<std::uint32_t>(std::int64_t{static_cast<std::int32_t>(b)} -
                                                     static_cast<std::int32_t>(a));
  std::uint32_t const expected[] = {permuted,
                                    static_cast<std::uint32_t>(both << (c & 31) >> 32),
                                    static_cast<std::uint32_t>(both >> 32),
                                    0xf7b3d591u,
                                    19,
                                    1,
                                    static_cast<std::uint32_t>(std::popcount(x)),
                                    a >> 4 & 511,
                                    (b & ~(511u << 4)) | (a & 511) << 4,
                                    a ^ b ^ c,
                                    0xfffffff8u,
                                    static_cast<std::uint32_t>(std::uint64_t{a} * b >> 32),
                                    dot,
                                    difference + c,
                                    c + (std::uint64_t{a} + b > UINT32_MAX),
                                    static_cast<std::uint32_t>(x / 1000003 % 77777)};
  for (std::size_t k = 0; k < std::size(expected); ++k) EXPECT_EQ(out[k], expected[k]) << k;
}
