// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reductions that say where the element is that they choose: argmax and argmin.

#include "tenon/ops/comparison.hpp"
#include "tenon/ops/reduction.hpp"

namespace tenon {
namespace rules {
constexpr dtype index_operand(dtype d, int position) { return position == 0 ? dtype::i64 : d; }
inline constexpr dtype_rule indexed{index_operand, keep, 1};  // (position, element)
}  // namespace rules

namespace ops {

// An element with its position: the state of the reductions below.
struct indexed : pointwise_op<2> {
  static constexpr text_view name = "indexed";
  static constexpr dtype_rule rule = rules::indexed;
  static constexpr bool has_state = true;
  template <class T> struct state {
    T number;
    long long index;
  };
  template <class T> static constexpr TENON_HD state<T> eval(long long index, T value) {
    return {value, index};
  }
};

// Of equal elements the one with the lowest position is chosen, whatever the order in which they
// are combined, and NaN before any number.
struct indexed_choice : reduction_op<> {
  static constexpr bool has_state = true;
  static constexpr bool merges_with_itself = true;
  static constexpr bool is_defined_on_empty = false;
  static constexpr int cost = 4;
  static constexpr long long no_index = math::largest<long long>;
  template <class T> using state = indexed::state<T>;
  template <class T> static constexpr TENON_HD indexed::state<T> lift(indexed::state<T> s) {
    return s;
  }
  template <class T>
  static constexpr TENON_HD indexed::state<T> choose(indexed::state<T> a, indexed::state<T> b,
                                                     bool b_is_better) {
    bool a_is_nan = a.number != a.number, b_is_nan = b.number != b.number;
    bool is_tie = a_is_nan ? b_is_nan : a.number == b.number;
    bool takes_b = is_tie ? b.index < a.index : b_is_nan || (b_is_better && !a_is_nan);
    return {takes_b ? b.number : a.number, takes_b ? b.index : a.index};
  }
  // The first `valid` of Count elements at once: which number, NaN if any of them is, then where it
  // is.
  template <class Extremum, class T, int Count>
  static constexpr TENON_HD indexed::state<T> lift_by(indexed::state<T> const (&x)[Count],
                                                      int valid, T best) {
    for (int i = 0; i < Count; ++i) best = i < valid ? Extremum::eval(best, x[i].number) : best;
    indexed::state<T> result{best, no_index};
    for (int i = 0; i < Count; ++i) {
      bool const is_best = x[i].number == best || x[i].number != x[i].number;
      if (i < valid && is_best && x[i].index < result.index) result = x[i];
    }
    return result;
  }
  // The states of a group of lanes at once, of whose numbers `best` is the best: the lowest
  // position that has it, instead of a choice for every pair.
  template <class T, class Group>
  static TENON_HD indexed::state<T> first_of_group(indexed::state<T> mine, T best,
                                                   Group const& group) {
    bool const is_best = mine.number == best || mine.number != mine.number;  // NaN is the best
    long long const index = group.smallest(is_best ? mine.index : no_index);
    return {group.of(mine.number, is_best && mine.index == index), index};
  }
};

// Lanes of such a reduction, what they have in arrays.
template <class Op, class T, int Lanes> struct choice_lanes {
  T numbers[Lanes];
  long long indices[Lanes];

  constexpr choice_lanes() {
    for (int l = 0; l < Lanes; ++l)
      numbers[l] = Op::template identity<T>().number, indices[l] = indexed_choice::no_index;
  }
  // As combine, without a branch.
  constexpr void take(int lane, indexed::state<T> x) {
    T const best = numbers[lane];
    int const is_nan = x.number != x.number, was_nan = best != best;
    int const is_tie = (x.number == best) | (is_nan & was_nan);
    int const is_better = (Op::is_better(x.number, best) | is_nan) & (was_nan ^ 1);
    bool const takes = (is_better | (is_tie & (x.index < indices[lane]))) != 0;
    numbers[lane] = takes ? x.number : best;
    indices[lane] = takes ? x.index : indices[lane];
  }
  constexpr void raise() {}
  constexpr indexed::state<T> result(int used) const {
    indexed::state<T> all{numbers[0], indices[0]};
    for (int l = 1; l < used; ++l) all = Op::template combine<T>(all, {numbers[l], indices[l]});
    return all;
  }
};

template <bool IsMaximum> struct arg_extremum : indexed_choice {
  using extremum = std::conditional_t<IsMaximum, maximum, minimum>;
  template <class T> static constexpr T none = IsMaximum ? math::smallest<T> : math::largest<T>;

  template <class T> static constexpr TENON_HD bool is_better(T a, T b) {
    return IsMaximum ? b < a : a < b;
  }
  template <class T> static constexpr TENON_HD T better(T a, T b) { return extremum::eval(a, b); }
  template <class T> static constexpr TENON_HD indexed::state<T> identity() {
    return {none<T>, no_index};
  }
  template <class T>
  static constexpr TENON_HD indexed::state<T> combine(indexed::state<T> a, indexed::state<T> b) {
    return choose(a, b, is_better(b.number, a.number));
  }
  template <class T, int Count>
  static constexpr TENON_HD indexed::state<T> lift_many(indexed::state<T> const (&x)[Count],
                                                        int valid) {
    return lift_by<extremum>(x, valid, none<T>);
  }
  template <class T, int Lanes> using lanes = choice_lanes<arg_extremum, T, Lanes>;
  template <class T, class Group>
  static TENON_HD indexed::state<T> combine_all(indexed::state<T> mine, Group const& group) {
    if constexpr (IsMaximum)
      return first_of_group(mine, group.largest(mine.number), group);
    else
      return first_of_group(mine, group.smallest(mine.number), group);
  }
};
struct arg_maximum : arg_extremum<true> {
  static constexpr text_view name = "argmax";
};
struct arg_minimum : arg_extremum<false> {
  static constexpr text_view name = "argmin";
};

struct chosen_index;
struct chosen_value : projection_op {
  static constexpr text_view name = "chosen_value";
  template <class T> static constexpr TENON_HD T eval(indexed::state<T> s) { return s.number; }
  template <class V> static constexpr V derivative(V d, V, V, auto over) {
    return when(over.position() == over.template member<chosen_index>(), d);
  }
};
struct chosen_index : projection_op {
  static constexpr text_view name = "chosen_index";
  static constexpr bool is_index = true;
  template <class T> static constexpr TENON_HD long long eval(indexed::state<T> s) {
    return s.index;
  }
};

}  // namespace ops
}  // namespace tenon
