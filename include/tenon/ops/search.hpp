// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where a value belongs in a sorted sequence that lies in memory, by bisection.

#include "tenon/ops/cast.hpp"
#include "tenon/ops/indexing.hpp"

namespace tenon {
namespace detail {

// The order of sorts: NaN is greater than any number.
template <class T> constexpr TENON_HD bool is_ordered_before(T x, T y) {
  if constexpr (std::is_floating_point_v<T>)
    return x < y || (y != y && x == x);
  else
    return x < y;
}
// Whether `element` of a sequence comes before the place of `value`: of equal ones that is the last
// (IsRight) or the first.
template <bool IsRight, class T> constexpr TENON_HD bool is_before_place(T element, T value) {
  if constexpr (IsRight)
    return !is_ordered_before(value, element);
  else
    return is_ordered_before(element, value);
}

// The value among elements of the other kind, where a conversion to the common type would make
// different numbers equal: in the elements' type, at the place where the value belongs.
template <class Element> struct place_among {
  Element bound{};  // the least element not below the value, or (right) the greatest not above
  bool is_before_all = false, is_behind_all = false;  // where no element is the bound
};
// Among integers: NaN and what is beyond the greatest is behind all.
template <bool IsRight, class Element, class T>
constexpr TENON_HD place_among<Element> among_integers(T value) {
  using limits = integer_limits<Element>;
  constexpr T beyond = static_cast<T>(limits::beyond), least = static_cast<T>(limits::low);
  if (!(value < beyond)) return {.is_behind_all = true};
  if (value < least) return {.is_before_all = true};
  auto bound = static_cast<Element>(value);  // towards 0
  T const whole = static_cast<T>(bound);
  if (IsRight && whole > value) --bound;
  if (!IsRight && whole < value) {
    if (bound == limits::high) return {.is_behind_all = true};
    ++bound;
  }
  return {.bound = bound};
}
// Among floating-point numbers: the nearest one, or where that is on the wrong side of the value
// the next one, of which neither is near 0, since all integers there are elements.
template <bool IsRight, class Element, class T>
constexpr TENON_HD place_among<Element> among_floating(T value) {
  using bits = std::conditional_t<sizeof(Element) == 4, int, long long>;
  auto const nearest = static_cast<Element>(value);
  bool const is_above =
      nearest >= static_cast<Element>(integer_limits<T>::beyond) || static_cast<T>(nearest) > value;
  bool const is_exact = !is_above && static_cast<T>(nearest) == value;
  if (is_exact || is_above != IsRight) return {.bound = nearest};
  bool const is_outward = IsRight == (nearest < 0);
  auto const next = __builtin_bit_cast(bits, nearest) + (is_outward ? 1 : -1);
  return {.bound = __builtin_bit_cast(Element, next)};
}

template <bool IsRight, class Element, class T>
constexpr TENON_HD place_among<Element> placed_among(T value) {
  if constexpr (std::is_integral_v<Element>)
    return among_integers<IsRight, Element>(value);
  else
    return among_floating<IsRight, Element>(value);
}

}  // namespace detail

namespace ops {

// (the first element of a sequence of dtype Sequence, a value of dtype Value): the place of the
// value, i64. In a program the sequence is (address, value, stride in bytes, extent); none has
// place 0. Integers and floating-point numbers are compared as they are; of two of one kind Value
// is their common type.
template <dtype Sequence, dtype Value, bool IsRight> struct search : pointwise_op<2> {
  static constexpr text_view name = "search";
  static constexpr dtype_rule rule{
      [](dtype, int position) { return position == 0 ? Sequence : Value; },
      [](dtype) { return dtype::i64; }};
  static constexpr int cost = 160;  // of about 20 elements
  static constexpr bool is_search = true;
  static constexpr bool is_of_one_kind = is_floating(Sequence) == is_floating(Value);
  template <class T>
  static TENON_HD long long eval(long long address, T value, long long stride, long long extent) {
    if (address == detail::no_address) return 0;
    if constexpr (is_of_one_kind) {
      return bisected(address, value, stride, extent);
    } else {
      using element =
          std::conditional_t<Sequence == dtype::boolean, unsigned char, arithmetic_t<Sequence>>;
      auto const place = detail::placed_among<IsRight, element>(value);
      if (place.is_before_all) return 0;
      if (place.is_behind_all) return extent;
      return bisected(address, place.bound, stride, extent);
    }
  }

 private:
  template <class T>
  static TENON_HD long long bisected(long long address, T value, long long stride,
                                     long long extent) {
    long long low = 0, high = extent;
    while (low < high) {
      long long const middle = low + (high - low) / 2;
      auto const element = static_cast<T>(static_cast<arithmetic_t<Sequence>>(
          detail::read<storage_t<Sequence>>(address + middle * stride)));
      if (detail::is_before_place<IsRight>(element, value))
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
};

// The index that leads to the first element of a sequence: the axis that is searched.
struct search_start : pointwise_op<1> {
  static constexpr text_view name = "search_start";
  static constexpr TENON_HD long long eval(long long) { return 0; }
};

}  // namespace ops
}  // namespace tenon
