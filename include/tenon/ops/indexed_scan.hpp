// SPDX-License-Identifier: Apache-2.0
#pragma once
// Running extrema with the positions where they are: the scans that cummax_with_index and
// cummin_with_index are made of.

#include "tenon/ops/indexed_reduction.hpp"
#include "tenon/ops/scan.hpp"

namespace tenon::ops {

// Of equal elements the latest one, and NaN from the first NaN on, each time at the latest.
struct indexed_scan : scan_op {
  static constexpr dtype_rule rule = rules::same;
  static constexpr bool has_state = true;
  static constexpr bool is_differentiable = false;
  static constexpr long long no_index = -1;
  template <class T> using state = indexed::state<T>;
  template <class T> static constexpr TENON_HD indexed::state<T> lift(indexed::state<T> s) {
    return s;
  }
  template <class T> static constexpr TENON_HD indexed::state<T> finish(indexed::state<T> s) {
    return s;
  }
  template <class T>
  static constexpr TENON_HD indexed::state<T> choose(indexed::state<T> a, indexed::state<T> b,
                                                     bool b_is_no_worse) {
    bool const a_is_nan = a.number != a.number, b_is_nan = b.number != b.number;
    bool const takes_b = b.index != no_index && (b_is_nan || (b_is_no_worse && !a_is_nan));
    return {takes_b ? b.number : a.number, takes_b ? b.index : a.index};
  }
};

struct cumulative_arg_maximum : indexed_scan {
  static constexpr text_view name = "cummax_with_index";
  template <class T> static constexpr TENON_HD indexed::state<T> identity() {
    return {math::smallest<T>, no_index};
  }
  template <class T>
  static constexpr TENON_HD indexed::state<T> combine(indexed::state<T> a, indexed::state<T> b) {
    return choose(a, b, b.number >= a.number);
  }
};

struct cumulative_arg_minimum : indexed_scan {
  static constexpr text_view name = "cummin_with_index";
  template <class T> static constexpr TENON_HD indexed::state<T> identity() {
    return {math::largest<T>, no_index};
  }
  template <class T>
  static constexpr TENON_HD indexed::state<T> combine(indexed::state<T> a, indexed::state<T> b) {
    return choose(a, b, b.number <= a.number);
  }
};

}  // namespace tenon::ops
