// SPDX-License-Identifier: Apache-2.0
// The activations over the whole range of f32, and every cheaper form over all bfloat16 numbers.
// tenon-test: cpu-only
#include "laws/pointwise_laws.hpp"
#include "tenon/ops/tables.hpp"

namespace tenon {
namespace {

using activations =
    type_list<ops::sigmoid, ops::silu, ops::gelu, ops::gelu_tanh, ops::softplus, ops::relu, ops::selu,
              ops::mish, ops::logsigmoid, ops::tanhshrink, ops::hardsigmoid, ops::hardswish,
              ops::softsign, ops::erfc>;

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
  EXPECT_EQ(ops::silu::eval_bf16(-inf), 0.0f);
}

TEST(activation, sigmoid_keeps_its_tail) {
  EXPECT_FLOAT_EQ(ops::sigmoid::eval(-80.0f), std::exp(-80.0f));
}

// The largest relative error of eval_bf16 over all bfloat16 numbers whose result is at least
// 2^-118: below, the intermediate results of the device's instructions are flushed to zero.
template <class Op> double largest_relative_error() {
  double worst = 0;
  for (unsigned bits = 0; bits < 65536; ++bits) {
    float const x = detail::bfloat16_bits_to_float(static_cast<std::uint16_t>(bits));
    double const reference = Op::reference(static_cast<double>(x));
    float const result = Op::eval_bf16(x);
    if (std::isnan(reference) || std::isinf(reference)) {
      EXPECT_EQ(laws::error_in_ulp(result, reference), 0) << std::string(Op::name) << " at " << x;
    } else if (std::fabs(reference) >= std::ldexp(1.0, -118) &&
               std::fabs(reference) <= static_cast<double>(std::numeric_limits<float>::max())) {
      worst = std::max(worst,
                       std::fabs(static_cast<double>(result) - reference) / std::fabs(reference));
    }
  }
  return worst;
}

template <class Op> inline constexpr bool has_bf16_form = requires { Op::eval_bf16(1.0f); };

// A quarter unit in the last place of bfloat16 is between 2^-10 and 2^-9 of the value.
TEST(activation, bf16_forms_are_within_a_quarter_ulp) {
  laws::for_each_op(ops::pointwise_table{}, [](auto op) {
    using Op = typename decltype(op)::type;
    if constexpr (has_bf16_form<Op>) {
      EXPECT_LT(largest_relative_error<Op>(), std::ldexp(1.0, -10)) << std::string(Op::name);
    }
  });
}

}  // namespace
}  // namespace tenon
