// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rotary position embedding: pairs of the last axis are rotated by an angle per position.

#include "tenon/capture/remap.hpp"

namespace tenon {

struct interleaved_t {};
// The pairs are neighbours, elements 2i and 2i + 1; otherwise element i of each half.
inline constexpr interleaved_t interleaved{};

namespace detail {

// Where the other element of a pair is, which angle it has, and whether it is the first of the two.
struct half_pairs {
  static constexpr auto partner(auto i, auto half) { return where(i < half, i + half, i - half); }
  static constexpr auto angle(auto i, auto half) { return where(i < half, i, i - half); }
  static constexpr auto is_first(auto i, auto half) { return i < half; }
};
struct neighbour_pairs {
  static constexpr auto partner(auto i, auto) { return bitwise_xor(i, 1); }
  static constexpr auto angle(auto i, auto) { return shift_right(i, 1); }
  static constexpr auto is_first(auto i, auto) { return bitwise_and(i, 1) == 0; }
};

struct rope_body {
  template <dtype D, extent... E, dtype C, extent... F, dtype S, extent... G>
  constexpr auto operator()(value<D, E...> const& x, value<C, F...> const& cosines, value<S, G...> const& sines) const {
    return rotated<half_pairs>(x, cosines, sines);
  }
  template <dtype D, extent... E, dtype C, extent... F, dtype S, extent... G>
  constexpr auto operator()(value<D, E...> const& x, value<C, F...> const& cosines, value<S, G...> const& sines, interleaved_t) const {
    return rotated<neighbour_pairs>(x, cosines, sines);
  }
  template <class... A>
  constexpr auto operator()(A const&...) const {
    static_assert(is_known_form<A...>, "tenon: rope: the arguments are not a value, cosines and sines; write tn::rope(x, cosines, sines), with tn::interleaved if pairs are neighbours");
    return refused{};
  }

 private:
  template <class Pairs, class X, class Cosines, class Sines>
  static constexpr auto rotated(X const& x, Cosines const& cosines, Sines const& sines) {
    constexpr bool has_axes = X::rank >= 1 && Cosines::rank >= 1 && Sines::rank >= 1;
    static_assert(has_axes, "tenon: rope: an operand has no axes; cosines and sines have half the last extent of x, and broadcast with it otherwise");
    if constexpr (!has_axes) {
      return refused{};
    } else {
      auto i = iota(x, axis<-1>);
      auto half = shift_right(length_of(x, X::rank - 1), 1);
      auto angle = Pairs::angle(i, half);
      auto other = take_inside(x, Pairs::partner(i, half), axis<-1>);
      return x * at_angle(cosines, angle) + where(Pairs::is_first(i, half), -other, other) * at_angle(sines, angle);
    }
  }
  // The table's last axis is read at `angle`, whose axes before the last have extent 1.
  template <class Table, class Angle>
  static constexpr auto at_angle(Table const& table, Angle angle) {
    if constexpr (Angle::rank > Table::rank)
      return at_angle(table, squeeze(angle, axis<0>));
    else if constexpr (Angle::rank < Table::rank)
      return at_angle(table, unsqueeze(angle, axis<0>));
    else
      return take_along_axis(table, angle, axis<-1>);
  }
};

}  // namespace detail

// rope(x, cosines, sines): x1 cos - x2 sin and x2 cos + x1 sin of each pair (x1, x2); the tables have half as many elements
// along the last axis as x.
inline constexpr function<detail::rope_body> rope{};

}  // namespace tenon
