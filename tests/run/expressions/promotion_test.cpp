// SPDX-License-Identifier: Apache-2.0
// Dtypes of results, roundings of casts, and the numbers they produce.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"

namespace {

using reference::doubles;
using reference::elementwise;

template <class Tensor> constexpr tn::dtype type_of(Tensor const&) {
  return tn::dtype_of<typename Tensor::element_type>;
}

TEST(promotion, categories_decide_before_widths) {
  auto h = random_array<tn::half, 1>({1025});
  auto b = random_array<tn::bfloat16, 1>({1025});
  auto i = random_array<std::int32_t, 1>({1025}, arrangement::contiguous, -50, 50);
  auto flags = random_array<bool, 1>({1025});
  auto scalar = random_array<double, 0>({});
  auto const f = tn::compile([](auto h, auto b, auto i, auto flags, auto scalar) {
    return tn::outputs(h + b, h * 2.5, h * scalar, i * 2.5, i + flags, i / 4, h + i,
                       tn::sqrt(tn::abs(i)), tn::where(flags, h, i));
  });
  auto const [both, literal, rank_0, from_int, counted, quotient, mixed, root, chosen] =
      f(h.view(), b.view(), i.view(), flags.view(), scalar.view());
  EXPECT_EQ(type_of(both), tn::dtype::f32) << "neither half type holds the other";
  EXPECT_EQ(type_of(literal), tn::dtype::f16);
  EXPECT_EQ(type_of(rank_0), tn::dtype::f16);
  EXPECT_EQ(type_of(from_int), tn::dtype::f32);
  EXPECT_EQ(type_of(counted), tn::dtype::i32);
  EXPECT_EQ(type_of(quotient), tn::dtype::f32);
  EXPECT_EQ(type_of(mixed), tn::dtype::f16);
  EXPECT_EQ(type_of(root), tn::dtype::f32);
  EXPECT_EQ(type_of(chosen), tn::dtype::f16);
  doubles const hv = h.values(), bv = b.values(), iv = i.values(), fv = flags.values();
  check_close(tn::dtype::f32, result_of(both), elementwise(std::plus<>(), hv, bv), {},
              "f16 + bf16");
  check_close(tn::dtype::f16, result_of(literal), elementwise([](double v) { return v * 2.5; }, hv),
              {}, "f16 * literal");
  check_close(tn::dtype::f16, result_of(rank_0),
              elementwise(std::multiplies<>(), hv, scalar.values()), {}, "f16 * rank 0");
  check_close(tn::dtype::f32, result_of(from_int),
              elementwise([](double v) { return v * 2.5; }, iv), {}, "i32 * literal");
  check_close(tn::dtype::i32, result_of(counted), elementwise(std::plus<>(), iv, fv), {},
              "i32 + bool");
  check_close(tn::dtype::f32, result_of(quotient), elementwise([](double v) { return v / 4; }, iv),
              {}, "i32 / literal");
  check_close(tn::dtype::f16, result_of(mixed), elementwise(std::plus<>(), hv, iv), {},
              "f16 + i32");
  check_close(tn::dtype::f32, result_of(root),
              elementwise([](double v) { return std::sqrt(std::fabs(v)); }, iv), {}, "sqrt of i32");
  check_close(tn::dtype::f16, result_of(chosen),
              elementwise([](double c, double x, double y) { return c != 0 ? x : y; }, fv, hv, iv),
              {}, "where");
}

// No double holds this integer.
TEST(promotion, integer_literals_arrive_as_they_are) {
  auto zeros = tn::tensor<std::uint64_t, 2>::with_extents({2});
  std::uint64_t const none[] = {0, 0};
  tn::copy(zeros, tn::cpu::view<std::uint64_t const, 2>(none));
  auto const f = tn::compile([](auto x) { return x + 9007199254740993; });
  auto const found = tn::to<tn::cpu>(f(zeros));
  EXPECT_EQ(found(0), 9007199254740993u);
}

// As in a lambda; a number that an operand's dtype holds arrives there unrounded.
TEST(promotion, numbers_of_statements_are_weakly_typed) {
  auto i = random_array<std::int32_t, 1>({1025}, arrangement::contiguous, -50, 50);
  auto h = random_array<tn::half, 1>({1025});
  auto d = random_array<double, 1>({1025});
  tn::tensor<float, tn::dyn> from_int(1025), quotient(1025);
  tn::tensor<std::int32_t, tn::dyn> counted(1025);
  tn::tensor<tn::half, tn::dyn> scaled(1025);
  tn::tensor<double, tn::dyn> exact(1025);
  from_int = i.view() * 2.5;
  quotient = 1 / i.view();
  counted = i.view() + true;
  scaled = h.view() * 2.5;
  exact = d.view() * 0.1 + 1;
  doubles const iv = i.values();
  check_close(tn::dtype::f32, result_of(from_int),
              elementwise([](double v) { return v * 2.5; }, iv), {}, "i32 * 2.5");
  check_close(tn::dtype::f32, result_of(quotient), elementwise([](double v) { return 1 / v; }, iv),
              {}, "1 / i32");
  check_close(tn::dtype::i32, result_of(counted), elementwise([](double v) { return v + 1; }, iv),
              {}, "i32 + true");
  check_close(tn::dtype::f16, result_of(scaled),
              elementwise([](double v) { return v * 2.5; }, h.values()), {}, "f16 * 2.5");
  check_close(tn::dtype::f64, result_of(exact),
              elementwise([](double v) { return v * 0.1 + 1; }, d.values()), {.arithmetic = 4},
              "f64 * 0.1 + 1");
}

// Half a unit beyond 1 in each half type, and both neighbours: nearest, ties to even, from below
// and from above.
TEST(promotion, cast_rounds_to_nearest_even) {
  std::vector<double> numbers, as_half, as_bfloat16;
  auto const add = [&](double number, double half, double bfloat16) {
    numbers.push_back(number), as_half.push_back(half), as_bfloat16.push_back(bfloat16);
  };
  add(1 + 0x1p-11, 1, 1);
  add(1 + 3 * 0x1p-11, 1 + 4 * 0x1p-11, 1);
  add(1 + 0x1p-11 + 0x1p-20, 1 + 0x1p-10, 1);
  add(1 + 0x1p-8, 1 + 0x1p-8, 1);
  add(1 + 3 * 0x1p-8, 1 + 3 * 0x1p-8, 1 + 0x1p-6);
  add(-(1 + 0x1p-8 + 0x1p-20), -(1 + 0x1p-8), -(1 + 0x1p-7));
  add(65519, 65504, 65536);
  add(65520, std::numeric_limits<double>::infinity(), 65536);
  add(0x1p-25, 0, 0x1p-25);
  add(3 * 0x1p-25, 0x1p-23, 3 * 0x1p-25);
  std::int64_t const count = static_cast<std::int64_t>(numbers.size());
  array<float, 1> x({count}, arrangement::contiguous, doubles({count}, numbers));
  // The rounding that was written stays, although the result goes back to float.
  auto const f = tn::compile([](auto x) {
    return tn::outputs(tn::cast<tn::half>(x), tn::cast<tn::bfloat16>(x),
                       tn::cast<float>(tn::cast<tn::half>(x)),
                       tn::cast<float>(tn::cast<tn::bfloat16>(x)) * 1);
  });
  auto const [half, bfloat16, half_again, bfloat16_again] = f(x.view());
  tolerance const exact{.arithmetic = 0, .storage = 0};
  check_close(tn::dtype::f16, result_of(half), doubles({count}, as_half), exact, "half");
  check_close(tn::dtype::bf16, result_of(bfloat16), doubles({count}, as_bfloat16), exact,
              "bfloat16");
  check_close(tn::dtype::f32, result_of(half_again), doubles({count}, as_half), exact, "half kept");
  check_close(tn::dtype::f32, result_of(bfloat16_again), doubles({count}, as_bfloat16), exact,
              "bfloat16 kept");
}

// A half operand is computed with in float: intermediate results are not rounded.
TEST(promotion, half_is_rounded_once) {
  array<tn::half, 1> x({1}, arrangement::contiguous, doubles({1}, {2048}));
  auto const f = tn::compile([](auto x) { return (x + 1) - 2048; });
  EXPECT_EQ(result_of(f(x.view()))[0], 1);
}

TEST(promotion, cast_between_integers_and_floats) {
  double const infinity = std::numeric_limits<double>::infinity();
  std::vector<double> const numbers{0,    -0.9, 2.9,      -2.9,      127.5,       3e9,
                                    -3e9, 1e30, infinity, -infinity, std::nan("")};
  std::int64_t const count = static_cast<std::int64_t>(numbers.size());
  array<float, 1> x({count}, arrangement::contiguous, doubles({count}, numbers));
  auto const f = tn::compile([](auto x) {
    return tn::outputs(tn::cast<std::int32_t>(x), tn::cast<bool>(x), tn::cast<double>(x) * 0.1);
  });
  auto const [integers, flags, wide] = f(x.view());
  double const high = 2147483647, low = -2147483648.0;
  check_close(tn::dtype::i32, result_of(integers),
              doubles({count}, {0, 0, 2, -2, 127, high, low, high, high, low, 0}), {}, "saturates");
  check_close(tn::dtype::boolean, result_of(flags),
              doubles({count}, {0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}), {}, "bool");
  check_close(tn::dtype::f64, result_of(wide),
              elementwise([](double v) { return v * 0.1; }, x.values()), {}, "double");

  array<std::int64_t, 1> big({3}, arrangement::contiguous,
                             doubles({3}, {4294967296.0 + 5, -1, 1e15}));
  auto const narrowed = tn::compile([](auto x) {
    return tn::outputs(tn::cast<std::int32_t>(x), tn::cast<float>(x), tn::cast<std::uint8_t>(x));
  });
  auto const [wrapped, rounded, bytes] = narrowed(big.view());
  check_close(tn::dtype::i32, result_of(wrapped), doubles({3}, {5, -1, -1530494976}), {}, "wraps");
  check_close(tn::dtype::f32, result_of(rounded), big.values(), {}, "i64 to float");
  check_close(tn::dtype::u8, result_of(bytes), doubles({3}, {5, 255, 0}), {}, "i64 to u8");
}

}  // namespace
