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

// Of several results the first.
template <class V> constexpr auto first(V v) { return v; }
template <class V, class... Rest> constexpr auto first(std::tuple<V, Rest...> const& all) {
  return std::get<0>(all);
}
template <class Values, class Indices>
constexpr auto first(tn::indexed_values<Values, Indices> const& all) {
  return all.values;
}

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

// A vector along one axis of Rank.
template <int Axis, int Rank, class Vector> constexpr auto beside(Vector v) {
  if constexpr (Vector::rank == Rank)
    return v;
  else if constexpr (Vector::rank <= Axis)
    return beside<Axis, Rank>(tn::unsqueeze(v, axis<0>));
  else
    return beside<Axis, Rank>(tn::unsqueeze(v, axis<-1>));
}

}  // namespace standard
