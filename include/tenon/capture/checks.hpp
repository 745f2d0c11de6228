// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operand types → what is wrong with them, as constants that the static_asserts of an operation test.
//
// The sentences stand as literals in those static_asserts, because that is the one way C++20 shows a sentence in the
// first error line; docs/errors.md has a row for each. An operation asserts in its own body, not in a function that it
// calls: every level is a line of the output, and nvcc shows the first five. After a failed check it returns `refused`.

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

// Where the extents of the operands first differ, as a positive k for axis -k; 0 where they broadcast.
template <class A>
constexpr int mismatched_axis() {
  return 0;
}
template <class A, class B, class... Rest>
constexpr int mismatched_axis() {
  using both = broadcast_of<A, B>;
  for (int k = 1; k <= both::rank; ++k)
    if (!both::fits(k)) return k;
  if constexpr (both::is_valid)
    return mismatched_axis<both, Rest...>();
  else
    return 0;
}

enum class operand_fault : unsigned char { none, count, foreign, only_numbers, condition, last_axis, axis_2, axis_3, earlier_axis };

template <class Op, class... A>
constexpr operand_fault find_operand_fault() {
  if constexpr (sizeof...(A) != Op::arity) {
    return operand_fault::count;
  } else if constexpr (!((is_value<A> || is_weakly_typed<A>) && ...)) {
    return operand_fault::foreign;
  } else if constexpr (!((is_value<A> || is_number<A>) || ...)) {
    return operand_fault::only_numbers;
  } else {
    dtype types[] = {typed<A>().type...};
    for (int k = 0; k < Op::rule.first_promoted; ++k)
      if (types[k] != dtype::boolean) return operand_fault::condition;
    switch (mismatched_axis<shape_of<A>...>()) {
      case 0: return operand_fault::none;
      case 1: return operand_fault::last_axis;
      case 2: return operand_fault::axis_2;
      case 3: return operand_fault::axis_3;
      default: return operand_fault::earlier_axis;
    }
  }
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

// Whether f(a...) is well formed. A lambda is instantiated here for the first time, so what is wrong inside of it is
// reported through this; std::is_invocable would do the same with five more lines of output. A concept of types, because
// nvcc 13.0 expands a pack of function parameters wrongly in a requires-expression of a function body (every case of
// tests/compile_fail/broadcast.cpp shows it).
template <class F, class... A>
concept takes = requires(F const& f, A const&... a) { f(a...); };

// For the overload that is left when the arguments are none of an operation's forms.
template <class...>
inline constexpr bool is_known_form = false;

}  // namespace tenon::detail
