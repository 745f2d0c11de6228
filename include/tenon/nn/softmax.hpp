// SPDX-License-Identifier: Apache-2.0
#pragma once
// The softmax family, written over primitives as a user would write it.

#include "tenon/nn/options.hpp"

namespace tenon {
namespace detail {

// The maximum only keeps exponentials small: the result does not depend on it. It is subtracted in floating point: the
// difference of unsigned integers, or of distant ones, would wrap.

struct softmax_body {
  template <dtype D, extent... E, int... Axes>
  constexpr auto operator()(value<D, E...> const& operand, axis_t<Axes...> along) const {
    auto x = as_floating(operand);
    auto shifted = exp(x - stop_gradient(max(x, along, keepdim)));
    return shifted * reciprocal(sum(shifted, along, keepdim));  // one division per row: the sum is at least 1
  }
  template <class... A>
  constexpr auto operator()(A const&...) const {
    static_assert(is_known_form<A...>, "tenon: softmax: the arguments are not a value and an axis; write tn::softmax(x, tn::axis<-1>)");
    return refused{};
  }
};

struct log_softmax_body {
  template <dtype D, extent... E, int... Axes>
  constexpr auto operator()(value<D, E...> const& operand, axis_t<Axes...> along) const {
    auto x = as_floating(operand);
    auto shifted = x - stop_gradient(max(x, along, keepdim));
    return shifted - log(sum(exp(shifted), along, keepdim));
  }
  template <class... A>
  constexpr auto operator()(A const&...) const {
    static_assert(is_known_form<A...>, "tenon: log_softmax: the arguments are not a value and an axis; write tn::log_softmax(x, tn::axis<-1>)");
    return refused{};
  }
};

}  // namespace detail

// exp(x - max) / sum of it along the axis; a row of only -inf gives NaN.
inline constexpr function<detail::softmax_body> softmax{};
// x - max - log(sum(exp(x - max))) along the axis.
inline constexpr function<detail::log_softmax_body> log_softmax{};

// softmax of -x.
inline constexpr function softmin{[](auto x, auto along) { return softmax(-detail::as_floating(x), along); }};

}  // namespace tenon
