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
  template <class X, int... Axes, class Epsilon = double>
  constexpr auto operator()(X x, axis_t<Axes...> along, Epsilon epsilon = default_epsilon) const {
    return standardize(x, along, epsilon);
  }
  template <class X>
  constexpr auto operator()(X x) const {
    return (*this)(x, axis<-1>);
  }
  template <class X, class Weight, class Bias, int... Axes, class Epsilon = double>
  constexpr auto operator()(X x, Weight weight, Bias bias, axis_t<Axes...> along, Epsilon epsilon = default_epsilon) const {
    return standardize(x, along, epsilon) * weight + bias;
  }
  template <class X, class Weight, class Bias> requires(is_value<Weight> && is_value<Bias>)
  constexpr auto operator()(X x, Weight weight, Bias bias) const {
    return (*this)(x, weight, bias, axis<-1>);
  }
};

struct rms_norm_body {
  template <class X, int... Axes, class Epsilon = double>
  constexpr auto operator()(X x, axis_t<Axes...> along, Epsilon epsilon = default_epsilon) const {
    return x * rsqrt(mean(square(x), along, keepdim) + epsilon);
  }
  template <class X>
  constexpr auto operator()(X x) const {
    return (*this)(x, axis<-1>);
  }
  template <class X, class Weight, int... Axes, class Epsilon = double>
  constexpr auto operator()(X x, Weight weight, axis_t<Axes...> along, Epsilon epsilon = default_epsilon) const {
    return (*this)(x, along, epsilon) * weight;
  }
  template <class X, class Weight> requires is_value<Weight>
  constexpr auto operator()(X x, Weight weight) const {
    return (*this)(x, weight, axis<-1>);
  }
};

}  // namespace detail

// Forms: (x), (x, axis), (x, axis, epsilon), (x, weight, bias), (x, weight, bias, axis), (..., epsilon); epsilon is 1e-5.
inline constexpr function<detail::layer_norm_body> layer_norm{};
// Forms: (x), (x, axis), (x, axis, epsilon), (x, weight), (x, weight, axis), (x, weight, axis, epsilon).
inline constexpr function<detail::rms_norm_body> rms_norm{};

}  // namespace tenon
