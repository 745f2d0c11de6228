// SPDX-License-Identifier: Apache-2.0
#pragma once
// Layer and RMS normalisation, written over primitives as a user would write them.

#include "tenon/capture/operators.hpp"

namespace tenon {
namespace detail {

inline constexpr double default_epsilon = 1e-5;

// (x - mean) / sqrt(variance + epsilon); both statistics come from one pass over x.
inline constexpr function standardize{[](auto x, auto along, auto epsilon) {
  return (x - centre(x, along, keepdim)) * rsqrt(var(x, along, keepdim, correction<0>) + epsilon);
}};

struct layer_norm_body {
  template <dtype D, extent... E, int... Axes, class Epsilon = double>
  constexpr auto operator()(value<D, E...> const& x, axis_t<Axes...> along, Epsilon epsilon = default_epsilon) const {
    static_assert(is_floating(D), "tenon: layer_norm: the operand is not floating-point; cast it first, as in tn::cast<float>(x)");
    if constexpr (!is_floating(D))
      return refused{};
    else if constexpr (!check_axes<sizeof...(E), Axes...>())
      return refused{};
    else
      return standardize(x, along, epsilon);
  }
  template <dtype D, extent... E>
  constexpr auto operator()(value<D, E...> const& x) const {
    return (*this)(x, axis<-1>);
  }
  template <dtype D, extent... E, class Weight, class Bias, int... Axes, class Epsilon = double>
  constexpr auto operator()(value<D, E...> const& x, Weight weight, Bias bias, axis_t<Axes...> along, Epsilon epsilon = default_epsilon) const {
    constexpr bool fit = mismatched_axis<shape_of<value<D, E...>>, shape_of<Weight>, shape_of<Bias>>() == 0;
    static_assert(fit, "tenon: layer_norm: the weight or bias does not fit the operand; give both the extents of the normalised axes");
    if constexpr (!fit)
      return refused{};
    else
      return (*this)(x, along, epsilon) * weight + bias;
  }
  template <dtype D, extent... E, class Weight, class Bias> requires(is_value<Weight> && is_value<Bias>)
  constexpr auto operator()(value<D, E...> const& x, Weight weight, Bias bias) const {
    return (*this)(x, weight, bias, axis<-1>);
  }
  template <class... A>
  constexpr auto operator()(A const&...) const {
    static_assert(is_known_form<A...>, "tenon: layer_norm: it has no form for these arguments; write (x), (x, tn::axis<-1>), (x, weight, bias) or (x, weight, bias, tn::axis<-1>), an epsilon last");
    return refused{};
  }
};

struct rms_norm_body {
  template <dtype D, extent... E, int... Axes, class Epsilon = double>
  constexpr auto operator()(value<D, E...> const& x, axis_t<Axes...> along, Epsilon epsilon = default_epsilon) const {
    static_assert(is_floating(D), "tenon: rms_norm: the operand is not floating-point; cast it first, as in tn::cast<float>(x)");
    if constexpr (!is_floating(D))
      return refused{};
    else if constexpr (!check_axes<sizeof...(E), Axes...>())
      return refused{};
    else
      return x * rsqrt(mean(square(x), along, keepdim) + epsilon);
  }
  template <dtype D, extent... E>
  constexpr auto operator()(value<D, E...> const& x) const {
    return (*this)(x, axis<-1>);
  }
  template <dtype D, extent... E, class Weight, int... Axes, class Epsilon = double>
  constexpr auto operator()(value<D, E...> const& x, Weight weight, axis_t<Axes...> along, Epsilon epsilon = default_epsilon) const {
    constexpr bool fits = mismatched_axis<shape_of<value<D, E...>>, shape_of<Weight>>() == 0;
    static_assert(fits, "tenon: rms_norm: the weight does not fit the operand; give it the extents of the normalised axes");
    if constexpr (!fits)
      return refused{};
    else
      return (*this)(x, along, epsilon) * weight;
  }
  template <dtype D, extent... E, class Weight> requires is_value<Weight>
  constexpr auto operator()(value<D, E...> const& x, Weight weight) const {
    return (*this)(x, weight, axis<-1>);
  }
  template <class... A>
  constexpr auto operator()(A const&...) const {
    static_assert(is_known_form<A...>, "tenon: rms_norm: it has no form for these arguments; write (x), (x, tn::axis<-1>), (x, weight) or (x, weight, tn::axis<-1>), an epsilon last");
    return refused{};
  }
};

}  // namespace detail

// Forms: (x), (x, axis), (x, axis, epsilon), (x, weight, bias), (x, weight, bias, axis), (..., epsilon); epsilon is 1e-5.
inline constexpr function<detail::layer_norm_body> layer_norm{};
// Forms: (x), (x, axis), (x, axis, epsilon), (x, weight), (x, weight, axis), (x, weight, axis, epsilon).
inline constexpr function<detail::rms_norm_body> rms_norm{};

}  // namespace tenon
