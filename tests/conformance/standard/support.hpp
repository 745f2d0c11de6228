// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the operators share: dtypes, lists of axes, parameters beside a tensor.

#include <limits>
#include <tuple>

#include "tenon/sort.hpp"
#include "tenon/special.hpp"
#include "tenon/tenon.hpp"

namespace standard {

namespace tn = tenon;
using tn::axis;
using tn::keepdim;

inline constexpr double infinity = std::numeric_limits<double>::infinity(),
                        nan = std::numeric_limits<double>::quiet_NaN();

template <class X> inline constexpr bool is_floating = tn::is_floating(X::type);

// v in the dtype of x.
template <class X, class V> constexpr auto like(X, V v) {
  if constexpr (X::type == V::type)
    return v;
  else
    return tn::cast<tn::storage_t<X::type>>(v);
}

// axis<First, ..., Last - 1>
template <int First, int... I> constexpr auto axes_of(std::integer_sequence<int, I...>) {
  return axis<(First + I)...>;
}
template <int First, int Last>
inline constexpr auto axes = axes_of<First>(std::make_integer_sequence<int, Last - First>{});

// x * weight + bias, of which both may be absent.
template <class X, class... Parameters> constexpr auto scaled(X x, Parameters... given) {
  if constexpr (sizeof...(given) == 2)
    return tn::fma(x, given...);
  else
    return (x * ... * given);
}

}  // namespace standard
