// SPDX-License-Identifier: Apache-2.0
#pragma once
// Normalisations of tensors with channels at axis 1: [N, C, ...]. Weight, bias and statistics have the shape [C].

#include "tenon/nn/normalization.hpp"
#include "tenon/nn/options.hpp"

namespace tenon {

// What batch_norm_training returns: auto [values, mean, variance] = tn::batch_norm_training(x, mean, variance);
template <class Values, class Mean, class Variance>
struct batch_normalized {
  Values values;
  Mean running_mean;
  Variance running_variance;
};
template <class Values, class Mean, class Variance>
batch_normalized(Values, Mean, Variance) -> batch_normalized<Values, Mean, Variance>;

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

// The running statistics of a batch normalisation move towards those of the batch, the variance being the unbiased one.
struct batch_norm_training_body {
  template <class X, class Mean, class Variance, class Momentum = double> requires is_weakly_typed<Momentum>
  constexpr auto operator()(X x, Mean running_mean, Variance running_variance, Momentum momentum = 0.1) const {
    constexpr auto along = all_but_channels::of<X>;
    return batch_normalized{batch_norm(x), towards(running_mean, mean(x, along), momentum), towards(running_variance, var(x, along), momentum)};
  }
  template <class X, class Mean, class Variance, class Weight, class Bias, class Momentum = double>
  constexpr auto operator()(X x, Mean running_mean, Variance running_variance, Weight weight, Bias bias, Momentum momentum = 0.1) const {
    auto [values, new_mean, new_variance] = (*this)(x, running_mean, running_variance, momentum);
    return batch_normalized{scale_channels(values, weight, bias), new_mean, new_variance};
  }

 private:
  static constexpr auto towards(auto running, auto now, auto momentum) { return (1 - momentum) * running + momentum * now; }
  static constexpr channel_norm_body<all_but_channels> batch_norm{};
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
// As batch_norm, with the running statistics after this batch: (x, mean, variance), (x, mean, variance, weight, bias),
// (..., momentum), which is 0.1 unless given: how much of the new statistics is the batch's.
inline constexpr function<detail::batch_norm_training_body> batch_norm_training{};
// Every channel by given statistics: (x, mean, variance), (x, mean, variance, weight, bias), (..., epsilon).
inline constexpr function<detail::batch_norm_inference_body> batch_norm_inference{};

}  // namespace tenon
