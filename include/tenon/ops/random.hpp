// SPDX-License-Identifier: Apache-2.0
#pragma once
// Random numbers as functions of (seed, stream, position): Philox 4x32-10 (Salmon et al., 2011),
// with the same bits on every backend and in any order of evaluation.

#include <cmath>
#include <cstdint>

#include "tenon/ops/op.hpp"

namespace tenon {
namespace detail {

struct philox_words {
  std::uint32_t at[4];
};

constexpr TENON_HD philox_words philox(philox_words counter, std::uint32_t key0,
                                       std::uint32_t key1) {
  std::uint32_t a = counter.at[0], b = counter.at[1], c = counter.at[2], d = counter.at[3];
  for (int round = 0; round < 10; ++round) {
    std::uint64_t const first = 0xD2511F53ull * a, second = 0xCD9E8D57ull * c;
    a = static_cast<std::uint32_t>(second >> 32) ^ b ^ key0;
    b = static_cast<std::uint32_t>(second);
    c = static_cast<std::uint32_t>(first >> 32) ^ d ^ key1;
    d = static_cast<std::uint32_t>(first);
    key0 += 0x9E3779B9u, key1 += 0xBB67AE85u;
  }
  return {{a, b, c, d}};
}

// Call number `call` of a stream of a seed.
constexpr TENON_HD philox_words random_words(long long seed, long long stream, long long call) {
  auto const low = [](long long x) { return static_cast<std::uint32_t>(x); };
  auto const high = [](long long x) {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(x) >> 32);
  };
  return philox({{low(call), high(call), low(stream), high(stream)}}, low(seed), high(seed));
}
constexpr TENON_HD std::uint32_t pick(philox_words const& w, int k) {
  return k < 2 ? (k == 0 ? w.at[0] : w.at[1]) : (k == 2 ? w.at[2] : w.at[3]);
}

// Only operations that IEEE 754 rounds correctly, and no product that is then added to: a compiler
// may fuse such a pair or not, and the backends would differ.
inline TENON_HD float fused(float x, float y, float z) { return __builtin_fmaf(x, y, z); }

// sqrt(-2 log(u)) for u = (word + 1) / 2^32.
inline TENON_HD float normal_radius(std::uint32_t word) {
  float const u = static_cast<float>(word) + 1.0f;
  std::uint32_t const bits = __builtin_bit_cast(std::uint32_t, u);
  // u = m 2^e with m in [sqrt(1/2), sqrt(2)).
  std::uint32_t const shifted = bits - 0x3F3504F3u;
  int const e = static_cast<int>(shifted >> 23);
  float const f = __builtin_bit_cast(float, bits - (shifted & 0xFF800000u)) - 1.0f;
  float const s = f / (2.0f + f), z = s * s;
  float series = fused(z, 0.2222222222f, 0.2857142857f);
  series = fused(z, series, 0.4f);
  series = fused(z, series, 0.6666666667f);
  float const log_m = fused(s * z, series, 2.0f * s);
  float const minus_log = fused(static_cast<float>(32 - e), 0.693147182f, -log_m);
  return ::sqrtf(2.0f * (minus_log > 0 ? minus_log : 0.0f));
}
// sin, or cos, of 2 pi word / 2^32.
inline TENON_HD float turned(std::uint32_t word, bool is_sine) {
  std::uint32_t const octant = word >> 29;
  std::uint32_t const rest = word & 0x1FFFFFFFu;
  // In an odd octant the angle is measured from its end.
  std::uint32_t const distance = octant & 1u ? 0x20000000u - rest : rest;
  float const t = static_cast<float>(distance) * (0.785398163f / 536870912.0f), z = t * t;
  float sine = fused(z, 2.75573192e-6f, -1.98412698e-4f);
  sine = fused(z, sine, 8.33333333e-3f);
  sine = fused(z, sine, -0.166666667f);
  sine = fused(t * z, sine, t);
  float cosine = fused(z, -2.75573192e-7f, 2.48015873e-5f);
  cosine = fused(z, cosine, -1.38888889e-3f);
  cosine = fused(z, cosine, 4.16666667e-2f);
  cosine = fused(z * z, cosine, fused(z, -0.5f, 1.0f));
  bool const swaps = ((octant + 1) >> 1 & 1u) != 0;  // octants 1, 2, 5 and 6
  float const size = swaps == is_sine ? cosine : sine;
  bool const is_negative = is_sine ? octant >= 4 : octant >= 2 && octant < 6;
  return is_negative ? -size : size;
}

}  // namespace detail

