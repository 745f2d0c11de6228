// SPDX-License-Identifier: Apache-2.0
#pragma once
// Elements by their position: triangles, one-hot rows, sequences in reverse, rotary embeddings.

#include "conformance/standard/support.hpp"

namespace standard {

template <int K, bool IsUpper, class X> constexpr auto triangle(X x) {
  auto row = tn::iota(x, axis<-2>);
  auto column = tn::iota(x, axis<-1>);
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

// The first lengths[b] elements of each sequence in reverse order.
template <int BatchAxis, int TimeAxis, class X, class Lengths>
constexpr auto reverse_sequence(X x, Lengths lengths) {
  auto length = beside<BatchAxis, X::rank>(lengths);
  auto time = tn::iota(x, axis<TimeAxis>);
  return tn::take_along_axis(x, tn::where(time < length, length - 1 - time, time), axis<TimeAxis>);
}

// 0, 1, ... along Axis, as another index of the positions that the index names.
template <int Axis, class Index> constexpr auto own_position(Index index) {
  auto one = tn::slice(index, axis<-1>, tn::range<0, 1>);
  return tn::iota(one, axis<Axis>) + 0 * tn::cast<std::int64_t>(one);
}
template <class Index, int... Axes>
constexpr auto with_own_positions(Index index, std::integer_sequence<int, Axes...>) {
  return tn::concat(own_position<Axes>(index)..., tn::cast<std::int64_t>(index), axis<-1>);
}
// The last axis of the index holds a position along each axis after the Batch first ones, which the
// two have in common.
template <int Batch, class X, class Index> constexpr auto gather_nd(X x, Index index) {
  if constexpr (Batch == 0)
    return tn::gather_nd(x, index);
  else
    return tn::gather_nd(x, with_own_positions(index, std::make_integer_sequence<int, Batch>{}));
}

// start, start + step, ...: Count numbers.
template <int Count, class T, class Any, class Start, class Step>
constexpr auto ramp(Any any, Start start, Step step) {
  auto position = tn::arange<Count>(any);
  if constexpr (tn::is_floating(tn::dtype_of<T>))
    return tn::cast<T>(tn::cast<double>(position) * step + start);
  else
    return tn::cast<T>(position * step + start);
}
template <class T, long long... Extents, class Any, class Number>
constexpr auto full(Any any, Number number) {
  return tn::broadcast_to(
      tn::cast<T>(tn::where(any == any, static_cast<tn::arithmetic_t<tn::dtype_of<T>>>(number), 0)),
      tn::shape<Extents...>);
}
template <int Rows, int Columns, int K, class T, class Any> constexpr auto eye(Any any) {
  auto row = tn::unsqueeze(tn::arange<Rows>(any), axis<1>);
  return tn::cast<T>(row + K == tn::arange<Columns>(any));
}

// The first 2 Half elements of the last axis are pairs, rotated by an angle per position: element k
// with k + Half, or with its neighbour where they are interleaved. x is [batch, heads, length,
// size], the tables are [batch, length, Half].
template <bool IsInterleaved, int Half, class X, class Table>
constexpr auto rotated_pairs(X x, Table cosines, Table sines) {
  constexpr int distance = IsInterleaved ? 1 : Half;
  auto position = tn::iota(x, axis<-1>);
  auto pair = tn::remainder(tn::floor_divide(position, IsInterleaved ? 2 : 1), Half);
  auto is_first = tn::remainder(tn::floor_divide(position, distance), 2) == 0;
  auto is_rotated = position < 2 * Half;
  auto at = tn::where(is_rotated, tn::where(is_first, position + distance, position - distance),
                      position);
  auto partner = tn::take_along_axis(x, at, axis<-1>);
  auto of_pair = [&](auto table) {
    return tn::take_along_axis(tn::unsqueeze(table, axis<1>), pair, axis<-1>);
  };
  auto turned = x * of_pair(cosines) + tn::where(is_first, -partner, partner) * of_pair(sines);
  return tn::where(is_rotated, turned, x);
}
// The tables of given positions are the rows that these name.
template <bool IsInterleaved, int Half, class X, class Table, class Positions>
constexpr auto rotated_pairs(X x, Table cosines, Table sines, Positions positions) {
  return rotated_pairs<IsInterleaved, Half>(x, tn::take(cosines, positions, axis<0>),
                                            tn::take(sines, positions, axis<0>));
}

}  // namespace standard
