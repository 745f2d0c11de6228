// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reductions: monoids over the reduced elements. lift makes a state of one element, combine merges
// two neighbouring states, identity is the state of no element.

#include "tenon/ops/arithmetic.hpp"

namespace tenon::ops {

// A reduction whose state is one number, which its own `lift` makes of an element.
struct lifted_reduction : reduction_op<> {
  template <class T> using state = T;
  static constexpr bool has_state = false;
};

// A reduction whose state is one number and whose elements are such states: reducing results of it
// again is reducing everything at once.
struct number_reduction : lifted_reduction {
  static constexpr bool merges_with_itself = true;
  template <class T> static constexpr TENON_HD T lift(T x) { return x; }
};

struct sum : number_reduction {
  static constexpr text_view name = "sum";
  static constexpr dtype_rule rule = rules::accumulate;
  template <class T> static constexpr TENON_HD T identity() { return T(0); }
  template <class T> static constexpr TENON_HD T combine(T x, T y) { return add::eval(x, y); }
  // What rounding took away from a sum of x and y, exactly; 0 where the sum is infinite or NaN.
  template <class T> static constexpr TENON_HD T rest(T x, T y, T sum) {
    T const added = sum - x, rest = (x - (sum - added)) + (y - added);
    return rest == rest ? rest : T(0);
  }
  template <class V> static constexpr V derivative(V d, V, V, auto) { return d; }
};

// A reduction that rounds with every combination and can tell what was lost: a long chain of
// combinations hands it on, so that its error does not grow with its length.
template <class Op, class State>
concept rounded_reduction = std::is_floating_point_v<State> && requires(State s) {
  Op::rest(s, s, s);
};

struct product : number_reduction {
  static constexpr text_view name = "product";
  static constexpr dtype_rule rule = rules::accumulate;
  template <class T> static constexpr TENON_HD T identity() { return T(1); }
  template <class T> static constexpr TENON_HD T combine(T x, T y) { return mul::eval(x, y); }
  template <class V> static constexpr V derivative(V d, V x, V y, auto over) {
    V const zeros = over.template total<sum>(of<where>(x == 0.0, 1.0, 0.0));
    V const others = over.template total<product>(of<where>(x == 0.0, 1.0, x));
    V const beside_a_zero = when(x == 0.0 && zeros == 1.0, d * others);
    return of<where>(zeros == 0.0, d * (y / x), beside_a_zero);
  }
};

// A reduction that chooses an element: of nothing there is no result.
struct choice_reduction : number_reduction {
  static constexpr bool is_defined_on_empty = false;
  // Elements that are equally extreme have equal shares.
  template <class V> static constexpr V shared_among_equals(V d, V x, V y, auto over) {
    return when(x == y, d) / over.template total<sum>(of<where>(x == y, 1.0, 0.0));
  }
};

// The extreme floats of lanes that take in elements side by side, as integers in the order of the
// floats, where NaN is beyond everything: one instruction waits for the one before it, not five.
template <bool IsMaximum, int Lanes> struct extremum_lanes {
  int extremes[Lanes];

  constexpr extremum_lanes() {
    for (int& each : extremes)
      each = in_order(IsMaximum ? -math::infinity<float> : math::infinity<float>);
  }
  constexpr void take(int lane, float x) {
    extremes[lane] = more_extreme(extremes[lane], in_order(x));
  }
  constexpr void raise() {}
  constexpr float result(int used) const {
    int all = extremes[0];
    for (int lane = 1; lane < used; ++lane) all = more_extreme(all, extremes[lane]);
    return __builtin_bit_cast(float, all ^ (all >> 31 & 0x7fffffff));
  }

 private:
  static constexpr int more_extreme(int x, int y) { return (IsMaximum ? x > y : x < y) ? x : y; }
  static constexpr int in_order(float x) {
    int const bits = __builtin_bit_cast(int, x), magnitude = bits & 0x7fffffff;
    int const is_nan = -static_cast<int>(magnitude > 0x7f800000);
    int const beyond = IsMaximum ? 0x7fffffff : static_cast<int>(0x80000000);
    return ((bits ^ (bits >> 31 & 0x7fffffff)) & ~is_nan) | (beyond & is_nan);
  }
};

// NaN if any element is NaN. The identity is -inf, or the lowest integer.
struct maximum_of : choice_reduction {
  static constexpr text_view name = "max";
  template <class T> static constexpr TENON_HD T identity() { return math::smallest<T>; }
  template <class T> static constexpr TENON_HD T combine(T x, T y) { return math::maximum(x, y); }
  template <class T, int Lanes>
  requires std::is_same_v<T, float>
  using lanes = extremum_lanes<true, Lanes>;
  template <class V> static constexpr V derivative(V d, V x, V y, auto over) {
    return shared_among_equals(d, x, y, over);
  }
};

// NaN if any element is NaN. The identity is +inf, or the largest integer.
struct minimum_of : choice_reduction {
  static constexpr text_view name = "min";
  template <class T> static constexpr TENON_HD T identity() { return math::largest<T>; }
  template <class T> static constexpr TENON_HD T combine(T x, T y) { return math::minimum(x, y); }
  template <class T, int Lanes>
  requires std::is_same_v<T, float>
  using lanes = extremum_lanes<false, Lanes>;
  template <class V> static constexpr V derivative(V d, V x, V y, auto over) {
    return shared_among_equals(d, x, y, over);
  }
};

struct any_of : number_reduction {
  static constexpr text_view name = "any";
  static constexpr dtype_rule rule = rules::logical;
  template <class T> static constexpr TENON_HD T identity() { return T(false); }
  template <class T> static constexpr TENON_HD T combine(T x, T y) { return x || y; }
};

struct all_of : number_reduction {
  static constexpr text_view name = "all";
  static constexpr dtype_rule rule = rules::logical;
  template <class T> static constexpr TENON_HD T identity() { return T(true); }
  template <class T> static constexpr TENON_HD T combine(T x, T y) { return x && y; }
};

// A reduction whose state is a struct of T, which only projections read.
struct state_reduction : reduction_op<> {
  static constexpr dtype_rule rule = rules::to_float;
  static constexpr bool has_state = true;

