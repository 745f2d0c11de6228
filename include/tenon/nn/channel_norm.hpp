// SPDX-License-Identifier: Apache-2.0
#pragma once
// Normalisations of tensors with channels at axis 1: [N, C, ...]. Weight, bias and statistics have the shape [C].

#include "tenon/nn/normalization.hpp"
#include "tenon/nn/options.hpp"

namespace tenon {
namespace detail {

// [C] → [C, 1, ..., 1], so that it broadcasts along axis 1 of a value of this rank.
template <int Rank, class Value>
constexpr auto along_channels(Value v) {
  if constexpr (Value::rank + 1 < Rank)
    return along_channels<Rank>(unsqueeze(v, axis<-1>));
  else
    return v;
}
template <class X, class Weight, class Bias>
constexpr auto scale_channels(X x, Weight weight, Bias bias) {
  return x * along_channels<X::rank>(weight) + along_channels<X::rank>(bias);
}

template <class Value, int... Axes>
constexpr auto channel_axes(axis_t<Axes...>) {
  return axis<0, Axes...>;
}

// Standardises along Axes::of<X>, then scales and shifts every channel when weight and bias are given.
template <class Axes>
struct channel_norm_body {
  template <class X, class Epsilon = double> requires is_weakly_typed<Epsilon>
  constexpr auto operator()(X x, Epsilon epsilon = default_epsilon) const {
    return standardize(x, Axes::template of<X>, epsilon);
  }
  template <class X, class Weight, class Bias, class Epsilon = double>
  constexpr auto operator()(X x, Weight weight, Bias bias, Epsilon epsilon = default_epsilon) const {
    return scale_channels((*this)(x, epsilon), weight, bias);
  }
};
struct spatial_axes {
  template <class X>
  static constexpr auto of = axes_from_to_last<2, X>;
};
struct all_but_channels {
  template <class X>
  static constexpr auto of = channel_axes<X>(axes_from_to_last<2, X>);
};

struct batch_norm_inference_body {
  template <class X, class Mean, class Variance, class Epsilon = double> requires is_weakly_typed<Epsilon>
  constexpr auto operator()(X x, Mean centre, Variance variance, Epsilon epsilon = default_epsilon) const {
    return (x - along_channels<X::rank>(centre)) * rsqrt(along_channels<X::rank>(variance) + epsilon);
  }
  template <class X, class Mean, class Variance, class Weight, class Bias, class Epsilon = double>
  constexpr auto operator()(X x, Mean centre, Variance variance, Weight weight, Bias bias, Epsilon epsilon = default_epsilon) const {
    return scale_channels((*this)(x, centre, variance, epsilon), weight, bias);
  }
};

}  // namespace detail

// Every channel of every sample by its own mean and variance: (x), (x, weight, bias), (..., epsilon).
inline constexpr function<detail::channel_norm_body<detail::spatial_axes>> instance_norm{};
// Every channel by the mean and variance of the batch, as in training: (x), (x, weight, bias), (..., epsilon).
inline constexpr function<detail::channel_norm_body<detail::all_but_channels>> batch_norm{};
// Every channel by given statistics: (x, mean, variance), (x, mean, variance, weight, bias), (..., epsilon).
inline constexpr function<detail::batch_norm_inference_body> batch_norm_inference{};

}  // namespace tenon
