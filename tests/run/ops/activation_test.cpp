// SPDX-License-Identifier: Apache-2.0
// The activations over the whole range of f32, and every cheaper form over all bfloat16 numbers.
// tenon-test: cpu-only
#include "laws/pointwise_laws.hpp"
#include "tenon/ops/tables.hpp"

namespace tenon {
namespace {

using activations = type_list<ops::sigmoid, ops::silu, ops::gelu, ops::gelu_tanh, ops::softplus,
                              ops::relu, ops::selu, ops::mish, ops::logsigmoid, ops::tanhshrink,
                              ops::hardsigmoid, ops::hardswish, ops::softsign, ops::erfc>;

TEST(activation, whole_range_of_f32) {
  laws::for_each_op(activations{}, [](auto op) {
    using Op = typename decltype(op)::type;
    laws::worst_case<Op, float> worst;
    for (std::uint64_t bits = 0; bits < (1ull << 32); bits += 10007) {
      double x = __builtin_bit_cast(float, static_cast<std::uint32_t>(bits));
      worst.visit(&x);
    }
    worst.expect_within(Op::tolerance_ulp);
  });
}

TEST(activation, limits_at_infinity) {
  float const inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(ops::silu::eval(-inf), 0.0f);
  EXPECT_EQ(ops::gelu::eval(-inf), 0.0f);
  EXPECT_EQ(ops::gelu_tanh::eval(-inf), 0.0f);
  EXPECT_EQ(ops::softplus::eval(-inf), 0.0f);
  EXPECT_EQ(ops::gelu::eval_bf16(-inf), 0.0f);
  EXPECT_EQ(ops::silu::eval_narrow(-inf), 0.0f);
}

TEST(activation, sigmoid_keeps_its_tail) {
  EXPECT_FLOAT_EQ(ops::sigmoid::eval(-80.0f), std::exp(-80.0f));
}

// A cheaper form of an operator, and where it is taken.
template <class Op> inline constexpr bool has_bf16_form = requires { Op::eval_bf16(1.0f); };
template <class Op> inline constexpr bool has_narrow_form = requires { Op::eval_narrow(1.0f); };

// The largest relative error of a form over all numbers of a half type whose result is at least
// `least`: below, the intermediate results of the device's instructions are flushed to zero.
template <class Op, class Half, class Form>
double largest_relative_error(Form const& form, double least) {
  double worst = 0;
  for (unsigned bits = 0; bits < 65536; ++bits) {
    auto const half = __builtin_bit_cast(Half, static_cast<std::uint16_t>(bits));
    float const x = static_cast<float>(half);
    double const reference = Op::reference(static_cast<double>(x));
    float const result = form(x);
    if (std::isnan(reference) || std::isinf(reference)) {
      EXPECT_EQ(laws::error_in_ulp(result, reference), 0) << std::string(Op::name) << " at " << x;
    } else if (std::fabs(reference) >= least &&
               std::fabs(reference) <= static_cast<double>(std::numeric_limits<float>::max())) {
      worst = std::max(worst,
                       std::fabs(static_cast<double>(result) - reference) / std::fabs(reference));
    }
  }
  return worst;
}

// A quarter unit in the last place of bfloat16 is between 2^-10 and 2^-9 of the value, of half
// between 2^-13 and 2^-12.
TEST(activation, cheaper_forms_are_within_a_quarter_ulp) {
  double const least = std::ldexp(1.0, -118), of_bfloat16 = std::ldexp(1.0, -10),
               of_half = std::ldexp(1.0, -13);
  laws::for_each_op(ops::pointwise_table{}, [&](auto op) {
    using Op = typename decltype(op)::type;
    if constexpr (has_bf16_form<Op>) {
      auto const form = [](float x) { return Op::eval_bf16(x); };
      EXPECT_LT((largest_relative_error<Op, bfloat16>(form, least)), of_bfloat16)
          << std::string(Op::name);
    }
    if constexpr (has_narrow_form<Op>) {
      auto const form = [](float x) { return Op::eval_narrow(x); };
      EXPECT_LT((largest_relative_error<Op, bfloat16>(form, least)), of_half)
          << std::string(Op::name);
      EXPECT_LT((largest_relative_error<Op, half>(form, least)), of_half) << std::string(Op::name);
    }
  });
}

}  // namespace
}  // namespace tenon
