// SPDX-License-Identifier: Apache-2.0
#pragma once
// Every compile-time check of an expression and its message; each has a row in docs/errors.md and a test.
//
// Messages are literals in static_assert because that is the one way C++20 shows a sentence in the first error line.
// A failed check makes the operation return `refused`, which later operations pass on silently.

#include "tenon/capture/value.hpp"

namespace tenon::detail {

template <class A, class B>
struct broadcast_of {
  static constexpr type_shape a = A::extents, b = B::extents;
  static constexpr int rank = a.size() > b.size() ? a.size() : b.size();
  // Extent of axis -k, or 1 where there is none.
  static constexpr extent from_last(type_shape const& s, int k) { return k <= s.size() ? s[s.size() - k] : extent(1); }
  static constexpr bool fits(int k) { return are_compatible(from_last(a, k), from_last(b, k)); }
  static constexpr bool is_valid = fits(1) && fits(2) && fits(3) && fits(4) && fits(5) && fits(6) && fits(7) && fits(8);
  static constexpr type_shape compute() {
    type_shape result;
    for (int k = rank; k >= 1; --k) result.push_back(broadcast_extent(from_last(a, k), from_last(b, k)));
    return result;
  }
  static constexpr type_shape extents = compute();
};

template <class T>
struct shape_of {
  static constexpr type_shape extents = extents_of<T>();
};
template <class... A>
struct broadcast_all;
template <class A>
struct broadcast_all<A> : A {
  static constexpr bool is_valid = true;
};
template <class A, class B, class... Rest>
struct broadcast_all<A, B, Rest...> : broadcast_all<broadcast_of<A, B>, Rest...> {
  static constexpr bool is_valid = broadcast_of<A, B>::is_valid && broadcast_all<broadcast_of<A, B>, Rest...>::is_valid;
};

// One sentence per axis, because a static_assert cannot print a number.
template <class A, class B, class... Rest>
constexpr bool check_broadcast() {
  using result = broadcast_of<A, B>;
  static_assert(result::fits(1), "tenon: broadcast: the extents of axis -1 (the last) differ; make them equal, or build-time 1 to repeat an operand");
  static_assert(!result::fits(1) || result::fits(2), "tenon: broadcast: the extents of axis -2 differ; make them equal, or build-time 1 to repeat an operand");
  static_assert(!result::fits(1) || !result::fits(2) || result::fits(3), "tenon: broadcast: the extents of axis -3 differ; make them equal, or build-time 1 to repeat an operand");
  static_assert(!result::fits(1) || !result::fits(2) || !result::fits(3) || result::is_valid, "tenon: broadcast: the extents of an axis before axis -3 differ; make them equal, or build-time 1 to repeat an operand");
  if constexpr (sizeof...(Rest) > 0 && result::is_valid)
    return check_broadcast<result, Rest...>();
  else
    return result::is_valid;
}

template <class... A>
constexpr bool check_operands() {
  constexpr bool known = ((is_value<A> || is_literal<A>) && ...);
  static_assert(known, "tenon: operand: an operand is neither a value of the expression nor a number; pass it as an argument of the compiled function");
  return known;
}

// Axis numbers as non-negative ones.
constexpr int normalized(int axis, int rank) { return axis < 0 ? axis + rank : axis; }
template <int Rank, int... Axes>
constexpr unsigned axis_mask() {
  return (0u | ... | (1u << normalized(Axes, Rank)));
}
constexpr int count_bits(unsigned mask) {
  int n = 0;
  for (; mask; mask &= mask - 1) ++n;
  return n;
}

template <int Rank, int... Axes>
constexpr bool check_axes() {
  constexpr bool in_range = ((Axes >= -Rank && Axes < Rank) && ...);
  static_assert(in_range, "tenon: axis: an axis is out of range; axes are -rank to rank-1");
  if constexpr (in_range) {
    constexpr bool distinct = count_bits(axis_mask<Rank, Axes...>()) == static_cast<int>(sizeof...(Axes));
    static_assert(distinct, "tenon: axis: an axis is named twice; name each axis once");
    return distinct;
  }
  return false;
}

}  // namespace tenon::detail
