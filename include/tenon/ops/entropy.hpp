// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the entropy of a softmax is made of, in one pass: beside the state of log_sum_exp the sum of
// each exponential times its logarithm.

#include "tenon/ops/reduction.hpp"

namespace tenon::ops {

// The largest element m, the sum s of exp(x - m), and the sum t of (x - m) exp(x - m), in which
// -inf is NaN, as 0 * log(0) is.
struct sum_of_logarithms : taking_reduction<sum_of_logarithms> {
  static constexpr text_view name = "sum_of_logarithms";
  static constexpr int cost = 18;
  template <class T> struct state : log_sum_exp::state<T> { T t; };
  template <class T> static constexpr TENON_HD state<T> identity() {
    return {log_sum_exp::identity<T>(), T(0)};
  }
  template <class T> static constexpr TENON_HD state<T> lift(T x) {
    return {log_sum_exp::lift(x), T(0)};
  }
  template <class T> static TENON_HD state<T> combine(state<T> a, state<T> b) {
    // The state of no element has nothing to be moved.
    T const distance = math::zero_if(a.m == b.m || a.s == 0 || b.s == 0, -math::abs(a.m - b.m));
    T const scale = log_sum_exp::exp_of_part(distance);
    bool const a_is_larger = a.m > b.m;
    T const of_a = a_is_larger ? T(1) : scale, of_b = a_is_larger ? scale : T(1);
    T const t_of_a = math::product_plus(a.s, a_is_larger ? T(0) : distance, a.t);
    T const t_of_b = math::product_plus(b.s, a_is_larger ? distance : T(0), b.t);
    return {
        {math::maximum(a.m, b.m), math::product_plus(a.s, of_a, math::rounded_product(b.s, of_b))},
        math::product_plus(t_of_a, of_a, math::rounded_product(t_of_b, of_b))};
  }
  // The states of a group of lanes at once.
  template <class T, class Group>
  static TENON_HD state<T> combine_all(state<T> mine, Group const& group) {
    T const m = group.largest(mine.m);
    T const distance = math::zero_if(mine.m == m || mine.s == 0, -math::abs(mine.m - m));
    T const scale = log_sum_exp::exp_of_part(distance);
    return {{m, group.sum(math::rounded_product(mine.s, scale))},
            group.sum(math::rounded_product(math::product_plus(mine.s, distance, mine.t), scale))};
  }
  // As of log_sum_exp: one exponential for each element, and one more for all.
  template <int Step, class T, int Count>
  static TENON_HD void take_many(state<T>& all, T const (&x)[Count], int valid) {
    T largest = all.m, sums[4] = {}, terms[4] = {};
    for (int i = 0; i < Count; ++i)
      if (is_first<Step>(i, valid)) largest = math::maximum(largest, x[i]);
    T const shift = math::abs(largest) < math::infinity<T> ? largest : T(0);
    for (int i = 0; i < Count; ++i) {
      bool const is_taken = is_first<Step>(i, valid);
      T const distance = is_taken ? x[i] - shift : T(0);
      T const part = is_taken ? log_sum_exp::exp_of_part(distance) : T(0);
      sums[i % 4] = i < 4 ? part : sums[i % 4] + part;
      terms[i % 4] = i < 4 ? math::rounded_product(part, distance)
                           : math::product_plus(part, distance, terms[i % 4]);
    }
    T const moved = math::zero_if(all.s == 0, all.m - shift);
    T const scale = log_sum_exp::exp_of_part(moved);
    all = {{largest, math::product_plus(all.s, scale, (sums[0] + sums[1]) + (sums[2] + sums[3]))},
           math::product_plus(math::product_plus(all.s, moved, all.t), scale,
                              (terms[0] + terms[1]) + (terms[2] + terms[3]))};
  }
  // Lanes that take in elements side by side, what they have in arrays.
  template <class T, int Lanes> struct lanes {
    T largest[Lanes], sums[Lanes] = {}, terms[Lanes] = {};

    lanes() {
      for (T& each : largest) each = -math::infinity<T>;
    }
    state<T> of(int lane) const { return {{largest[lane], sums[lane]}, terms[lane]}; }
    void take(int lane, T x) {
      state<T> const both = combine<T>(of(lane), lift(x));
      largest[lane] = both.m, sums[lane] = both.s, terms[lane] = both.t;
    }
    void raise() {}
    state<T> result(int used) const {
      state<T> all[Lanes];
      for (int l = 0; l < Lanes; ++l) all[l] = l < used ? of(l) : identity<T>();
      for (int half = Lanes / 2; half > 0; half /= 2)
        for (int l = 0; l < half; ++l) all[l] = combine<T>(all[l], all[l + half]);
      return all[0];
    }
  };
};

// The mean logarithm of a share, which is the sum of p log(p), p = exp(x - m) / s: the entropy,
// negated. Two terms of one sign. Of an infinite m it is NaN, as the shares are.
struct mean_logarithm_of : projection_op {
  static constexpr text_view name = "mean_logarithm_of";
  static constexpr int cost = 36;
  template <class T> static TENON_HD T eval(sum_of_logarithms::state<T> s) {
    return s.t / s.s - math::log(s.s) + (s.m - s.m);
  }
};

}  // namespace tenon::ops