namespace rules {
constexpr dtype i64_operand(dtype, int) { return dtype::i64; }
constexpr dtype to_u32(dtype) { return dtype::u32; }
constexpr dtype to_u64(dtype) { return dtype::u64; }
constexpr dtype to_f32(dtype) { return dtype::f32; }
inline constexpr dtype_rule random_u32{i64_operand, to_u32}, random_u64{i64_operand, to_u64},
    random_f32{i64_operand, to_f32};
}  // namespace rules

namespace ops {

// (seed, stream, position): the numbers of `per_call` neighbouring positions come from one call of
// Philox, whose words are each used once. draw() gives those of positions per_call * call, ... at
// once; eval() gives one of the same bits by a call of its own. The costs are those of draw().

// 32 random bits.
struct random_bits : pointwise_op<3> {
  static constexpr text_view name = "random_bits";
  static constexpr dtype_rule rule = rules::random_u32;
  static constexpr int cost = 22, per_call = 4;
  static constexpr TENON_HD void draw(long long seed, long long stream, long long call,
                                      std::uint32_t* numbers) {
    auto const w = detail::random_words(seed, stream, call);
    for (int k = 0; k < per_call; ++k) numbers[k] = w.at[k];
  }
  static constexpr TENON_HD std::uint32_t eval(long long seed, long long stream,
                                               long long position) {
    return detail::pick(detail::random_words(seed, stream, position >> 2),
                        static_cast<int>(position & 3));
  }
};
// 64 random bits.
struct random_bits_64 : pointwise_op<3> {
  static constexpr text_view name = "random_bits_64";
  static constexpr dtype_rule rule = rules::random_u64;
  static constexpr int cost = 45, per_call = 2;
  static constexpr TENON_HD void draw(long long seed, long long stream, long long call,
                                      std::uint64_t* numbers) {
    auto const w = detail::random_words(seed, stream, call);
    numbers[0] = static_cast<std::uint64_t>(w.at[1]) << 32 | w.at[0];
    numbers[1] = static_cast<std::uint64_t>(w.at[3]) << 32 | w.at[2];
  }
  static constexpr TENON_HD std::uint64_t eval(long long seed, long long stream,
                                               long long position) {
    std::uint64_t numbers[per_call] = {};
    draw(seed, stream, position >> 1, numbers);
    return position & 1 ? numbers[1] : numbers[0];
  }
};
// A number of the normal distribution, by Box and Muller's method: two neighbouring positions share
// a radius and an angle.
struct random_normal : pointwise_op<3> {
  static constexpr text_view name = "random_normal";
  static constexpr dtype_rule rule = rules::random_f32;
  static constexpr int cost = 60, per_call = 4;
  static TENON_HD void draw(long long seed, long long stream, long long call, float* numbers) {
    auto const w = detail::random_words(seed, stream, call);
    for (int k = 0; k < per_call; ++k)
      numbers[k] = detail::normal_radius(w.at[k & 2]) * detail::turned(w.at[k | 1], (k & 1) != 0);
  }
  static TENON_HD float eval(long long seed, long long stream, long long position) {
    auto const w = detail::random_words(seed, stream, position >> 2);
    bool const is_second = (position & 2) != 0;
    return detail::normal_radius(is_second ? w.at[2] : w.at[0]) *
           detail::turned(is_second ? w.at[3] : w.at[1], (position & 1) != 0);
  }
};

}  // namespace ops
}  // namespace tenon
