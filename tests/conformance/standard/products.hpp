// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shapes that broadcast both ways, and products of matrices.

#include "conformance/standard/support.hpp"

namespace standard {

template <long long... Extents, class X, int... I>
constexpr auto expand_aligned(X x, std::integer_sequence<int, I...>) {
  constexpr int missing = static_cast<int>(sizeof...(Extents)) - X::rank;
  return tn::broadcast_to(x, tn::shape<(I >= missing && Extents == 1 ? -1 : Extents)...>);
}
// Broadcasts in both directions: an extent of 1 keeps the operand's.
template <long long... Extents, class X> constexpr auto expand(X x) {
  if constexpr (sizeof...(Extents) < X::rank)
    return expand<-1, Extents...>(x);
  else
    return expand_aligned<Extents...>(x, std::make_integer_sequence<int, sizeof...(Extents)>{});
}
// [..., M, K] and [..., K, N]; an operand of rank 1 is a row on the left and a column on the right.
template <class X, class Y> constexpr auto matmul(X x, Y y) {
  if constexpr (X::rank == 1 && Y::rank == 1)
    return like(x, tn::sum(x * y));
  else if constexpr (X::rank == 1)
    return like(x, tn::sum(tn::unsqueeze(x, axis<1>) * y, axis<-2>));
  else if constexpr (Y::rank == 1)
    return like(x, tn::sum(x * y, axis<-1>));
  else
    return like(x, tn::sum(tn::unsqueeze(x, axis<-1>) * tn::unsqueeze(y, axis<-3>), axis<-2>));
}

}  // namespace standard
