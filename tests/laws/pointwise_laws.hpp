// SPDX-License-Identifier: Apache-2.0
#pragma once
// Laws of pointwise operators: eval agrees with the double reference, on the operator's domain and
// on special values.

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <utility>

#include "laws/operands.hpp"
#include "tenon/ops/pointwise.hpp"

namespace tenon::laws {

template <class Op, class T, std::size_t... I>
double error_at(double const* x, std::index_sequence<I...>) {
  auto result = eval_in<Op, result_dtype<Op, T>>(static_cast<operand_t<Op, T, int{I}>>(x[I])...);
  auto reference =
      Op::reference(static_cast<double>(static_cast<operand_t<Op, T, int{I}>>(x[I]))...);
  if constexpr (std::is_same_v<decltype(result), bool>)
    return result == static_cast<bool>(reference) ? 0 : std::numeric_limits<double>::infinity();
  else
    return error_in_ulp(result, static_cast<double>(reference));
}

// The operands with the largest error, and the error.
template <class Op, class T> struct worst_case {
  double error = -1;
  double operands[Op::arity] = {};

  void visit(double const* x) {
    double here = error_at<Op, T>(x, std::make_index_sequence<Op::arity>{});
    if (here <= error) return;
    error = here;
    std::copy(x, x + Op::arity, operands);
  }
  void expect_within(double tolerance) const {
    std::ostringstream at;
    at.precision(17);
    for (double x : operands) at << ' ' << x;
    EXPECT_LE(error, tolerance) << std::string(Op::name) << " of " << name(dtype_of<T>) << " at"
                                << at.str();
  }
};

// @post at `count` points of the domain the error is within Op::tolerance_ulp.
template <class Op, class T> void agrees_with_reference(int count = 4000) {
  std::vector<double> points[Op::arity];
  for (int k = 0; k < Op::arity; ++k) {
    points[k] = sample<T>(Op::domain, count, static_cast<unsigned>(k));
    std::shuffle(points[k].begin(), points[k].end(), std::mt19937(seed + static_cast<unsigned>(k)));
  }
  worst_case<Op, T> worst;
  for (int i = 0; i < count; ++i) {
    double x[Op::arity];
    for (int k = 0; k < Op::arity; ++k) x[k] = points[k][static_cast<std::size_t>(i)];
    worst.visit(x);
  }
  worst.expect_within(Op::tolerance_ulp);
}

// @post NaN, infinities, zeros of both signs, subnormals and the largest numbers, in every
// combination, too. This says that NaN stays NaN wherever the reference has it so.
template <class Op, class T> void agrees_on_special_values() {
  std::vector<double> const values = special_values<T>();
  std::size_t combinations = 1;
  for (int k = 0; k < Op::arity; ++k) combinations *= values.size();
  worst_case<Op, T> worst;
  for (std::size_t i = 0; i < combinations; ++i) {
    double x[Op::arity];
    for (std::size_t k = 0, rest = i; k < Op::arity; ++k, rest /= values.size())
      x[k] = values[rest % values.size()];
    worst.visit(x);
  }
  worst.expect_within(Op::tolerance_ulp);
}

// An operator whose result depends on the node's dtype has tests of its own.
template <class Op> inline constexpr bool has_reference = requires { &Op::reference; };

template <class Op, class T> void check_pointwise() {
  agrees_with_reference<Op, T>();
  agrees_on_special_values<Op, T>();
}

}  // namespace tenon::laws
