// SPDX-License-Identifier: Apache-2.0
#pragma once
// Elements by their place in the order of an axis: median, nanmedian, quantile. Each is a sort, and a reduction that keeps
// one or two of the elements in order.

#include <limits>

#include "tenon/capture/remap.hpp"
#include "tenon/capture/sort.hpp"

namespace tenon {
namespace detail {

// The least number of x's type, -inf if it has one.
template <class X>
constexpr auto least_number(X const& x) {
  using number = arithmetic_t<X::type>;
  constexpr number least = math::smallest<number>;
  return value<X::type>{x.owner, std::is_floating_point_v<number>
                                     ? build::literal(*x.owner, X::type, static_cast<double>(least))
                                     : build::integer_literal(*x.owner, X::type, static_cast<long long>(least))};
}
// The one element along the axis for which is_wanted holds; NaN where it holds for a NaN.
template <int Along, class X, class IsWanted, class... Options>
constexpr auto one_of(X const& x, IsWanted const& is_wanted, Options... options) {
  return max(where(is_wanted, x, least_number(x)), axis<Along>, options...);
}
template <class... Options>
inline constexpr bool keeps_axes_or_not = (true && ... && std::is_same_v<Options, keepdim_t>);

struct median_body {
  template <class X, int Axis, class... Options>
    requires keeps_axes_or_not<Options...>
  constexpr auto operator()(X const& x, axis_t<Axis> along, Options... options) const {
    auto const ordered = sort_body<sort_part::values>{}(x, along);
    if constexpr (is_refused<decltype(ordered)>) {
      return refused{};
    } else {
      constexpr int at = normalized(Axis, X::rank);
      auto const rank = shift_right(length_of(x, at) - 1, 1);
      return one_of<at>(ordered, iota(x, axis<at>) == rank || ordered != ordered, options...);
    }
  }
  template <class... A>
  constexpr auto operator()(A const&...) const {
    static_assert(is_known_form<A...>, "tenon: median: the arguments are not a value and one axis; write tn::median(x, tn::axis<1>), with tn::keepdim where it is meant");
    return refused{};
  }
};

struct nanmedian_body : median_body {
  using median_body::operator();
  template <dtype D, extent... E, int Axis, class... Options>
    requires(is_floating(D) && keeps_axes_or_not<Options...>)
  constexpr auto operator()(value<D, E...> const& x, axis_t<Axis> along, Options... options) const {
    auto const ordered = sort_body<sort_part::values>{}(x, along);
    if constexpr (is_refused<decltype(ordered)>) {
      return refused{};
    } else {
      constexpr int at = normalized(Axis, static_cast<int>(sizeof...(E)));
      // NaN is behind the numbers: the first element is one where there are none.
      auto const rank = maximum(shift_right(sum(x == x, axis<at>, keepdim) - 1, 1), 0);
      return one_of<at>(ordered, iota(x, axis<at>) == rank, options...);
    }
  }
};

struct quantile_body {
  template <dtype D, extent... E, class Fraction, int Axis, class... Options>
    requires keeps_axes_or_not<Options...>
  constexpr auto operator()(value<D, E...> const& x, Fraction const& fraction, axis_t<Axis> along, Options... options) const {
    static_assert(is_floating(D), "tenon: quantile: the operand is not floating-point; cast it first, as in tn::quantile(tn::cast<float>(x), 0.5, tn::axis<1>)");
    auto const ordered = sort_body<sort_part::values>{}(x, along);
    if constexpr (!is_floating(D) || is_refused<decltype(ordered)>) {
      return refused{};
    } else {
      constexpr int at = normalized(Axis, static_cast<int>(sizeof...(E)));
      auto const place = cast<double>(length_of(x, at) - 1) * fraction;
      auto const lower = floor(place);
      auto const position = iota(x, axis<at>);
      auto const is_nan = ordered != ordered;
      auto const below = one_of<at>(ordered, position == cast<long long>(lower) || is_nan, options...);
      auto const above = one_of<at>(ordered, position == cast<long long>(ceil(place)) || is_nan, options...);
      auto const weight = cast<std::conditional_t<D == dtype::f64, double, float>>(place - lower);
      // Between equal infinities is no other number; beyond the ends is none at all.
      auto const between = where(below == above, below, fma(weight, above - below, below));
      return where(lower >= 0 && place <= cast<double>(length_of(x, at) - 1), between, std::numeric_limits<double>::quiet_NaN());
    }
  }
  template <class... A>
  constexpr auto operator()(A const&...) const {
    static_assert(is_known_form<A...>, "tenon: quantile: the arguments are not a value, a number and one axis; write tn::quantile(x, 0.5, tn::axis<1>), with tn::keepdim where it is meant");
    return refused{};
  }
};

}  // namespace detail

// The middle element of the axis, of two the lower; NaN where there is one. An integer stays one.
inline constexpr function<detail::median_body> median{};
// The same of the numbers that are not NaN; NaN where there are none.
inline constexpr function<detail::nanmedian_body> nanmedian{};
// quantile(x, q, axis): the number below which the part q of the axis is, by linear interpolation between its two neighbours
// in order. NaN where one of the elements is, and where q is not from 0 to 1.
inline constexpr function<detail::quantile_body> quantile{};

}  // namespace tenon
