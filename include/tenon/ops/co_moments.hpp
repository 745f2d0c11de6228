// SPDX-License-Identifier: Apache-2.0
#pragma once
// A reduction of two operands: the moments of one beside its co-moment with the other. Programs
// have it where an expression sums products with deviations from a mean (schedule/early_sums.hpp).

#include "tenon/ops/moments.hpp"

namespace tenon::ops {

// Two elements at one place.
struct paired : pointwise_op<2> {
  static constexpr text_view name = "paired";
  static constexpr bool has_state = true;
  template <class T> struct state { T x, y; };
  template <class T> static constexpr TENON_HD state<T> eval(T x, T y) { return {x, y}; }
};

// Of pairs (x, y): the moments of x, the sum of y, and that of y * (x - mean of x). As with the
// squares, deviations are from something near the mean at every level, so that little cancels.
struct co_moments : gathering_reduction<co_moments> {
  static constexpr text_view name = "co_moments";
  static constexpr int cost = 10;
  template <class T> struct state : moments::state<T> { T total, product; };
  template <class T> static constexpr TENON_HD state<T> identity() {
    return {moments::identity<T>(), T(0), T(0)};
  }
  template <class T> static constexpr TENON_HD state<T> lift(paired::state<T> at) {
    return {moments::lift(at.x), at.y, T(0) * at.y};
  }
  template <class T> static constexpr TENON_HD state<T> combine(state<T> a, state<T> b) {
    if (b.n == 0) return a;
    if (a.n == 0) return b;
    moments::state<T> const both = moments::combine<T>(a, b);
    return {both, a.total + b.total,
            math::product_plus(a.mean - both.mean, a.total, a.product) +
                math::product_plus(b.mean - both.mean, b.total, b.product)};
  }
  template <class T, class Group>
  static TENON_HD state<T> combine_all(state<T> mine, Group const& group) {
    T deviation;
    moments::state<T> const all = moments::combine_all<T>(mine, group, deviation);
    T const total = group.sum(mine.total),
            product = group.sum(math::product_plus(deviation, mine.total, mine.product));
    if (all.n == 0) return mine;
    return {all, total, product};
  }
  template <class T> struct gathered : moments::gathered<T> {
    T totals[4] = {}, products[4] = {};

    static constexpr TENON_HD T number(paired::state<T> at) { return at.x; }
    constexpr TENON_HD void take(int i, paired::state<T> at, bool is_inside) {
      T const deviation = moments::gathered<T>::take(i, at.x, is_inside),
              y = is_inside ? at.y : T(0);
      totals[i % 4] += y;
      products[i % 4] = math::product_plus(deviation, y, products[i % 4]);
    }
    constexpr TENON_HD state<T> with_shift(T shift) const {
      moments::state<T> const of_x = moments::gathered<T>::with_shift(shift);
      T const total = (totals[0] + totals[1]) + (totals[2] + totals[3]);
      return {of_x, total,
              math::product_plus(-shift, total,
                                 (products[0] + products[1]) + (products[2] + products[3]))};
    }
    constexpr TENON_HD state<T> result() const { return with_shift(this->sum() / this->n); }
    constexpr TENON_HD state<T> result(T inverse) const {
      return with_shift(this->sum() * inverse);
    }
  };
  template <class T, int Lanes> struct lanes : moments::lanes<T, Lanes> {
    summed_lanes<T, Lanes> totals, products;

    constexpr void take(int lane, paired::state<T> at) {
      T const deviation = moments::lanes<T, Lanes>::take(lane, at.x);
      totals.terms[lane] += at.y;
      products.terms[lane] += deviation * at.y;
    }
    constexpr void raise() {
      moments::lanes<T, Lanes>::raise();
      totals.raise(), products.raise();
    }
    constexpr state<T> result(int used) {
      T apart[Lanes], shift, product[Lanes];
      moments::state<T> const of_x = moments::lanes<T, Lanes>::result(used, apart, shift);
      totals.raise(), products.raise();
      for (int l = 0; l < Lanes; ++l)
        product[l] = products.sums[l] + (apart[l] - shift) * totals.sums[l];
      return {of_x, lane_total(totals.sums), lane_total(product)};
    }
  };
};

struct total_of : projection_op {
  static constexpr text_view name = "total_of";
  template <class T> static constexpr TENON_HD T eval(co_moments::state<T> s) { return s.total; }
};
struct product_of : projection_op {
  static constexpr text_view name = "product_of";
  template <class T> static constexpr TENON_HD T eval(co_moments::state<T> s) {
    return s.product + 0 * s.mean;  // as of the squares
  }
};

}  // namespace tenon::ops