 protected:
  // Whether element i is of the first `valid`, which are a multiple of Step; 0: of all there are.
  template <int Step> static constexpr TENON_HD bool is_first(int i, [[maybe_unused]] int valid) {
    if constexpr (Step == 0)
      return true;
    else
      return i - i % Step < valid;
  }
};

// The sum of a power of two of lanes, by a tree.
template <class T, int Lanes> constexpr T lane_total(T const (&lanes)[Lanes]) {
  T sums[Lanes];
  for (int l = 0; l < Lanes; ++l) sums[l] = lanes[l];
  for (int half = Lanes / 2; half > 0; half /= 2)
    for (int l = 0; l < half; ++l) sums[l] += sums[l + half];
  return sums[0];
}

// A reduction whose state takes in many elements at once: Op::take_many.
template <class Op> struct taking_reduction : state_reduction {
  template <int Step, class T, int Count>
  static TENON_HD auto lift_some(T const (&x)[Count], int valid) {
    auto all = Op::template identity<T>();
    Op::template take_many<Step>(all, x, valid);
    return all;
  }
  template <class T, int Count> static TENON_HD auto lift_all(T const (&x)[Count]) {
    return lift_some<0>(x, Count);
  }
  template <class T, int Count> static TENON_HD auto lift_many(T const (&x)[Count], int valid) {
    return valid >= Count ? lift_all(x) : lift_some<1>(x, valid);
  }
};

// log of the sum of exponentials, as the largest element m and the sum s of exp(x - m).
struct log_sum_exp : taking_reduction<log_sum_exp> {
  static constexpr text_view name = "log_sum_exp";
  static constexpr int cost = 16;
  template <class T> struct state { T m, s; };
  template <class T> static constexpr TENON_HD state<T> identity() {
    return {-math::infinity<T>, T(0)};
  }
  template <class T> static constexpr TENON_HD state<T> lift(T x) { return {x, T(1)}; }
  // Equal maxima need no scaling, and infinite ones must not be subtracted: inf - inf would invent
  // NaN.
  template <class T> static TENON_HD state<T> combine(state<T> a, state<T> b) {
    T scale = exp_of_part(math::zero_if(a.m == b.m, -math::abs(a.m - b.m)));
    bool a_is_larger = a.m > b.m;
    return {math::maximum(a.m, b.m),
            math::product_plus(a.s, a_is_larger ? T(1) : scale,
                               math::rounded_product(b.s, a_is_larger ? scale : T(1)))};
  }
  // The states of a group of lanes at once: one exponential each, instead of one for every pair.
  template <class T, class Group>
  static TENON_HD state<T> combine_all(state<T> mine, Group const& group) {
    T const m = group.largest(mine.m);
    T const scale = exp_of_part(math::zero_if(mine.m == m, -math::abs(mine.m - m)));
    return {m, group.sum(math::rounded_product(mine.s, scale))};
  }
  // Takes in all elements at once (Step 0), or the first `valid`, which are a multiple of Step: one
  // exponential each, and one maximum and one more exponential for all. What is left of an infinite
  // maximum is an infinite or empty sum, whose logarithm is right. H200, cross entropy of bf16
  // against a state of the elements alone that is combined afterwards, with a vote on whether they
  // are all inside: 8192 x 32768 131.6 us (137.6), 65536 x 1024 50.7 (55.6).
  template <int Step, class T, int Count>
  static TENON_HD void take_many(state<T>& all, T const (&x)[Count], int valid) {
    T largest = all.m, sums[4] = {};
    for (int i = 0; i < Count; ++i)
      if (is_first<Step>(i, valid)) largest = math::maximum(largest, x[i]);
    T const shift = math::abs(largest) < math::infinity<T> ? largest : T(0);
    for (int i = 0; i < Count; ++i) {
      T const part = is_first<Step>(i, valid) ? exp_of_part(x[i] - shift) : T(0);
      sums[i % 4] = i < 4 ? part : sums[i % 4] + part;
    }
    all = {largest, math::product_plus(all.s, exp_of_part(all.m - shift),
                                       (sums[0] + sums[1]) + (sums[2] + sums[3]))};
  }
  // Lanes that take in elements side by side, what they have in arrays.
  template <class T, int Lanes> struct lanes {
    T largest[Lanes], sums[Lanes] = {};

    lanes() {
      for (T& each : largest) each = -math::infinity<T>;
    }
    void take(int lane, T x) {
      state<T> const both = combine<T>({largest[lane], sums[lane]}, lift(x));
      largest[lane] = both.m, sums[lane] = both.s;
    }
    void raise() {}
    state<T> result(int used) const {
      T m = largest[0], scaled[Lanes] = {};
      for (int l = 1; l < used; ++l) m = math::maximum(m, largest[l]);
      for (int l = 0; l < used; ++l)
        scaled[l] =
            sums[l] * exp_of_part(math::zero_if(largest[l] == m, -math::abs(largest[l] - m)));
      return {m, lane_total(scaled)};
    }
  };

