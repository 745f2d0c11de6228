// SPDX-License-Identifier: Apache-2.0
#pragma once
// Normalisations, with the statistics that the standard gives beside the value.

#include "conformance/standard/support.hpp"

namespace standard {

template <int Axis, int P, class X> constexpr auto lp_normalization(X x) {
  auto norm = [&] {
    if constexpr (P == 1)
      return tn::l1_norm(x, axis<Axis>, keepdim);
    else
      return tn::l2_norm(x, axis<Axis>, keepdim);
  }();
  return tn::where(norm == 0, x * 0, x / norm);
}

// x [N, C, ...]: a parameter [C] beside it.
template <class X, class Parameter> constexpr auto per_channel(X x, Parameter p) {
  if constexpr (Parameter::rank + 1 < X::rank)
    return per_channel(x, tn::unsqueeze(p, axis<-1>));
  else
    return p;
}

// The value, the mean and the reciprocal of the standard deviation.
template <int Axis, class X, class... Parameters>
constexpr auto layer_norm(X x, double epsilon, Parameters... weight_and_bias) {
  constexpr auto along = axes<Axis, X::rank>;
  auto centre = tn::mean(x, along, keepdim);
  auto scale = tn::rsqrt(tn::var(x, along, keepdim, tn::correction<0>) + epsilon);
  return std::tuple(scaled((x - centre) * scale, weight_and_bias...), centre, scale);
}
template <int Axis, class X, class... Weight>
constexpr auto rms_norm(X x, double epsilon, Weight... weight) {
  return scaled(x * tn::rsqrt(tn::mean(tn::square(x), axes<Axis, X::rank>, keepdim) + epsilon),
                weight...);
}
// The value and the new running mean and variance.
template <class X, class Scale, class Bias, class Mean, class Variance>
constexpr auto batch_norm_training(X x, Scale scale, Bias bias, Mean running_mean,
                                   Variance running_variance, double epsilon, double momentum) {
  constexpr auto along = tn::detail::channel_axes<X>(axes<2, X::rank>);
  auto moved = [&](auto running, auto batch) {
    return momentum * running + (1 - momentum) * batch;
  };
  return std::tuple(tn::batch_norm(x, scale, bias, epsilon),
                    moved(running_mean, tn::mean(x, along)),
                    moved(running_variance, tn::var(x, along, tn::correction<0>)));
}
template <class X, int... Axes>
constexpr auto mean_variance_normalization(X x, tn::axis_t<Axes...> along) {
  return (x - tn::mean(x, along, keepdim)) /
         (tn::sqrt(tn::var(x, along, keepdim, tn::correction<0>)) + 1e-9);
}

}  // namespace standard
