// SPDX-License-Identifier: Apache-2.0
#pragma once
// argmax and argmin, and the extremum together with its index.

#include "tenon/capture/functions.hpp"

namespace tenon {

// What max_with_index and min_with_index return: auto [values, indices] = tn::max_with_index(x, tn::axis<1>);
template <class Values, class Indices>
struct indexed_values {
  Values values;
  Indices indices;
};

namespace detail {

// The position counts along the reduced axes, in row-major order when they are several.
template <class Op, class Part>
struct arg_reduction {
  template <dtype>
  static constexpr bool check() {
    return true;
  }
  static constexpr dtype result_dtype(dtype d) { return std::is_same_v<Part, ops::chosen_index> ? dtype::i64 : d; }
  template <class... Options>
  constexpr int operator()(graph& g, int id, unsigned axes, Options...) const {
    int position = build::position_along(g, dim_list(g[id].dims), axes);
    int pair = build::pointwise(g, op_id<ops::indexed>, {{position, id}, 2});
    return build::project(g, op_id<Part>, build::reduce(g, op_id<Op>, pair, axes), result_dtype(g[id].type));
  }
};
template <class Op, class Part>
inline constexpr function<reduction_body<arg_reduction<Op, Part>>> chosen{};

template <class Op>
struct with_index_body {
  template <class X, class... Options>
  constexpr auto operator()(X const& x, Options... options) const {
    auto values = chosen<Op, ops::chosen_value>(x, options...);
    auto indices = chosen<Op, ops::chosen_index>(x, options...);
    if constexpr (is_refused<decltype(values)>)
      return indexed_values<refused, refused>{};
    else
      return indexed_values<decltype(values), decltype(indices)>{values, indices};
  }
};

}  // namespace detail

// The index of the greatest element, i64: the lowest one of equals, NaN before any number. Over several axes, or all when
// none are named, it counts in row-major order.
inline constexpr function<detail::reduction_body<detail::arg_reduction<ops::arg_maximum, ops::chosen_index>>> argmax{};
inline constexpr function<detail::reduction_body<detail::arg_reduction<ops::arg_minimum, ops::chosen_index>>> argmin{};
// The greatest element and its index, in one pass.
inline constexpr function<detail::with_index_body<ops::arg_maximum>> max_with_index{};
inline constexpr function<detail::with_index_body<ops::arg_minimum>> min_with_index{};

}  // namespace tenon
