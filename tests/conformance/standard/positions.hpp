// SPDX-License-Identifier: Apache-2.0
#pragma once
// Elements by their position: triangles, one-hot rows, sequences in reverse, rotary embeddings.

#include "conformance/standard/support.hpp"

namespace standard {

template <int K, bool IsUpper, class X> constexpr auto triangle(X x) {
  auto row = tn::iota(x, axis<-2>), column = tn::iota(x, axis<-1>);
  if constexpr (IsUpper)
    return tn::where(column >= row + K, x, 0);
  else
    return tn::where(column <= row + K, x, 0);
}

template <int Depth, int Axis, class Wide, int... I>
constexpr auto repeated_along(Wide wide, std::integer_sequence<int, I...>) {
  return tn::broadcast_to(wide, tn::shape<(I == Axis ? Depth : -1)...>);
}
// The values are the one for elsewhere and the one at the index; negative indices count from the
// end.
template <int Depth, int Axis, class Index, class Values>
constexpr auto one_hot(Index index, Values values) {
  auto whole = tn::cast<std::int64_t>(index);
  auto at = repeated_along<Depth, Axis>(tn::unsqueeze(whole, axis<Axis>),
                                        std::make_integer_sequence<int, Index::rank + 1>{});
  auto chosen = tn::iota(at, axis<Axis>) == tn::where(at < 0, at + Depth, at);
  return tn::take(values, tn::cast<std::int64_t>(chosen), axis<0>);
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
// The first lengths[b] elements of each sequence in reverse order.
template <int BatchAxis, int TimeAxis, class X, class Lengths>
constexpr auto reverse_sequence(X x, Lengths lengths) {
  auto length = beside<BatchAxis, X::rank>(lengths);
  auto time = tn::iota(x, axis<TimeAxis>);
  return tn::take_along_axis(x, tn::where(time < length, length - 1 - time, time), axis<TimeAxis>);
}

// The last axis of the index holds a position along each axis after the Batch first ones, which the
// two have in common.
template <int Batch, class X, class Index> constexpr auto gather_nd(X x, Index index) {
  if constexpr (Batch == 0)
    return tn::gather_nd(x, index);
  else
    return tn::gather_nd(x, with_own_positions<Batch - 1>(index));
}

}  // namespace standard
