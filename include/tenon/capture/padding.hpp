// SPDX-License-Identifier: Apache-2.0
#pragma once
// pad: an axis made longer at both ends, by a number or by elements of its own; it costs no kernel.

#include "tenon/capture/remap.hpp"

namespace tenon {

template <long long Before, long long After>
struct widths_t {};
// How many elements pad adds before and after: tn::pad(x, tn::axis<1>, tn::widths<2, 3>).
template <long long Before, long long After>
inline constexpr widths_t<Before, After> widths{};

// What pad adds, if not a number: the element at the end, elements mirrored at it, or those of the other end.
struct edge_t {};
inline constexpr edge_t edge{};
struct reflect_t {};
inline constexpr reflect_t reflect{};
struct wrap_t {};
inline constexpr wrap_t wrap{};

namespace detail {

struct pad_body {
  template <dtype D, extent... E, int Axis, long long Before, long long After, class Fill>
  constexpr auto operator()(value<D, E...> const& x, axis_t<Axis>, widths_t<Before, After>, Fill fill) const {
    using operand = value<D, E...>;
    constexpr bool grows = Before >= 0 && After >= 0;
    static_assert(grows, "tenon: pad: a width is negative; cut with tn::slice");
    if constexpr (!grows) {
      return refused{};
    } else if constexpr (!check_axes<operand::rank, Axis>()) {
      return refused{};
    } else {
      constexpr int axis = normalized(Axis, operand::rank);
      constexpr extent length = static_sum(operand::extents[axis], extent(Before + After));
      graph& g = *x.owner;
      dim padded = g.dims.sum(dim_of(x, axis), g.dims.constant(Before + After));
      auto from = positions<operand::rank, axis, length>(g, padded) - Before;
      return filled<axis>(x, from, length_of(x, axis), fill);
    }
  }
  template <dtype D, extent... E, int Axis, long long Before, long long After>
  constexpr auto operator()(value<D, E...> const& x, axis_t<Axis> along, widths_t<Before, After> by) const {
    return (*this)(x, along, by, 0);
  }
  template <class... A>
  constexpr auto operator()(A const&...) const {
    static_assert(is_known_form<A...>, "tenon: pad: the arguments are not a value, one axis, widths and what to fill with; write tn::pad(x, tn::axis<1>, tn::widths<1, 2>, 0) or tn::edge, tn::reflect, tn::wrap");
    return refused{};
  }

 private:
  template <int Axis, class X, class From, class Length, class Fill>
  static constexpr auto filled(X x, From from, Length n, Fill fill) {
    if constexpr (std::is_same_v<Fill, edge_t>) {
      return take_inside(x, clamp(from, 0, n - 1), axis<Axis>);
    } else if constexpr (std::is_same_v<Fill, wrap_t>) {
      return take_inside(x, remainder(from, maximum(n, 1)), axis<Axis>);
    } else if constexpr (std::is_same_v<Fill, reflect_t>) {
      // Forth and back again is one period; of one element it is that element.
      auto period = maximum(2 * (n - 1), 1);
      auto place = remainder(from, period);
      return take_inside(x, where(place < n, place, period - place), axis<Axis>);
    } else if constexpr (X::type == dtype::boolean && std::is_arithmetic_v<Fill>) {
      return where(from >= 0 && from < n, take_inside(x, from, axis<Axis>), fill != Fill(0));
    } else {
      return where(from >= 0 && from < n, take_inside(x, from, axis<Axis>), fill);
    }
  }
};

}  // namespace detail

// pad(x, axis, widths): zeros; pad(x, axis, widths, number), or tn::edge, tn::reflect, tn::wrap.
inline constexpr function<detail::pad_body> pad{};

}  // namespace tenon