  // One instruction beside the product: its relative error, 2^-22, is less than what is promised of
  // a sum, and the rounding of the exponent is largest where the term is small.
  static TENON_HD float exp_of_part(float x) { return math::approximate::exp2(x * 1.44269504f); }
  static TENON_HD double exp_of_part(double x) { return math::exp(x); }
};

struct log_sum_exp_of : projection_op {
  static constexpr text_view name = "log_sum_exp_of";
  static constexpr int cost = 26;
  template <class T> static TENON_HD T eval(log_sum_exp::state<T> s) {
    return s.m + math::log(s.s);
  }
  template <class V> static constexpr V derivative(V d, V x, V y, auto) {
    return d * of<exp>(x - y);
  }
};

struct max_part : projection_op {
  static constexpr text_view name = "max_part";
  // What is made of both parts does not depend on which shift they have in common.
  static constexpr bool is_locally_constant = true;
  template <class T> static constexpr TENON_HD T eval(log_sum_exp::state<T> s) { return s.m; }
};

struct sum_part : projection_op {
  static constexpr text_view name = "sum_part";
  template <class T> static constexpr TENON_HD T eval(log_sum_exp::state<T> s) {
    return s.m == s.m ? s.s : s.m;  // the state of a single NaN has s = 1
  }
  template <class V> static constexpr V derivative(V d, V x, V, auto over) {
    return d * of<exp>(x - over.template member<max_part>());
  }
};

// The sum of exp(x - m), as if each had been found after m: of an infinite m it is NaN.
struct shifted_sum_part : projection_op {
  static constexpr text_view name = "shifted_sum_part";
  template <class T> static constexpr TENON_HD T eval(log_sum_exp::state<T> s) {
    return s.s + (s.m - s.m);
  }
};

}  // namespace tenon::ops
