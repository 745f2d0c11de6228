// SPDX-License-Identifier: Apache-2.0
#pragma once
// cast: a value of any dtype in another dtype.

#include <limits>
#include <type_traits>

#include "tenon/ops/op.hpp"

namespace tenon::detail {

template <class Integer>
struct integer_limits {
  static constexpr Integer low = std::numeric_limits<Integer>::lowest();
  static constexpr Integer high = std::numeric_limits<Integer>::max();
  // high + 1, a power of two: exact in every floating type, which high itself need not be.
  static constexpr double beyond = 2.0 * static_cast<double>(high / 2 + 1);
};

// Truncates towards zero, saturates, NaN is 0: what the device's cvt.rzi does, on every backend.
template <class Integer, class T>
constexpr TENON_HD Integer truncate(T x) {
  using limits = integer_limits<Integer>;
  if (x != x) return Integer(0);
  if (x >= static_cast<T>(limits::beyond)) return limits::high;
  if (x <= static_cast<T>(limits::low)) return limits::low;
  return static_cast<Integer>(x);
}

}  // namespace tenon::detail

namespace tenon::ops {

// To a half type: rounded to nearest even, through float. From integer to a narrower one: wraps. To bool: x != 0.
// The node's own dtype is the target, so it cannot be told from the operands.
struct cast : pointwise_op<1> {
  static constexpr std::string_view name = "cast";
  template <dtype D, class T>
  static constexpr TENON_HD arithmetic_t<D> eval_as(T x) {
    using target = arithmetic_t<D>;
    if constexpr (is_half_v<D>)
      return static_cast<float>(storage_t<D>(static_cast<float>(x)));
    else if constexpr (D == dtype::boolean)
      return x != T(0);
    else if constexpr (std::is_integral_v<target> && std::is_floating_point_v<T>)
      return detail::truncate<target>(x);
    else
      return static_cast<target>(x);
  }

  // @pre d is the node's dtype. An integer literal wraps where a floating one saturates, and the literal's own dtype is
  // not known here: out of range, the node stays.
  static constexpr double fold(dtype d, double const* operands) {
    double x = operands[0];
    if (!detail::is_within(operands, 1, bound_of(d))) return detail::not_folded;
    if (d == dtype::boolean) return x != 0;
    if (d == dtype::f16) return eval_as<dtype::f16>(x);
    if (d == dtype::bf16) return eval_as<dtype::bf16>(x);
    if (d == dtype::f32) return eval_as<dtype::f32>(x);
    if (d == dtype::f64) return x;
    long long truncated = static_cast<long long>(x);
    return detail::wrap(d, truncated) == truncated ? static_cast<double>(truncated) : detail::not_folded;
  }

 private:
  template <dtype D>
  static constexpr bool is_half_v = is_half(D);
  // Larger literals become infinite, or are not exact in double.
  static constexpr double bound_of(dtype d) {
    if (!is_floating(d)) return 9007199254740992.0;
    if (d == dtype::f16) return 65504;
    if (d == dtype::f64) return std::numeric_limits<double>::max();
    return 3.3895313892515355e38;  // largest bfloat16
  }
};

}  // namespace tenon::ops
