// SPDX-License-Identifier: Apache-2.0
#pragma once
// cumsum and the other scans along one axis.

#include "tenon/capture/arg_reduction.hpp"
#include "tenon/ops/indexed_scan.hpp"

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
      return nothing();
    } else if constexpr (!check_axes<operand::rank, Axis>()) {
      return nothing();
    } else {
      constexpr int along = normalized(Axis, operand::rank);
      long long const how = ((std::is_same_v<Options, exclusive_t> ? ops::scan_excludes : ops::scan_reverses) | ... | 0);
      graph& g = *x.owner;
      if constexpr (is_indexed) {
        int const position = build::position_along(g, dim_list(g[x.id].dims), 1u << along);
        int const pair = build::pointwise(g, op_id<ops::indexed>, {{position, x.id}, 2});
        int const scanned = build::scan(g, op_id<Op>, pair, along, how);
        value<D, E...> const values{&g, build::project(g, op_id<ops::chosen_value>, scanned, D)};
        value<dtype::i64, E...> const indices{&g, build::project(g, op_id<ops::chosen_index>, scanned, dtype::i64)};
        return indexed_values<value<D, E...>, value<dtype::i64, E...>>{values, indices};
      } else {
        return value_t<Op::rule.result(D), shape_of<operand>>{&g, build::scan(g, op_id<Op>, x.id, along, how)};
      }
    }
  }
  template <class... A>
  constexpr auto operator()(A const&...) const {
    static_assert(is_known_form<A...>, "tenon: scan: the arguments are not a value and one axis; write tn::cumsum(x, tn::axis<1>), with tn::exclusive or tn::reversed");
    return nothing();
  }

 private:
  static constexpr bool is_indexed = Op::has_state;
  static constexpr auto nothing() {
    if constexpr (is_indexed)
      return indexed_values<refused, refused>{};
    else
      return refused{};
  }
};

}  // namespace detail

// Element i is the sum of the elements up to i along the axis; integers and bool are summed as i64.
inline constexpr function<detail::scan_body<ops::cumulative_sum>> cumsum{};
inline constexpr function<detail::scan_body<ops::cumulative_product>> cumprod{};
inline constexpr function<detail::scan_body<ops::cumulative_maximum>> cummax{};
inline constexpr function<detail::scan_body<ops::cumulative_minimum>> cummin{};
// The extremum and its index: auto [values, indices] = tn::cummax_with_index(x, tn::axis<1>). Of equal ones the latest index;
// NaN from the first NaN on, with the index of the latest NaN. Of no elements (tn::exclusive) the index is -1.
inline constexpr function<detail::scan_body<ops::cumulative_arg_maximum>> cummax_with_index{};
inline constexpr function<detail::scan_body<ops::cumulative_arg_minimum>> cummin_with_index{};
// log of the sum of the exponentials of the elements up to i.
inline constexpr function<detail::scan_body<ops::cumulative_log_sum_exp>> logcumsumexp{};

}  // namespace tenon
