// SPDX-License-Identifier: Apache-2.0
#pragma once
// Comparisons, selections by comparison (maximum, clamp, where) and logical operators.

#include "tenon/ops/arithmetic.hpp"

namespace tenon::ops {

// The result is bool; a comparison with NaN is false, except not_equal.
struct comparison_op : exact_op<2> {
  static constexpr dtype_rule rule = rules::compare;
};

struct equal : comparison_op {
  static constexpr text_view name = "equal";
  static constexpr bool is_commutative = true;
  template <class T> static constexpr TENON_HD bool eval(T x, T y) { return x == y; }
  static bool reference(double x, double y) { return x == y; }
};

struct not_equal : comparison_op {
  static constexpr text_view name = "not_equal";
  static constexpr bool is_commutative = true;
  template <class T> static constexpr TENON_HD bool eval(T x, T y) { return x != y; }
  static bool reference(double x, double y) { return x != y; }
};

struct less : comparison_op {
  static constexpr text_view name = "less";
  static constexpr bool is_foldable = true;
  template <class T> static constexpr TENON_HD bool eval(T x, T y) { return x < y; }
  static bool reference(double x, double y) { return x < y; }
};

struct less_equal : comparison_op {
  static constexpr text_view name = "less_equal";
  template <class T> static constexpr TENON_HD bool eval(T x, T y) { return x <= y; }
  static bool reference(double x, double y) { return x <= y; }
};

struct greater : comparison_op {
  static constexpr text_view name = "greater";
  template <class T> static constexpr TENON_HD bool eval(T x, T y) { return x > y; }
  static bool reference(double x, double y) { return x > y; }
};

struct greater_equal : comparison_op {
  static constexpr text_view name = "greater_equal";
  template <class T> static constexpr TENON_HD bool eval(T x, T y) { return x >= y; }
  static bool reference(double x, double y) { return x >= y; }
};

// NaN if either operand is NaN (fmaxf would ignore it); maximum(-0, +0) is +0.
struct maximum : exact_op<2> {
  static constexpr text_view name = "maximum";
  static constexpr unsigned zeros_through = 0b11;
  static constexpr bool is_commutative = true;
  template <class T> static constexpr TENON_HD T eval(T x, T y) { return math::maximum(x, y); }
  template <class V> static constexpr V derivative(V d, V x, V y, V, int k) {
    return of<where>(x == y, 0.5 * d, unless(k == 0 ? x < y : y < x, d));
  }
  static double reference(double x, double y) {
    if (std::isnan(x) || std::isnan(y)) return math::nan<double>;
    if (x == y) return std::signbit(x) ? y : x;
    return x > y ? x : y;
  }
};

struct minimum : exact_op<2> {
  static constexpr text_view name = "minimum";
  static constexpr unsigned zeros_through = 0b11;
  static constexpr bool is_commutative = true;
  template <class T> static constexpr TENON_HD T eval(T x, T y) { return math::minimum(x, y); }
  template <class V> static constexpr V derivative(V d, V x, V y, V, int k) {
    return of<where>(x == y, 0.5 * d, unless(k == 0 ? x > y : y > x, d));
  }
  static double reference(double x, double y) {
    if (std::isnan(x) || std::isnan(y)) return math::nan<double>;
    if (x == y) return std::signbit(x) ? x : y;
    return x < y ? x : y;
  }
};

// min(max(x, low), high): high where low > high, NaN if any operand is NaN.
struct clamp : exact_op<3> {
  static constexpr text_view name = "clamp";
  static constexpr int cost = 2;
  template <class T> static constexpr TENON_HD T eval(T x, T low, T high) {
    return math::minimum(math::maximum(x, low), high);
  }
  template <class V> static constexpr V derivative(V d, V x, V low, V high, V, int k) {
    return when(k == 0   ? x >= low && x <= high
                : k == 1 ? x < low && low < high
                         : of<logical_or>(x > high, high < low),
                d);
  }
  static double reference(double x, double low, double high) {
    return minimum::reference(maximum::reference(x, low), high);
  }
};

// The operand that is not chosen has no influence, whatever its value.
struct where : exact_op<3> {
  static constexpr text_view name = "where";
  static constexpr unsigned zeros_through = 0b110;
  static constexpr dtype_rule rule = rules::select;
  template <class T> static constexpr TENON_HD T eval(bool condition, T x, T y) {
    return condition ? x : y;
  }
  template <class V> static constexpr V derivative(V d, V condition, V, V, V, int k) {
    return k == 1 ? when(condition, d) : unless(condition, d);
  }
  static double reference(double condition, double x, double y) { return condition != 0 ? x : y; }
};

// Operands of any dtype are cast to bool first: NaN is true.
struct logical_op : exact_op<2> {
  static constexpr dtype_rule rule = rules::logical;
  static constexpr bool is_commutative = true;
};

struct logical_and : logical_op {
  static constexpr text_view name = "logical_and";
  static constexpr TENON_HD bool eval(bool x, bool y) { return x && y; }
  static bool reference(double x, double y) { return x != 0 && y != 0; }
};

struct logical_or : logical_op {
  static constexpr text_view name = "logical_or";
  static constexpr TENON_HD bool eval(bool x, bool y) { return x || y; }
  static bool reference(double x, double y) { return x != 0 || y != 0; }
};

struct logical_xor : logical_op {
  static constexpr text_view name = "logical_xor";
  static constexpr TENON_HD bool eval(bool x, bool y) { return x != y; }
  static bool reference(double x, double y) { return (x != 0) != (y != 0); }
};

struct logical_not : exact_op<1> {
  static constexpr text_view name = "logical_not";
  static constexpr dtype_rule rule = rules::logical;
  static constexpr TENON_HD bool eval(bool x) { return !x; }
  static bool reference(double x) { return x == 0; }
};

}  // namespace tenon::ops
