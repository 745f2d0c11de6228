// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators on the bits of integers and bool.

#include "tenon/ops/arithmetic.hpp"

namespace tenon::ops {

// A floating operand is refused where the operator is called.
template <int Arity> struct bitwise_op : pointwise_op<Arity> {
  static constexpr dtype_rule rule{[](dtype d, int) { return is_floating(d) ? dtype::i64 : d; },
                                   [](dtype d) { return is_floating(d) ? dtype::i64 : d; }};
  static constexpr bool accepts(dtype operand) { return !is_floating(operand); }
  static constexpr double tolerance_ulp = 0;
};

struct bitwise_and : bitwise_op<2> {
  static constexpr text_view name = "bitwise_and";
  static constexpr bool is_commutative = true;
  template <class T> static constexpr TENON_HD T eval(T x, T y) { return static_cast<T>(x & y); }
};

struct bitwise_or : bitwise_op<2> {
  static constexpr text_view name = "bitwise_or";
  static constexpr bool is_commutative = true;
  template <class T> static constexpr TENON_HD T eval(T x, T y) { return static_cast<T>(x | y); }
};

struct bitwise_xor : bitwise_op<2> {
  static constexpr text_view name = "bitwise_xor";
  static constexpr bool is_commutative = true;
  template <class T> static constexpr TENON_HD T eval(T x, T y) { return static_cast<T>(x ^ y); }
};

// Of bool: not.
struct bitwise_not : bitwise_op<1> {
  static constexpr text_view name = "bitwise_not";
  template <class T> static constexpr TENON_HD T eval(T x) {
    if constexpr (std::is_same_v<T, bool>) return !x;
    else return static_cast<T>(~x);
  }
};

// Every bit is shifted out when the count is the width or more, or negative; bool is one bit wide.
struct shift_op : bitwise_op<2> {
  static constexpr int cost = 3;
  template <class T> static constexpr TENON_HD bool leaves_bits(T count) {
    return !detail::is_negative(count) && detail::modular(count) < (std::is_same_v<T, bool> ? 1u : 8u * sizeof(T));
  }
};

struct shift_left : shift_op {
  static constexpr text_view name = "shift_left";
  template <class T> static constexpr TENON_HD T eval(T x, T count) {
    return leaves_bits(count) ? static_cast<T>(detail::modular(x) << count) : T(0);
  }
};

// Arithmetic for signed types: what is left of a negative number is -1.
struct shift_right : shift_op {
  static constexpr text_view name = "shift_right";
  template <class T> static constexpr TENON_HD T eval(T x, T count) {
    if (leaves_bits(count)) return static_cast<T>(x >> count);
    return detail::is_negative(x) ? static_cast<T>(-1) : T(0);
  }
};

}  // namespace tenon::ops
