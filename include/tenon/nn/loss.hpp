// SPDX-License-Identifier: Apache-2.0
#pragma once
// Losses: the mean over all elements, or what a last argument says: tn::sum, tn::none.

#include "tenon/nn/options.hpp"

namespace tenon {

// Reduces nothing.
inline constexpr function none{[](auto x) { return x; }};

namespace detail {

// Terms gives the loss of every element; its third argument, a parameter of the loss, may be left out. A struct, because nvcc
// 13.0 generates wrong host code for a lambda inside two templates.
template <class Terms>
struct loss_body {
  template <class X, class Target>
  constexpr auto operator()(X x, Target target) const {
    return mean(Terms{}(x, target));
  }
  template <class X, class Target, class Option>
  constexpr auto operator()(X x, Target target, Option option) const {
    if constexpr (is_function<Option>)
      return option(Terms{}(x, target));
    else
      return mean(Terms{}(x, target, option));
  }
  template <class X, class Target, class Parameter, class Reduce>
  constexpr auto operator()(X x, Target target, Parameter parameter, Reduce reduce) const {
    return reduce(Terms{}(x, target, parameter));
  }
};

// Of integers as i64: those of unsigned types have no sign.
constexpr auto difference_of(auto x, auto target) { return widened(x) - widened(target); }

// Where a distance is chosen: the derivative of the square of an infinite one, times 0, would be NaN in the gradient.
constexpr auto half_square(auto is_near, auto distance) { return 0.5 * square(where(is_near, distance, 0)); }

struct squared_difference {
  constexpr auto operator()(auto x, auto target) const { return square(difference_of(x, target)); }
};
struct absolute_difference {
  constexpr auto operator()(auto x, auto target) const { return abs(difference_of(x, target)); }
};
struct huber_terms {
  constexpr auto operator()(auto x, auto target, auto... given) const {
    auto delta = option_or(1.0, given...);
    auto distance = abs(difference_of(x, target));
    auto is_near = distance <= delta;
    auto slope = slope_of(delta);
    return where(is_near, half_square(is_near, distance), slope * (distance - 0.5 * slope));
  }

 private:
  // Nothing is beyond an infinite delta, which times 0 would be NaN in the gradient of what is near.
  template <class Delta>
  static constexpr auto slope_of(Delta delta) {
    if constexpr (is_literal<Delta>)
      return static_cast<double>(delta) == __builtin_inf() ? Delta{} : delta;
    else
      return where(delta == __builtin_inf(), 0, delta);
  }
};
struct smooth_l1_terms {
  constexpr auto operator()(auto x, auto target, auto... given) const {
    auto beta = option_or(1.0, given...);
    auto distance = abs(difference_of(x, target));
    auto is_near = distance < beta;
    return where(is_near, half_square(is_near, distance) / divisor(beta), distance - 0.5 * beta);
  }

 private:
  // 0 / 0 would be in the gradient of what is not chosen.
  template <class Beta>
  static constexpr auto divisor(Beta beta) {
    if constexpr (is_literal<Beta>)
      return beta == 0 ? 1.0 : static_cast<double>(beta);
    else
      return where(beta == 0, 1, beta);
  }
};
// No term of the sum is negative, so nothing cancels in either tail. maximum and not relu, whose derivative at 0 is 0: that of
// maximum is half of both sides, with which the derivative of the loss is sigmoid(0) - target.
struct bce_with_logits_terms {
  constexpr auto operator()(auto logits, auto given, auto... positive_weight) const {
    auto x = as_floating(logits);
    auto target = widened(given);
    auto positive = (target * ... * widened(positive_weight)), negative = 1 - target;
    auto rest = softplus(-abs(x));
    if constexpr (sizeof...(positive_weight) == 0)
      return rest + positive * maximum(-x, 0) + negative * maximum(x, 0);
    else
      return rest * (positive + negative) + positive * maximum(-x, 0) + negative * maximum(x, 0);
  }
};
struct kl_div_terms {
  constexpr auto operator()(auto x, auto target) const { return where(target == 0, 0, target * (log(target) - x)); }
};
struct hinge_terms {
  constexpr auto operator()(auto x, auto target) const { return relu(1 - widened(x) * widened(target)); }
};

struct cosine_similarity_body {
  template <class X, class Y, int... Axes, class Epsilon = double>
  constexpr auto operator()(X x, Y y, axis_t<Axes...> along, Epsilon epsilon = 1e-8) const {
    // The maximum before the root, whose slope at 0 is infinite.
    auto length = [&](auto vector) { return sqrt(maximum(sum(square(vector), along), epsilon * epsilon)); };
    auto a = as_floating(x);
    auto b = as_floating(y);
    return sum(a * b, along) / (length(a) * length(b));
  }
};

struct cosine_embedding_body {
  template <class X, class Y, class Target, class... Given>
  constexpr auto operator()(X x, Y y, Target target, Given... given) const {
    return reduced(x, y, target, given...);
  }

 private:
  template <class X, class Y, class Target, class Margin, class Reduce>
  static constexpr auto apply(X x, Y y, Target target, Margin margin, Reduce reduce) {
    auto likeness = cosine_similarity_body{}(x, y, axis<-1>);
    return reduce(where(target > 0, 1 - likeness, relu(likeness - margin)));
  }
  template <class X, class Y, class Target, class... Given>
  static constexpr auto reduced(X x, Y y, Target target, Given... given) {
    if constexpr (sizeof...(Given) == 0)
      return apply(x, y, target, 0, mean);
    else if constexpr (sizeof...(Given) == 2)
      return apply(x, y, target, given...);
    else if constexpr ((is_function<Given> && ...))
      return apply(x, y, target, 0, given...);
    else
      return apply(x, y, target, given..., mean);
  }
};

}  // namespace detail

// (x - target)^2
inline constexpr function<detail::loss_body<detail::squared_difference>> mse_loss{};
// |x - target|
inline constexpr function<detail::loss_body<detail::absolute_difference>> l1_loss{};
// Quadratic up to a distance of delta (1), linear beyond: (x, target), (x, target, delta).
inline constexpr function<detail::loss_body<detail::huber_terms>> huber_loss{};
// huber_loss / beta; beta is 1 unless given, and 0 makes it l1_loss.
inline constexpr function<detail::loss_body<detail::smooth_l1_terms>> smooth_l1_loss{};
// -target log(sigmoid(x)) - (1 - target) log(1 - sigmoid(x)), optionally with a weight of the first term.
inline constexpr function<detail::loss_body<detail::bce_with_logits_terms>> bce_with_logits_loss{};
// target * (log(target) - x), x being the logarithm of a probability; 0 where target is 0.
inline constexpr function<detail::loss_body<detail::kl_div_terms>> kl_div_loss{};
// max(0, 1 - x * target), target being 1 or -1.
inline constexpr function<detail::loss_body<detail::hinge_terms>> hinge_loss{};
// The cosine of the angle between vectors along an axis, (x, y, axis) or (x, y, axis, epsilon): lengths below epsilon (1e-8)
// count as epsilon.
inline constexpr function<detail::cosine_similarity_body> cosine_similarity{};
// 1 - cosine along the last axis where the target is 1, max(0, cosine - margin) where it is -1: (x, y, target), then the
// margin (0).
inline constexpr function<detail::cosine_embedding_body> cosine_embedding_loss{};

}  // namespace tenon
