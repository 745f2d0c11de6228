// SPDX-License-Identifier: Apache-2.0
#pragma once
// The operators of the ONNX standard whose meaning differs from Tenon's function of that name, or
// that have none: written over Tenon's functions as a user would write them. The standard keeps the
// operand's dtype where Tenon promotes.

#include <limits>
#include <tuple>

#include "tenon/tenon.hpp"

namespace standard {

namespace tn = tenon;
using tn::axis;
using tn::keepdim;

inline constexpr double infinity = std::numeric_limits<double>::infinity(),
                        nan = std::numeric_limits<double>::quiet_NaN();

template <class X> inline constexpr bool is_floating = tn::is_floating(X::type);
template <class X> inline constexpr int rank_of = X::rank;

// v in the dtype of x.
template <class X, class V> constexpr auto like(X, V v) {
  if constexpr (X::type == V::type)
    return v;
  else
    return tn::cast<tn::storage_t<X::type>>(v);
}

// axis<First, ..., Last - 1>
template <int First, int... I> constexpr auto axes_of(std::integer_sequence<int, I...>) {
  return axis<(First + I)...>;
}
template <int First, int Last>
inline constexpr auto axes = axes_of<First>(std::make_integer_sequence<int, Last - First>{});

// x * weight + bias, of which both may be absent.
template <class X, class... Parameters> constexpr auto scaled(X x, Parameters... given) {
  if constexpr (sizeof...(given) == 2)
    return tn::fma(x, given...);
  else
    return (x * ... * given);
}

// --- elementwise
// ------------------------------------------------------------------------------------------------

// Integers truncate towards zero.
template <class X, class Y> constexpr auto div(X x, Y y) {
  if constexpr (is_floating<X>)
    return x / y;
  else
    return tn::floor_divide(x - tn::fmod(x, y), y);
}
template <class X, class Low, class High> constexpr auto clip(X x, Low low, High high) {
  return like(x, tn::minimum(tn::maximum(x, low), high));
}
template <class X> constexpr auto selu(X x, double alpha, double gamma) {
  return gamma * tn::where(x > 0, x, alpha * tn::expm1(tn::minimum(x, 0)));
}
template <class X> constexpr auto hard_sigmoid(X x, double alpha, double beta) {
  return tn::clamp(alpha * x + beta, 0, 1);
}
template <class X> constexpr auto shrink(X x, double lambda, double bias) {
  return like(x, tn::where(x < -lambda, x + bias, tn::where(x > lambda, x - bias, x * 0)));
}
template <class X> constexpr auto swish(X x, double alpha) { return x * tn::sigmoid(alpha * x); }

// --- reductions
// -------------------------------------------------------------------------------------------------

// An empty list of axes reduces nothing: every element is a reduction of its own.
template <class X, class Reduce, int... Axes, class... Keep>
constexpr auto reduce(X x, Reduce reduction, tn::axis_t<Axes...> along, Keep... keep) {
  if constexpr (sizeof...(Axes) == 0)
    return like(x, reduction(tn::unsqueeze(x, axis<0>), axis<0>));
  else
    return like(x, reduction(x, along, keep...));
}
inline constexpr struct {
  template <class X, class... Options> constexpr auto operator()(X x, Options... options) const {
    return tn::log(tn::sum(x, options...));
  }
} log_sum{};

template <class X, int... Axes> constexpr bool is_empty(tn::axis_t<Axes...>) {
  return ((X::extents[Axes] == tn::extent(0)) || ...);
}
// The extremum of nothing is the identity of its operation.
template <bool IsMaximum> struct extremum {
  template <class X, class Along, class... Keep>
  constexpr auto operator()(X x, Along along, Keep... keep) const {
    if constexpr (is_empty<X>(Along{}))
      return tn::where(tn::any(x, along, keep...), identity<X>(), identity<X>());
    else if constexpr (IsMaximum)
      return tn::max(x, along, keep...);
    else
      return tn::min(x, along, keep...);
  }

 private:
  template <class X> static constexpr auto identity() {
    using number = tn::arithmetic_t<X::type>;
    using limits = std::numeric_limits<number>;
    if constexpr (is_floating<X>)
      return static_cast<number>(IsMaximum ? -infinity : infinity);
    else
      return IsMaximum ? limits::lowest() : limits::max();
  }
};

// --- normalisations
// ---------------------------------------------------------------------------------------------

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

// --- views and products
// -----------------------------------------------------------------------------------------

template <long long... Extents, class X, int... I>
constexpr auto expand_aligned(X x, std::integer_sequence<int, I...>) {
  constexpr int missing = static_cast<int>(sizeof...(Extents)) - X::rank;
  return tn::broadcast_to(x, tn::shape<(I >= missing && Extents == 1 ? -1 : Extents)...>);
}
// Broadcasts in both directions: an extent of 1 keeps the operand's.
template <long long... Extents, class X> constexpr auto expand(X x) {
  if constexpr (sizeof...(Extents) < X::rank)
    return expand<-1, Extents...>(x);
  else
    return expand_aligned<Extents...>(x, std::make_integer_sequence<int, sizeof...(Extents)>{});
}
// [..., M, K] and [..., K, N]; an operand of rank 1 is a row on the left and a column on the right.
template <class X, class Y> constexpr auto matmul(X x, Y y) {
  if constexpr (X::rank == 1 && Y::rank == 1)
    return like(x, tn::sum(x * y));
  else if constexpr (X::rank == 1)
    return like(x, tn::sum(tn::unsqueeze(x, axis<1>) * y, axis<-2>));
  else if constexpr (Y::rank == 1)
    return like(x, tn::sum(x * y, axis<-1>));
  else
    return like(x, tn::sum(tn::unsqueeze(x, axis<-1>) * tn::unsqueeze(y, axis<-3>), axis<-2>));
}

// --- steps of optimizers
// ----------------------------------------------------------------------------------------

template <class Rate, class Step, class X, class Gradient, class Squares>
constexpr auto adagrad(Rate rate, Step step, X x, Gradient gradient, Squares squares, double decay,
                       double epsilon, double norm) {
  auto g = norm * x + gradient;
  auto h = squares + tn::square(g);
  return std::tuple(like(x, x - rate / (1 + step * decay) * g / (tn::sqrt(h) + epsilon)), h);
}
template <class Rate, class Step, class X, class Gradient, class V, class H>
constexpr auto adam(Rate rate, Step step, X x, Gradient gradient, V first, H second, double alpha,
                    double beta, double epsilon, double norm, double norm_post) {
  auto g = norm * x + gradient;
  auto v = alpha * first + (1 - alpha) * g;
  auto h = beta * second + (1 - beta) * tn::square(g);
  auto power = [&](double base) { return tn::pow(base, like(rate, step)); };
  auto corrected = tn::where(step > 0, rate * tn::sqrt(1 - power(beta)) / (1 - power(alpha)), rate);
  return std::tuple((1 - norm_post) * (x - corrected * v / (tn::sqrt(h) + epsilon)), v, h);
}
template <bool IsNesterov, class Rate, class Step, class X, class Gradient, class V>
constexpr auto momentum(Rate rate, Step step, X x, Gradient gradient, V velocity, double alpha,
                        double beta, double norm) {
  auto g = norm * x + gradient;
  auto v = alpha * velocity + tn::where(step > 0, beta, 1.0) * g;
  if constexpr (IsNesterov)
    return std::tuple(x - rate * (g + alpha * v), v);
  else
    return std::tuple(x - rate * v, v);
}

// --- quantisation
// -----------------------------------------------------------------------------------------------

// A scale of one value, or one for each position of an axis.
template <int Axis, class X, class Scale> constexpr auto per_axis(X x, Scale scale) {
  if constexpr (Scale::rank == 1 && Axis + 1 < X::rank) {
    if constexpr (Scale::extents[0].is_one())
      return scale;
    else
      return per_axis<Axis + 1>(x, tn::unsqueeze(scale, axis<-1>));
  } else {
    return scale;
  }
}

}  // namespace standard
