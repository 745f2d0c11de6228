// SPDX-License-Identifier: Apache-2.0
#pragma once
// Norms, counts and moments as reductions: called as sum is, with axes and keepdim.

#include "tenon/nn/options.hpp"

namespace tenon {

// What var_mean returns: auto [variance, mean] = tn::var_mean(x, tn::axis<1>);
template <class Variance, class Mean> struct variance_and_mean {
  Variance variance;
  Mean mean;
};

namespace detail {

// root(s), whose slope is infinite at 0: there its gradient is 0, which is one of those that a norm has.
template <class S, class Root> constexpr auto flat_at_zero(S s, Root root) {
  auto is_zero = s == 0;
  return with_gradient_of(root(s), where(is_zero, 0, root(where(is_zero, 1, s))));
}

struct norm_body {
  template <class X, auto Power, class... Options>
  constexpr auto operator()(X const& x, ct_t<Power>, Options... options) const {
    constexpr bool is_power = Power >= 0;
    static_assert(is_power,
                  "tenon: norm: the power is negative; give 0 or more, as in tn::norm(x, tn::ct<3>, "
                  "tn::axis<1>)");
    if constexpr (!is_power)
      return refused{};
    else if constexpr (Power == 0)
      return sum(cast<storage_t<X::type>>(x != 0), options...);
    else if constexpr (Power == 1)
      return sum(abs(widened(x)), options...);
    else if constexpr (Power == 2)
      return flat_at_zero(sum(square(as_floating(x)), options...), sqrt);
    else if constexpr (static_cast<double>(Power) > 1e300)
      return max(abs(widened(x)), options...);
    else
      return flat_at_zero(sum(pow(abs(as_floating(x)), Power), options...),
                          [](auto s) { return pow(s, 1.0 / static_cast<double>(Power)); });
  }
  template <class... A> constexpr auto operator()(A const&...) const {
    static_assert(is_known_form<A...>,
                  "tenon: norm: the arguments are not a value and a tn::ct; write tn::norm(x, "
                  "tn::ct<3>, tn::axis<1>)");
    return refused{};
  }
};

}  // namespace detail

inline constexpr function l1_norm{[](auto x, auto... options) { return sum(abs(detail::widened(x)), options...); }};
// The sum of squares overflows where a component is beyond the root of the largest number.
inline constexpr function l2_norm{[](auto x, auto... options) {
  return detail::flat_at_zero(sum(square(detail::as_floating(x)), options...), sqrt);
}};
inline constexpr function inf_norm{[](auto x, auto... options) { return max(abs(detail::widened(x)), options...); }};
// norm(x, tn::ct<p>, options...): the p-th root of the sum of |x|^p; p = 0 counts what is not 0, and
// of an infinite p it is the greatest magnitude.
inline constexpr function<detail::norm_body> norm{};
// The root of var, which takes tn::correction<n> too.
inline constexpr function stddev{[](auto x, auto... options) { return detail::flat_at_zero(var(x, options...), sqrt); }};
// auto [variance, mean] = tn::var_mean(x, options...), in one pass.
inline constexpr function var_mean{[](auto x, auto... options) {
  auto variance = var(x, options...);
  auto mean = detail::centre(x, options...);
  return variance_and_mean<decltype(variance), decltype(mean)>{variance, mean};
}};
inline constexpr function sum_of_squares{[](auto x, auto... options) {
  return sum(square(detail::widened(x)), options...);
}};
// An i64; NaN counts.
inline constexpr function count_nonzero{[](auto x, auto... options) { return sum(x != 0, options...); }};

}  // namespace tenon
