// SPDX-License-Identifier: Apache-2.0
#pragma once
// Activations that are other operators under a name of their own.

#include "tenon/nn/options.hpp"

namespace tenon {
namespace detail {

struct hardtanh_body {
  template <class X, class Low = double, class High = double>
  constexpr auto operator()(X x, Low low = -1.0, High high = 1.0) const {
    return clamp(x, low, high);
  }
};

}  // namespace detail

// min(max(x, 0), 6)
inline constexpr function relu6{[](auto x) { return clamp(x, 0, 6); }};

// x between low and high, -1 and 1 unless given: (x), (x, low, high).
inline constexpr function<detail::hardtanh_body> hardtanh{};

// leaky_relu with a learned slope, which broadcasts: for channels first it has the shape [C, 1, 1].
inline constexpr function prelu{[](auto x, auto slope) { return leaky_relu(x, slope); }};

// x where it is positive, otherwise alpha * (exp(x / alpha) - 1); alpha is 1 unless given. The exponential of a positive x,
// which may be infinite, takes no part in the gradient either.
inline constexpr function celu{[](auto x, auto... given) {
  auto alpha = detail::option_or(1.0, given...);
  return where(x > 0, x, alpha * expm1(where(x > 0, 0, x) / alpha));
}};

// silu(gate) * x: the gated unit of transformers.
inline constexpr function swiglu{[](auto gate, auto x) { return silu(gate) * x; }};

}  // namespace tenon
