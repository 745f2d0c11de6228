// SPDX-License-Identifier: Apache-2.0
#pragma once
// cumsum and the other scans along one axis.

#include "tenon/capture/function.hpp"
#include "tenon/ops/tables.hpp"

namespace tenon {

struct exclusive_t {};
// Element i of a scan takes in the elements before i, not i itself.
inline constexpr exclusive_t exclusive{};
struct reversed_t {};
// A scan that begins at the last element.
inline constexpr reversed_t reversed{};

namespace detail {

template <class Op>
struct scan_body {
  template <dtype D, extent... E, int Axis, class... Options>
  constexpr auto operator()(value<D, E...> const& x, axis_t<Axis>, Options...) const {
    using operand = value<D, E...>;
    constexpr bool is_known = ((std::is_same_v<Options, exclusive_t> || std::is_same_v<Options, reversed_t>) && ...);
    static_assert(is_known, "tenon: scan: an option is none that scans have; give tn::exclusive or tn::reversed");
    if constexpr (!is_known) {
      return refused{};
    } else if constexpr (!check_axes<operand::rank, Axis>()) {
      return refused{};
    } else {
      long long const how = ((std::is_same_v<Options, exclusive_t> ? ops::scan_excludes : ops::scan_reverses) | ... | 0);
      return value_t<Op::rule.result(D), shape_of<operand>>{
          x.owner, build::scan(*x.owner, op_id<Op>, x.id, normalized(Axis, operand::rank), how)};
    }
  }
  template <class... A>
  constexpr auto operator()(A const&...) const {
    static_assert(is_known_form<A...>, "tenon: scan: the arguments are not a value and one axis; write tn::cumsum(x, tn::axis<1>), with tn::exclusive or tn::reversed");
    return refused{};
  }
};

}  // namespace detail

// Element i is the sum of the elements up to i along the axis; integers and bool are summed as i64.
inline constexpr function<detail::scan_body<ops::cumulative_sum>> cumsum{};
inline constexpr function<detail::scan_body<ops::cumulative_product>> cumprod{};
inline constexpr function<detail::scan_body<ops::cumulative_maximum>> cummax{};
inline constexpr function<detail::scan_body<ops::cumulative_minimum>> cummin{};
// log of the sum of the exponentials of the elements up to i.
inline constexpr function<detail::scan_body<ops::cumulative_log_sum_exp>> logcumsumexp{};

}  // namespace tenon
