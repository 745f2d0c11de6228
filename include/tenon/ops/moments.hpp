// SPDX-License-Identifier: Apache-2.0
#pragma once
// Mean and sum of squared deviations in one pass.

#include "tenon/ops/reduction.hpp"

namespace tenon::ops {

// Of a number of elements; its error is one of what the means do not have in common.
inline TENON_HD float inverse_count(float n) { return math::approximate::reciprocal(n); }
inline TENON_HD double inverse_count(double n) { return 1 / n; }

// A reduction of deviations from a mean. Op::gathered<T> takes in elements by their deviations from
// something near it, which the first elements say.
template <class Op> struct gathering_reduction : state_reduction {
  // Takes in the first `valid` of Count neighbours, which are not none.
  template <class Gathered, class Element, int Count>
  static constexpr TENON_HD void gather(Gathered& all, Element const (&x)[Count], int valid) {
    if (valid >= Count)
      take<0>(all, x, valid);
    else
      take<1>(all, x, valid);
  }
  // The same without a way of its own for all of them.
  template <class Gathered, class Element, int Count>
  static constexpr TENON_HD void gather_some(Gathered& all, Element const (&x)[Count], int valid) {
    take<1>(all, x, valid);
  }
  // All elements at once, or the first `valid`, which are a multiple of Step: one question for so
  // many.
  template <class Element, int Count>
  static constexpr TENON_HD auto lift_all(Element const (&x)[Count]) {
    typename Op::template gathered<decltype(Op::lift(x[0]).n)> all;
    take<0>(all, x, Count);
    return all.result();
  }
  template <int Step, class Element, int Count>
  static constexpr TENON_HD auto lift_some(Element const (&x)[Count], int valid) {
    using T = decltype(Op::lift(x[0]).n);
    typename Op::template gathered<T> all;
    if (valid == 0) return decltype(Op::lift(x[0])){};
    take<Step>(all, x, valid);
    return all.result(inverse_count(all.n));
  }
  template <class Element, int Count>
  static constexpr TENON_HD auto lift_many(Element const (&x)[Count], int valid) {
    return valid >= Count ? lift_all(x) : lift_some<1>(x, valid);  // a known number in the first
  }

 private:
  template <int Step, class Gathered, class Element, int Count>
  static constexpr TENON_HD void take(Gathered& all, Element const (&x)[Count], int valid) {
    using T = decltype(all.n);
    if (all.n == 0) {
      all.centre = all.number(x[0]);
      if constexpr (Count >= 4) {
        T quarter = T(0.25);  // before they are added, so that the sum does not overflow
        if (Step == 0 || Step >= 4 || valid >= 4)
          all.centre = math::product_plus(all.number(x[1]), quarter,
                                          math::rounded_product(all.number(x[0]), quarter)) +
                       math::product_plus(all.number(x[3]), quarter,
                                          math::rounded_product(all.number(x[2]), quarter));
      }
    }
    // Of a short row most is not there: one question for sixteen. H200, layer norm of 2^20 x 16
    // bf16 45 us instead of 50; for eight 43, but then rows of bf16 of any layout spill eight
    // bytes. Where eight are there or not, they are asked for by themselves, and none is chosen:
    // layer norm of 200704 x 192 bf16 43.1 us instead of 46.4, of 33451 x 1152 57.3 (61.5).
    constexpr int part = Step == 0 || Count < 16 ? Count : Step == 8 ? 8 : 16;
    for (int first = 0; first < Count; first += part)
      if (Step == 0 || first == 0 || first < valid)
        for (int i = first; i < first + part && i < Count; ++i)
          all.take(i, x[i], is_first<Step>(i, valid));
    all.n += Step == 0 ? T(Count) : T(valid);
  }
};

// A sum in each of several lanes, in two levels: few terms, and what such sums come to.
template <class T, int Lanes> struct summed_lanes {
  T terms[Lanes] = {}, sums[Lanes] = {};
  constexpr void raise() {
    for (int l = 0; l < Lanes; ++l) sums[l] += terms[l], terms[l] = 0;
  }
};

// Count, mean and sum of squared deviations. An infinite element makes the mean NaN, as it does the
// variance.
struct moments : gathering_reduction<moments> {
  static constexpr text_view name = "moments";
  static constexpr int cost = 8;
  template <class T> struct state { T n, mean, m2; };
  template <class T> static constexpr TENON_HD state<T> identity() { return {T(0), T(0), T(0)}; }
  template <class T> static constexpr TENON_HD state<T> lift(T x) { return {T(1), x, T(0)}; }
  // Chan's merge. An empty side returns the other unchanged, because a difference to its mean of 0
  // may overflow.
  template <class T> static constexpr TENON_HD state<T> combine(state<T> a, state<T> b) {
    if (b.n == 0) return a;
    if (a.n == 0) return b;
    T n = a.n + b.n;
    T weight = T(0.5);
    if (a.n != b.n) weight = b.n / n;  // a division that most merges need not make
    T difference = b.mean - a.mean;
    return {n, math::product_plus(difference, weight, a.mean),
            math::product_plus(difference * difference, a.n * weight, a.m2 + b.m2)};
  }
  // The states of a group of lanes at once, by sums over the group: a third of the instructions of
  // merging in pairs. Differences to the first lane's mean keep what the means have in common out
  // of the sums. deviation: of this lane's mean from that of the group.
  template <class T, class Group>
  static TENON_HD state<T> combine_all(state<T> mine, Group const& group, T& deviation) {
    T n = group.sum(mine.n), shift = group.first(mine.mean);
    T offset = mine.mean - shift, weighted = group.sum(math::rounded_product(mine.n, offset));
    T mean = math::rounded_product(weighted, inverse_count(n));
    deviation = offset - mean;
    T m2 = group.sum(math::product_plus(mine.n * deviation, deviation, mine.m2));
    // Only now: groups of one warp may differ in it, and all lanes take part in every sum.
    if (n == 0) return mine;
    return {n, shift + mean, m2};
  }
  template <class T, class Group>
  static TENON_HD state<T> combine_all(state<T> mine, Group const& group) {
    T deviation;
    return combine_all(mine, group, deviation);
  }
  // The same of two states of each lane, which are those of lanes in a group of twice as many.
  static constexpr bool combines_pairs = true;
  template <class T, class Group>
  static TENON_HD state<T> combine_all(state<T> const (&mine)[2], Group const& group) {
    T const counts[] = {mine[0].n, mine[1].n};
    T n = group.sum(counts), shift = group.first(mine[0].mean);
    T const offsets[] = {mine[0].mean - shift, mine[1].mean - shift};
    T const parts[] = {math::rounded_product(mine[0].n, offsets[0]),
                       math::rounded_product(mine[1].n, offsets[1])};
    T mean = math::rounded_product(group.sum(parts), inverse_count(n));
    T squares[2];
    for (int i = 0; i < 2; ++i) {
      T const deviation = offsets[i] - mean;
      squares[i] = math::product_plus(mine[i].n * deviation, deviation, mine[i].m2);
    }
    T m2 = group.sum(squares);
    if (n == 0) return mine[0];
    return {n, shift + mean, m2};
  }
  // Welford's update. n is exact to 2^24 elements in float: a longer row is the merge of several
  // states.
  template <class T> static constexpr TENON_HD state<T> accumulate(state<T> s, T x) {
    T n = s.n + 1;
    T difference = x - s.mean;
    T mean = s.mean + difference / n;
    return {n, mean, math::product_plus(difference, x - mean, s.m2)};
  }
  // Elements that are taken in by their deviations from a centre that is the mean of the first
  // four: their squares then exceed the result by a factor of at most 1 + n / 4, typically 1 + 1 /
  // 4, so that subtracting the rest cancels little. Equal elements are exact.
  // Lanes: of sums, so that an addition need not wait for the last one.
  template <class T, int Lanes = 4> struct gathered {
    T n = 0, centre = 0, sums[Lanes] = {}, squares[Lanes] = {};

    static constexpr TENON_HD T number(T x) { return x; }
    // -> its deviation. i: which of some neighbours
    constexpr TENON_HD T take(int i, T x, bool is_inside) {
      T const deviation = is_inside ? x - centre : T(0);
      sums[i % Lanes] += deviation;
      squares[i % Lanes] = math::product_plus(deviation, deviation, squares[i % Lanes]);
      return deviation;
    }
    static constexpr TENON_HD T total(T const (&all)[Lanes]) {
      static_assert(Lanes == 2 || Lanes == 4);
      if constexpr (Lanes == 2)
        return all[0] + all[1];
      else
        return (all[0] + all[1]) + (all[2] + all[3]);
    }
    constexpr TENON_HD T sum() const { return total(sums); }
    // shift: of the mean from the centre
    constexpr TENON_HD state<T> with_shift(T shift) const {
      T const m2 = math::product_plus(-sum(), shift, total(squares));
      return {n, centre + shift, m2 < 0 ? T(0) : m2};
    }
    constexpr TENON_HD state<T> result() const { return with_shift(sum() / n); }
    // The same by 1 / n.
    constexpr TENON_HD state<T> result(T inverse) const { return with_shift(sum() * inverse); }
  };
  // Lanes that take in elements side by side, each by its deviations from its first one: no
  // division for an element. What a lane has is in arrays, for a loop over them to be vector code.
  template <class T, int Lanes> struct lanes {
    T counts[Lanes] = {}, centres[Lanes] = {};
    summed_lanes<T, Lanes> deviations, squares;

    // -> the deviation
    constexpr T take(int lane, T x) {
      T const centre = counts[lane] == 0 ? x : centres[lane], deviation = x - centre;
      centres[lane] = centre, counts[lane] += 1;
      deviations.terms[lane] += deviation;
      squares.terms[lane] += deviation * deviation;
      return deviation;
    }
    constexpr void raise() { deviations.raise(), squares.raise(); }
    // Of the first `used` lanes.
    constexpr state<T> result(int used) {
      T apart[Lanes], shift;
      return result(used, apart, shift);
    }
    // apart: of a lane's centre from the mean of all centres; shift: of the mean from that. One
    // lane's first element may be far from all others: of the squares of deviations from it nothing
    // might be left, of those from the mean of the centres is.
    constexpr state<T> result(int used, T (&apart)[Lanes], T& shift) {
      raise();
      T sums[Lanes], parts[Lanes];
      for (int l = 0; l < Lanes; ++l) apart[l] = l < used ? centres[l] - centres[0] : T(0);
      T const from_first = lane_total(apart) / static_cast<T>(used);
      for (int l = 0; l < Lanes; ++l) {
        apart[l] = l < used ? apart[l] - from_first : T(0);
        sums[l] = deviations.sums[l] + counts[l] * apart[l];
        parts[l] = squares.sums[l] + apart[l] * (deviations.sums[l] + sums[l]);
      }
      T const n = lane_total(counts), sum = lane_total(sums);
      shift = sum / n;
      T const m2 = lane_total(parts) - sum * shift;
      return {n, centres[0] + (from_first + shift), m2 < 0 ? T(0) : m2};
    }
  };
};

// The mean of nothing is NaN.
struct mean_of : projection_op {
  static constexpr text_view name = "mean_of";
  template <class T> static constexpr TENON_HD T eval(moments::state<T> s) {
    return s.n == 0 ? math::nan<T> : s.mean;
  }
  template <class V> static constexpr V derivative(V d, V, V, auto over) {
    return d / over.count();
  }
};

struct m2_of : projection_op {
  static constexpr text_view name = "m2_of";
  template <class T> static constexpr TENON_HD T eval(moments::state<T> s) {
    return s.m2 +
           0 * s.mean;  // the state of a single NaN or infinity has m2 = 0, its deviation is NaN
  }
  template <class V> static constexpr V derivative(V d, V x, V, auto over) {
    return (2.0 * d) * (x - over.template member<mean_of>());
  }
};

}  // namespace tenon::ops
