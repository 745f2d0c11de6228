// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where a value belongs in a sorted sequence that lies in memory, by bisection.

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

}  // namespace detail

namespace ops {

// (the first element of a sequence of dtype Sequence, a value of dtype Common): the place of the
// value, i64. In a program the sequence is (address, value, stride in bytes, extent); none has
// place 0.
template <dtype Sequence, dtype Common, bool IsRight> struct search : pointwise_op<2> {
  static constexpr text_view name = "search";
  static constexpr dtype_rule rule{
      [](dtype, int position) { return position == 0 ? Sequence : Common; },
      [](dtype) { return dtype::i64; }};
  static constexpr int cost = 160;  // of about 20 elements
  static constexpr bool is_search = true;
  template <class T>
  static TENON_HD long long eval(long long address, T value, long long stride, long long extent) {
    if (address == detail::no_address) return 0;
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
