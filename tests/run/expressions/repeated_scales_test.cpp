// SPDX-License-Identifier: Apache-2.0
// Numbers of four and eight bits times a scale for each group of columns, which is repeated along
// them: against plain loops, of any layout, packed along either axis, scales of blocks.
#include "run/support/arrays.hpp"

namespace {

using reference::doubles;
using byte = std::uint8_t;

// Element i of groups of `Group`, of bytes that hold two numbers each.
struct unpacked {
  doubles packed, scales, zeros;
  std::int64_t group;
  template <class T> double at(std::int64_t i) const {
    int const both = static_cast<int>(packed[i / 2]), number = i % 2 ? both >> 4 : both & 15;
    return as_double(from_double<T>((number - zeros[i / group]) *
                                    static_cast<double>(static_cast<float>(scales[i / group]))));
  }
};

enum class written { after_flattening, before };

template <class Result, int Group, written How> struct dequantized {
  template <class Q, class S, class Z>
  constexpr auto operator()(Q const& q, S const& s, Z const& z) const {
    auto w = tn::cast<float>(tn::stack(q & 15, q >> 4, tn::axis<-1>));
    if constexpr (How == written::before)
      return tn::flatten(scaled(w, in_pairs(s), in_pairs(z)), tn::axis<1, 2>);
    else
      return scaled(tn::flatten(w, tn::axis<1, 2>), each(s), each(z));
  }

 private:
  template <class X> static constexpr auto each(X const& x) {
    return tn::repeat_interleave(x, tn::axis<1>, tn::ct<Group>);
  }
  template <class X> static constexpr auto in_pairs(X const& x) {
    return tn::unsqueeze(tn::repeat_interleave(x, tn::axis<1>, tn::ct<Group / 2>), tn::axis<-1>);
  }
  template <class W, class S, class Z>
  static constexpr auto scaled(W const& w, S const& s, Z const& z) {
    return tn::cast<Result>((w - tn::cast<float>(z)) * tn::cast<float>(s));
  }
};

template <class Result, class Scale, int Group, written How> void expect_unpacked() {
  auto const f = tn::compile(dequantized<Result, Group, How>{});
  for (std::int64_t rows : {0, 1, 5, 33})
    for (std::int64_t groups : {0, 1, 2, 3, 7})
      for (arrangement how : {arrangement::contiguous, arrangement::misaligned,
                              arrangement::transposed, arrangement::padded}) {
        auto q = random_array<byte, 2>({rows, groups * Group / 2}, how, 0, 255.9);
        auto s = random_array<Scale, 2>({rows, groups}, how, 0.5, 2);
        auto z = random_array<byte, 2>({rows, groups}, how, 0, 15.9);
        unpacked const all{q.values(), s.values(), z.values(), Group};
        doubles const found = result_of(f(q.view(), s.view(), z.view()));
        ASSERT_EQ(found.size(), rows * groups * Group);
        for (std::int64_t i = 0; i < found.size(); ++i)
          ASSERT_EQ(found[i], all.template at<Result>(i))
              << rows << " x " << groups << " groups, " << to_string(how) << " at " << i;
      }
}

TEST(repeated_scales, of_columns_that_are_unpacked) {
  expect_unpacked<float, float, 128, written::after_flattening>();
  expect_unpacked<tn::bfloat16, float, 64, written::before>();
}
TEST(repeated_scales, of_half_types) {
  expect_unpacked<tn::bfloat16, tn::bfloat16, 32, written::after_flattening>();
  expect_unpacked<float, tn::bfloat16, 32, written::before>();
}

// Two numbers of one column in a byte, and scales of groups of rows.
TEST(repeated_scales, of_rows_that_are_unpacked) {
  auto const f = tn::compile([](auto q, auto s) {
    auto w = tn::flatten(tn::stack(q & 15, q >> 4, tn::axis<1>), tn::axis<0, 1>);
    return (tn::cast<float>(w) - 8.0f) * tn::repeat_interleave(s, tn::axis<0>, tn::ct<32>);
  });
  for (std::int64_t groups : {1, 3})
    for (std::int64_t columns : {1, 5, 64, 136}) {
      auto q = random_array<byte, 2>({groups * 16, columns}, arrangement::contiguous, 0, 255.9);
      auto s = random_array<float, 2>({groups, columns}, arrangement::contiguous, 0.5, 2);
      doubles const a = q.values(), b = s.values(), found = result_of(f(q.view(), s.view()));
      for (std::int64_t i = 0; i < groups * 32; ++i)
        for (std::int64_t j = 0; j < columns; ++j) {
          int const both = static_cast<int>(a[i / 2 * columns + j]);
          float const number = static_cast<float>((i % 2 ? both >> 4 : both & 15) - 8);
          ASSERT_EQ(found[i * columns + j], number * static_cast<float>(b[i / 32 * columns + j]))
              << groups << " groups, " << columns << " columns at " << i << ", " << j;
        }
    }
}

// A scale of each group of columns, and of each block of rows and columns, with zero points of
// smaller groups.
TEST(repeated_scales, of_bytes) {
  auto const f = tn::compile([](auto x, auto s, auto z, auto blocks) {
    auto const columns = [](auto of, auto times) {
      return tn::repeat_interleave(of, tn::axis<1>, times);
    };
    auto y = (tn::cast<float>(x) - columns(z, tn::ct<32>)) * columns(s, tn::ct<64>);
    return y * columns(tn::repeat_interleave(blocks, tn::axis<0>, tn::ct<64>), tn::ct<64>);
  });
  for (std::int64_t r : {1, 2})
    for (std::int64_t c : {1, 3})
      for (arrangement how : arrangements) {
        auto x = random_array<std::int8_t, 2>({r * 64, c * 64}, how, -128, 127.9);
        auto s = random_array<float, 2>({r * 64, c}, how, 0.5, 2);
        auto z = random_array<float, 2>({r * 64, c * 2}, arrangement::contiguous, -3, 3);
        auto blocks = random_array<float, 2>({r, c}, how, 0.5, 2);
        doubles const a = x.values(), b = s.values(), d = z.values(), e = blocks.values(),
                      found = result_of(f(x.view(), s.view(), z.view(), blocks.view()));
        for (std::int64_t i = 0; i < r * 64; ++i)
          for (std::int64_t j = 0; j < c * 64; ++j) {
            float const expected = (static_cast<float>(a[i * c * 64 + j]) -
                                    static_cast<float>(d[i * c * 2 + j / 32])) *
                                   static_cast<float>(b[i * c + j / 64]) *
                                   static_cast<float>(e[i / 64 * c + j / 64]);
            ASSERT_EQ(found[i * c * 64 + j], expected) << to_string(how) << i << ", " << j;
          }
      }
}

// What is repeated must be as long as what it is repeated for.
TEST(repeated_scales, of_other_lengths_are_refused) {
  auto const f = tn::compile(dequantized<float, 128, written::after_flattening>{});
  auto q = random_array<byte, 2>({2, 64}, arrangement::contiguous, 0, 255);
  auto s = random_array<float, 2>({2, 2}), one = random_array<float, 2>({2, 1});
  auto z = random_array<byte, 2>({2, 1}, arrangement::contiguous, 0, 15);
  EXPECT_THROW(f(q.view(), s.view(), z.view()), tn::error);
  EXPECT_NO_THROW(f(q.view(), one.view(), z.view()));
}

}  // namespace
