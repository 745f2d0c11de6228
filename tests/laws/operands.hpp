// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the laws feed to an operator: its operand types for a dtype, sample points, special values;
// and the error in ulp.

#include <algorithm>
#include <array>
#include <boost/hana/for_each.hpp>
#include <boost/hana/tuple.hpp>
#include <boost/hana/type.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tenon/core/type_list.hpp"
#include "tenon/ops/op.hpp"

namespace tenon::laws {

inline constexpr unsigned seed = 20240229;  // fixed, so that a failure can be repeated

// Calls action(hana::type<Op>) for every operator of a table.
template <class... Op, class Action> void for_each_op(type_list<Op...>, Action action) {
  boost::hana::for_each(boost::hana::tuple_t<Op...>, action);
}

// The type operand `Position` has when the promoted dtype is that of T.
template <class Op, class T, int Position = 0>
using operand_t = arithmetic_t<Op::rule.operand(dtype_of<T>, Position)>;
template <class Op, class T> inline constexpr dtype result_dtype = Op::rule.result(dtype_of<T>);

// Half spread evenly, half over the orders of magnitude, both ends included.
template <class T> std::vector<double> sample(interval domain, int count, unsigned stream) {
  std::mt19937 generator(seed + stream);
  std::uniform_real_distribution<double> even(0, 1);
  double const smallest = 1e-6, largest = std::max(std::fabs(domain.low), std::fabs(domain.high));
  std::vector<double> points{domain.low, domain.high};
  while (static_cast<int>(points.size()) < count) {
    double point = domain.low + (domain.high - domain.low) * even(generator);
    if (points.size() % 2 == 0) {
      point = smallest * std::pow(largest / smallest, even(generator));
      if (even(generator) < 0.5) point = -point;
    }
    if (point >= domain.low && point <= domain.high)
      points.push_back(static_cast<double>(static_cast<T>(point)));
  }
  for (double& point : points) point = static_cast<double>(static_cast<T>(point));
  return points;
}

template <class T> std::vector<double> special_values() {
  using limits = std::numeric_limits<T>;
  std::vector<double> values{std::numeric_limits<double>::quiet_NaN()};
  for (double magnitude :
       {0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 100.0, static_cast<double>(limits::denorm_min()),
        static_cast<double>(limits::min()), static_cast<double>(limits::epsilon()),
        static_cast<double>(limits::max()), std::numeric_limits<double>::infinity()}) {
    values.push_back(magnitude);
    values.push_back(-magnitude);
  }
  return values;
}

// Distance in units of the last place of T at the reference; infinite for a result of another
// class: NaN, infinity or, when both are zero, the other sign.
template <class T> double error_in_ulp(T result, double reference) {
  using limits = std::numeric_limits<T>;
  double const never = std::numeric_limits<double>::infinity();
  T const rounded = static_cast<T>(reference);
  if (std::isnan(reference) || std::isnan(result))
    return std::isnan(reference) && std::isnan(result) ? 0 : never;
  if (std::isinf(rounded) || std::isinf(result)) return rounded == result ? 0 : never;
  if (rounded == 0 && result == 0 && std::signbit(rounded) != std::signbit(result)) return never;
  int const exponent = reference == 0 ? limits::min_exponent - 1
                                      : std::max(std::ilogb(reference), limits::min_exponent - 1);
  long double const unit = std::ldexp(1.0L, exponent - limits::digits + 1);
  return static_cast<double>(std::fabs(static_cast<long double>(result) - reference) / unit);
}

}  // namespace tenon::laws
