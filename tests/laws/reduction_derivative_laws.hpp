// SPDX-License-Identifier: Apache-2.0
#pragma once
// The law of derivatives for reductions and for what projections read of their states: the rule, over a row of numbers, agrees
// with differences of the reduction itself.

#include <gtest/gtest.h>

#include "laws/derivative_laws.hpp"
#include "tenon/ops/indexed_reduction.hpp"
#include "tenon/ops/reduction.hpp"

namespace tenon::laws {

inline constexpr int row_length = 7;

// A row of numbers as what rules compute with; one number is the same along the row.
struct rule_row : ops::derivation::quantity {
  double at[row_length] = {};
};
template <class F>
rule_row row_of(F const& f) {
  rule_row result;
  for (int i = 0; i < row_length; ++i) result.at[i] = f(i);
  return result;
}
inline double element(rule_row const& x, int i) { return x.at[i]; }
inline double element(double x, int) { return x; }
inline rule_row constant_like(rule_row const&, double x) {
  return row_of([&](int) { return x; });
}
template <class Op, class... V> requires(std::is_same_v<V, rule_row> || ...)
rule_row apply_operator(type_box<Op>, V... operands) {
  return row_of([&](int i) { return evaluated<Op>(std::index_sequence_for<V...>{}, element(operands, i)...); });
}

template <class Op>
auto state_of(double const* x) {
  auto s = Op::template identity<double>();
  for (int i = 0; i < row_length; ++i) s = Op::combine(s, Op::lift(x[i]));
  return s;
}

// What a reduction's rule may ask for.
template <class Reduction>
struct row_reduction {
  rule_row x;

  rule_row count() const {
    return row_of([](int) { return double{row_length}; });
  }
  template <class Op>
  rule_row total(rule_row v) const {
    double const result = static_cast<double>(state_of<Op>(v.at));
    return row_of([&](int) { return result; });
  }
  template <class Projection>
  rule_row member() const {
    double const result = Projection::eval(state_of<Reduction>(x.at));
    return row_of([&](int) { return result; });
  }
};

// Without a projection: void.
template <class Reduction, class Projection>
double reduced_row(double const* x) {
  if constexpr (std::is_void_v<Projection>)
    return static_cast<double>(state_of<Reduction>(x));
  else
    return Projection::eval(state_of<Reduction>(x));
}

// @post at rows of different numbers, the rule agrees with differences by every element
template <class Reduction, class Projection = void>
void row_agrees_with_differences() {
  using rule = std::conditional_t<std::is_void_v<Projection>, Reduction, Projection>;
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> even(0.5, 2);
  for (int trial = 0; trial < 50; ++trial) {
    rule_row const x = row_of([&](int i) { return (i % 2 ? -1 : 1) * even(generator); });
    double const result = reduced_row<Reduction, Projection>(x.at), d = even(generator);
    auto const constant = [&](double v) { return constant_like(x, v); };
    rule_row const found = rule::derivative(constant(d), x, constant(result), row_reduction<Reduction>{x});
    for (int i = 0; i < row_length; ++i) {
      auto const at = [&](double offset) {
        rule_row moved = x;
        moved.at[i] += offset;
        return reduced_row<Reduction, Projection>(moved.at);
      };
      double const step = 1e-4, slope = (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step);
      EXPECT_NEAR(found.at[i], d * slope, 1e-8 * (1 + std::fabs(slope))) << std::string(rule::name) << ", element " << i;
    }
  }
}

}  // namespace tenon::laws
