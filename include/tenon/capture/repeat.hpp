// SPDX-License-Identifier: Apache-2.0
#pragma once
// Elements of an axis again, or in another order: flip, roll, tile, repeat_interleave; they cost no kernel.

#include "tenon/capture/remap.hpp"

namespace tenon {
namespace detail {

struct flip_body {
  template <dtype D, extent... E, int First, int... Rest>
  constexpr auto operator()(value<D, E...> const& x, axis_t<First, Rest...>) const {
    auto flipped = slice(x, axis<First>, range<end, end, -1>);
    if constexpr (sizeof...(Rest) == 0 || is_refused<decltype(flipped)>)
      return flipped;
    else
      return (*this)(flipped, axis<Rest...>);
  }
  template <class... A>
  constexpr auto operator()(A const&...) const {
    static_assert(is_known_form<A...>, "tenon: flip: the arguments are not a value and axes; write tn::flip(x, tn::axis<0>)");
    return refused{};
  }
};

struct roll_body {
  template <dtype D, extent... E, int Axis, class Shift>
  constexpr auto operator()(value<D, E...> const& x, axis_t<Axis>, Shift shift) const {
    using operand = value<D, E...>;
    if constexpr (!check_axes<operand::rank, Axis>()) {
      return refused{};
    } else {
      constexpr int axis = normalized(Axis, operand::rank);
      auto to = positions<operand::rank, axis, operand::extents[axis]>(*x.owner, dim_of(x, axis));
      auto length = length_of(x, axis);
      auto whole = maximum(length, 1);
      if constexpr (is_literal<Shift>) {
        // Which end it is around is known, and how far: neighbours belong together.
        auto from = to - fmod(shift, whole);
        auto wrapped = shift >= 0 ? where(from < 0, from + length, from) : where(from < length, from, from - length);
        return take_inside(x, wrapped, tenon::axis<axis>);
      } else {
        auto from = to - remainder(shift, whole);
        return take_inside(x, where(from < 0, from + length, from), tenon::axis<axis>);
      }
    }
  }
  template <class... A>
  constexpr auto operator()(A const&...) const {
    static_assert(is_known_form<A...>, "tenon: roll: the arguments are not a value, one axis and a shift; write tn::roll(x, tn::axis<0>, 1)");
    return refused{};
  }
};

// Axis Axis with Times as many elements, the one at position p from At{}(p, length).
template <int Axis, long long Times, class At, class X>
constexpr auto repeated_along(X const& x) {
  constexpr extent length = static_product(X::extents[Axis], Times);
  graph& g = *x.owner;
  dim longer = g.dims.product(dim_of(x, Axis), g.dims.constant(Times));
  return take_inside(x, At{}(positions<X::rank, Axis, length>(g, longer), length_of(x, Axis)), axis<Axis>);
}

struct tile_body {
  template <dtype D, extent... E, long long... Times>
  constexpr auto operator()(value<D, E...> const& x, shape_t<Times...> times) const {
    constexpr int rank = sizeof...(E), count = sizeof...(Times);
    constexpr bool is_valid = count >= rank && count <= max_rank && ((Times >= 0) && ...);
    static_assert(is_valid, "tenon: tile: the numbers of repetitions are negative, fewer than the axes or more than 8; give one for each axis, as in tn::tile(x, tn::shape<1, 3>)");
    if constexpr (!is_valid)
      return refused{};
    else if constexpr (count > rank)
      return (*this)(unsqueeze(x, axis<0>), times);
    else
      return along<0>(x, times);
  }
  template <class... A>
  constexpr auto operator()(A const&...) const {
    static_assert(is_known_form<A...>, "tenon: tile: the arguments are not a value and numbers of repetitions; write tn::tile(x, tn::shape<1, 3>)");
    return refused{};
  }

 private:
  struct again {
    constexpr auto operator()(auto position, auto length) const { return remainder(position, maximum(length, 1)); }
  };
  template <int Axis, class X, long long... Times>
  static constexpr auto along(X const& x, shape_t<Times...> times) {
    constexpr long long wanted[] = {Times..., 1};
    if constexpr (Axis == sizeof...(Times))
      return x;
    else if constexpr (wanted[Axis] == 1)
      return along<Axis + 1>(x, times);
    else
      return along<Axis + 1>(repeated_along<Axis, wanted[Axis], again>(x), times);
  }
};

struct repeat_interleave_body {
  template <dtype D, extent... E, int Axis, auto Times>
  constexpr auto operator()(value<D, E...> const& x, axis_t<Axis>, ct_t<Times>) const {
    static_assert(Times >= 1, "tenon: repeat_interleave: the number of repetitions is below 1; repeat each element once or more");
    if constexpr (Times < 1)
      return refused{};
    else if constexpr (!check_axes<sizeof...(E), Axis>())
      return refused{};
    else
      return repeated_along<normalized(Axis, sizeof...(E)), Times, each<Times>>(x);
  }
  template <class... A>
  constexpr auto operator()(A const&...) const {
    static_assert(is_known_form<A...>, "tenon: repeat_interleave: the arguments are not a value, one axis and a tn::ct; write tn::repeat_interleave(x, tn::axis<0>, tn::ct<2>)");
    return refused{};
  }

 private:
  template <auto Times>
  struct each {
    constexpr auto operator()(auto position, auto) const { return floor_divide(position, Times); }
  };
};

}  // namespace detail

// The elements along the axes in reverse order.
inline constexpr function<detail::flip_body> flip{};
// roll(x, axis, shift): element i goes to i + shift, around the end; the shift is a number or a rank-0 integer of the call.
inline constexpr function<detail::roll_body> roll{};
// tile(x, tn::shape<2, 3>): the whole again, so many times along each axis.
inline constexpr function<detail::tile_body> tile{};
// repeat_interleave(x, axis, tn::ct<3>): each element so many times.
inline constexpr function<detail::repeat_interleave_body> repeat_interleave{};

}  // namespace tenon
