// SPDX-License-Identifier: Apache-2.0
#pragma once
// What kind of number it is, and operators on the parts of its representation: sign and neighbours.

#include "tenon/ops/arithmetic.hpp"

namespace tenon::detail {

// The neighbour of x towards y among the numbers of a narrow storage type.
template <class Storage> TENON_HD float next_in(float x, float y) {
  Storage from(x);
  float start = from;
  if (start != start || y != y) return start + y;
  if (start == y) return y;
  if (start == 0) {
    from.bits = 1;
    return math::copysign(static_cast<float>(from), y);
  }
  bool grows = (y > start) == (start > 0);
  from.bits = static_cast<decltype(from.bits)>(grows ? from.bits + 1 : from.bits - 1);
  return from;
}

}  // namespace tenon::detail

namespace tenon::ops {

struct classification_op : exact_op<1> {
  static constexpr dtype_rule rule = rules::compare;
};

struct isnan : classification_op {
  static constexpr text_view name = "isnan";
  template <class T> static constexpr TENON_HD bool eval(T x) { return x != x; }
  static bool reference(double x) { return std::isnan(x); }
};

struct isinf : classification_op {
  static constexpr text_view name = "isinf";
  template <class T> static constexpr TENON_HD bool eval(T x) {
    if constexpr (std::is_floating_point_v<T>) return math::abs(x) == math::infinity<T>;
    else return false;
  }
  static bool reference(double x) { return std::isinf(x); }
};

struct isfinite : classification_op {
  static constexpr text_view name = "isfinite";
  template <class T> static constexpr TENON_HD bool eval(T x) {
    if constexpr (std::is_floating_point_v<T>) return math::abs(x) < math::infinity<T>;
    else return true;
  }
  static bool reference(double x) { return std::isfinite(x); }
};

// The magnitude of x with the sign of y, also of a zero or NaN.
struct copysign : exact_op<2> {
  static constexpr text_view name = "copysign";
  static constexpr dtype_rule rule = rules::to_float;
  template <class T> static constexpr TENON_HD T eval(T x, T y) { return math::copysign(x, y); }
  template <class V> static constexpr V derivative(V d, V x, V y, V, int k) {
    return k == 0 ? d * (of<sign>(x) * of<copysign>(1.0, y)) : number(d, 0.0);
  }
  static double reference(double x, double y) { return std::copysign(x, y); }
};

// The next number after x towards y in the dtype of the result; x itself is rounded to that dtype first.
struct nextafter : pointwise_op<2> {
  static constexpr text_view name = "nextafter";
  static constexpr bool is_differentiable = false;
  static constexpr dtype_rule rule = rules::to_float;
  static constexpr int cost = 12;
  template <dtype D, class T> static TENON_HD T eval_as(T x, T y) {
    if constexpr (is_narrow_v<D>)
      return detail::next_in<storage_t<D>>(x, y);
    else
      return math::nextafter(x, y);
  }
};

}  // namespace tenon::ops
