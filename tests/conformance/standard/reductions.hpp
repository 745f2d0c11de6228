// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reductions, and the index of the greatest or least element.

#include "conformance/standard/support.hpp"

namespace standard {

// An empty list of axes reduces nothing: every element is a reduction of its own.
template <class X, class Reduce, int... Axes, class... Keep>
constexpr auto reduce(X x, Reduce reduction, tn::axis_t<Axes...> along, Keep... keep) {
  if constexpr (sizeof...(Axes) == 0)
    return like(x, reduction(tn::unsqueeze(x, axis<0>), axis<0>));
  else
    return like(x, reduction(x, along, keep...));
}
inline constexpr struct {
  template <class X, class... Options> constexpr auto operator()(X x, Options... options) const {
    return tn::log(tn::sum(x, options...));
  }
} log_sum{};

template <class X, int... Axes> constexpr bool is_empty(tn::axis_t<Axes...>) {
  return ((X::extents[Axes] == tn::extent(0)) || ...);
}
// The extremum of nothing is the identity of its operation.
template <bool IsMaximum> struct extremum {
  template <class X, class Along, class... Keep>
  constexpr auto operator()(X x, Along along, Keep... keep) const {
    if constexpr (is_empty<X>(Along{}))
      return tn::where(tn::any(x, along, keep...), identity<X>(), identity<X>());
    else if constexpr (IsMaximum)
      return tn::max(x, along, keep...);
    else
      return tn::min(x, along, keep...);
  }

 private:
  template <class X> static constexpr auto identity() {
    using number = tn::arithmetic_t<X::type>;
    using limits = std::numeric_limits<number>;
    if constexpr (is_floating<X>)
      return static_cast<number>(IsMaximum ? -infinity : infinity);
    else
      return IsMaximum ? limits::lowest() : limits::max();
  }
};

// The highest of the indices of equal elements.
template <class X, class Chosen, int Axis, class... Keep>
constexpr auto last_index(X x, Chosen chosen, tn::axis_t<Axis> along, Keep... keep) {
  return tn::max(tn::where(x == chosen, tn::iota(x, along), -1), along, keep...);
}
template <class X, class Along, class... Keep>
constexpr auto last_argmax(X x, Along along, Keep... keep) {
  return last_index(x, tn::max(x, along, keepdim), along, keep...);
}
template <class X, class Along, class... Keep>
constexpr auto last_argmin(X x, Along along, Keep... keep) {
  return last_index(x, tn::min(x, along, keepdim), along, keep...);
}
template <int Axis, class X> constexpr auto hardmax(X x) {
  return like(x, tn::iota(x, axis<Axis>) == tn::argmax(x, axis<Axis>, keepdim));
}

}  // namespace standard
