// SPDX-License-Identifier: Apache-2.0
#pragma once
// Scans: element i is the reduction of the elements up to i, or before it, along one axis.

#include "tenon/ops/reduction.hpp"

namespace tenon::ops {

// How node::bits says which elements count.
inline constexpr long long scan_excludes = 1, scan_reverses = 2;

// A monoid like those of reductions; finish makes the element of the state.
struct scan_op : basic_op<op_kind::scan, 1> {
  static constexpr dtype_rule rule = rules::accumulate;
  static constexpr int cost = 4;
  // Every element of a block of the axis is the reduction of the whole block.
  static constexpr bool is_blockwise = false;
};

// node::bits of a reduction by blocks, and back.
constexpr long long blocks_of(long long length) { return length << 2; }
template <long long Bits> inline constexpr int block_length = static_cast<int>(Bits >> 2);
inline constexpr int longest_block = 128;

// A scan along an axis of one element, which nothing has to go along.
template <class Scan, bool IsExclusive> struct scan_of_one : pointwise_op<1> {
  static constexpr text_view name = "scan_of_one";
  static constexpr dtype_rule rule = Scan::rule;
  static constexpr bool has_state = Scan::has_state;
  template <class T> using state = typename Scan::template state<T>;
  template <dtype D, class T> static constexpr TENON_HD auto eval_as(T x) {
    using number = arithmetic_t<D>;
    auto const scanned = [&] {
      if constexpr (IsExclusive)
        return Scan::template identity<number>();
      else if constexpr (std::is_class_v<T>)
        return Scan::lift(x);
      else
        return Scan::lift(static_cast<number>(x));
    }();
    if constexpr (has_state)
      return scanned;
    else
      return Scan::template finish<number>(scanned);
  }
};

// Sums and products of floats are kept in double, so that a long row is as exact as a short one.
struct wide_scan : scan_op {
  template <class T> using state = std::conditional_t<std::is_same_v<T, float>, double, T>;
  template <class T> static constexpr TENON_HD state<T> lift(T x) {
    return static_cast<state<T>>(x);
  }
  template <class T> static constexpr TENON_HD T finish(state<T> s) { return static_cast<T>(s); }
};

struct cumulative_sum : wide_scan {
  static constexpr text_view name = "cumsum";
  template <class T> static constexpr TENON_HD state<T> identity() { return 0; }
  template <class S> static constexpr TENON_HD S combine(S x, S y) { return add::eval(x, y); }
  template <class V> static constexpr V derivative(V d, V, V, auto along) { return along.template reversed<cumulative_sum>(d); }
};

struct cumulative_product : wide_scan {
  static constexpr text_view name = "cumprod";
  static constexpr bool is_differentiable = false;
  template <class T> static constexpr TENON_HD state<T> identity() { return 1; }
  template <class S> static constexpr TENON_HD S combine(S x, S y) { return mul::eval(x, y); }
};

struct plain_scan : scan_op {
  static constexpr dtype_rule rule = rules::same;
  template <class T> using state = T;
  template <class T> static constexpr TENON_HD T lift(T x) { return x; }
  template <class T> static constexpr TENON_HD T finish(T s) { return s; }
};

// NaN from the first NaN on.
struct cumulative_maximum : plain_scan {
  static constexpr text_view name = "cummax";
  static constexpr bool is_differentiable = false;
  template <class T> static constexpr TENON_HD T identity() { return math::smallest<T>; }
  template <class T> static constexpr TENON_HD T combine(T x, T y) { return math::maximum(x, y); }
};

struct cumulative_minimum : plain_scan {
  static constexpr text_view name = "cummin";
  static constexpr bool is_differentiable = false;
  template <class T> static constexpr TENON_HD T identity() { return math::largest<T>; }
  template <class T> static constexpr TENON_HD T combine(T x, T y) { return math::minimum(x, y); }
};

struct cumulative_log_sum_exp : scan_op {
  static constexpr text_view name = "logcumsumexp";
  static constexpr bool is_differentiable = false;
  static constexpr dtype_rule rule = rules::to_float;
  static constexpr int cost = 60;
  template <class T> using state = log_sum_exp::state<T>;
  template <class T> static constexpr TENON_HD log_sum_exp::state<T> identity() {
    return log_sum_exp::identity<T>();
  }
  template <class T> static constexpr TENON_HD log_sum_exp::state<T> lift(T x) {
    return log_sum_exp::lift(x);
  }
  template <class T>
  static TENON_HD log_sum_exp::state<T> combine(log_sum_exp::state<T> a, log_sum_exp::state<T> b) {
    return log_sum_exp::combine(a, b);
  }
  template <class T> static TENON_HD T finish(log_sum_exp::state<T> s) {
    return log_sum_exp_of::eval(s);
  }
};

struct block_total;
// Elements that are equally extreme in their block have equal shares.
template <class V> constexpr V shared_in_block(V d, V x, V y, auto along) {
  V const ones = of<where>(x == y, 1.0, 0.0);
  return when(x == y, along.template same<block_total>(d)) / along.template same<block_total>(ones);
}

// The reductions by blocks: all elements of a block have its result.
struct block_maximum : cumulative_maximum {
  static constexpr text_view name = "block_max";
  static constexpr bool is_differentiable = true;
  static constexpr bool is_blockwise = true;
  template <class V> static constexpr V derivative(V d, V x, V y, auto along) {
    return shared_in_block(d, x, y, along);
  }
};
struct block_minimum : cumulative_minimum {
  static constexpr text_view name = "block_min";
  static constexpr bool is_differentiable = true;
  static constexpr bool is_blockwise = true;
  template <class V> static constexpr V derivative(V d, V x, V y, auto along) {
    return shared_in_block(d, x, y, along);
  }
};
// At most 128 numbers are added in a tree: no double is needed.
struct block_total : plain_scan {
  static constexpr text_view name = "block_sum";
  static constexpr dtype_rule rule = rules::accumulate;
  static constexpr bool is_blockwise = true;
  template <class T> static constexpr TENON_HD T identity() { return T(0); }
  template <class T> static constexpr TENON_HD T combine(T x, T y) { return add::eval(x, y); }
  template <class V> static constexpr V derivative(V d, V, V, auto along) { return along.template same<block_total>(d); }
};

}  // namespace tenon::ops
