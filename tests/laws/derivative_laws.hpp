// SPDX-License-Identifier: Apache-2.0
#pragma once
// The law of derivatives: an operator's rule agrees with differences of its reference, at points of its domain.

#include <gtest/gtest.h>

#include "laws/operands.hpp"
#include "tenon/ops/derivative.hpp"
#include "tenon/ops/pointwise.hpp"

namespace tenon::laws {

// A number as what rules compute with.
struct rule_number : ops::derivation::quantity {
  double value;
  explicit rule_number(double x) : value(x) {}
};
inline double value_of(rule_number x) { return x.value; }
inline double value_of(double x) { return x; }
inline rule_number constant_like(rule_number, double x) { return rule_number(x); }

template <class Op, std::size_t... I, class... V>
double evaluated(std::index_sequence<I...>, V... x) {
  return static_cast<double>(eval_in<Op, result_dtype<Op, double>>(static_cast<operand_t<Op, double, int{I}>>(value_of(x))...));
}
template <class Op, class... V> requires(std::is_same_v<V, rule_number> || ...)
rule_number apply_operator(type_box<Op>, V... operands) {
  return rule_number(evaluated<Op>(std::index_sequence_for<V...>{}, operands...));
}

template <class Op>
concept has_rule = requires { &Op::template derivative<rule_number>; };

// Whether the table's entry says what its derivative is. Derivatives by integers and of them are no question.
template <class Op>
inline constexpr bool answers_for_derivative = has_rule<Op> || Op::is_locally_constant || !Op::is_differentiable ||
                                               !is_floating(Op::rule.result(dtype::f32));

template <class Op, std::size_t... I>
double reference_at(double const* x, std::index_sequence<I...>) {
  return static_cast<double>(Op::reference(x[I]...));
}
template <class Op>
double reference_at(double const* x) {
  return reference_at<Op>(x, std::make_index_sequence<Op::arity>{});
}

template <class Op, std::size_t... I>
double rule_at(double const* x, int operand, std::index_sequence<I...>) {
  rule_number const result(reference_at<Op>(x)), one(1);
  if constexpr (Op::is_locally_constant)
    return 0;
  else if constexpr (Op::arity == 1)
    return Op::derivative(one, rule_number(x[I])..., result).value;
  else
    return Op::derivative(one, rule_number(x[I])..., result, operand).value;
}

// Of fourth order in the step.
template <class Op>
double difference(double const* x, int operand, double step) {
  auto const at = [&](double offset) {
    double moved[Op::arity];
    std::copy(x, x + Op::arity, moved);
    moved[operand] += offset;
    return reference_at<Op>(moved);
  };
  return (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step);
}

// @post wherever differences by three steps agree, so that there is no kink nearby, the rule agrees with them, by every floating
// operand; that is at most points
template <class Op>
void agrees_with_differences(int count = 2000) {
  constexpr double bound = 8;
  interval const within{std::max(Op::domain.low, -bound), std::min(Op::domain.high, bound)};
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> even(within.low, within.high);
  for (int operand = Op::rule.first_promoted; operand < Op::arity; ++operand) {
    int compared = 0;
    for (int i = 0; i < count; ++i) {
      double x[Op::arity];
      for (double& one : x) one = even(generator);
      for (int k = 0; k < Op::rule.first_promoted; ++k) x[k] = x[k] > 0;  // conditions
      double const room = std::min({x[operand] - within.low, within.high - x[operand], 1.0});
      double const step = 1e-3 * room;
      double const slope = difference<Op>(x, operand, step), again = difference<Op>(x, operand, step / 2);
      double const third = difference<Op>(x, operand, step / 7);
      double const noise = 1e-13 * (std::fabs(reference_at<Op>(x)) + 1) / step;
      double const tolerance = 1e-7 * std::fabs(slope) + noise;
      if (!(std::fabs(slope - again) <= tolerance && std::fabs(slope - third) <= 7 * tolerance)) continue;
      ++compared;
      double const found = rule_at<Op>(x, operand, std::make_index_sequence<Op::arity>{});
      ASSERT_NEAR(found, again, 4 * tolerance) << std::string(Op::name) << ", operand " << operand << " at " << x[0]
                                               << (Op::arity > 1 ? " and " + std::to_string(x[Op::arity - 1]) : "");
    }
    EXPECT_GT(compared, count / 2) << std::string(Op::name) << ": too few points told anything";
  }
}

}  // namespace tenon::laws
