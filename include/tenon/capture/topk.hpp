// SPDX-License-Identifier: Apache-2.0
#pragma once
// topk: the first few elements of an axis in order.

#include "tenon/capture/arg_reduction.hpp"
#include "tenon/capture/concat.hpp"
#include "tenon/capture/remap.hpp"
#include "tenon/ops/top.hpp"

namespace tenon {

struct smallest_t {};
// topk(x, axis, tn::ct<k>, tn::smallest): the least elements instead of the greatest.
inline constexpr smallest_t smallest{};

namespace detail {

// One reduction, whose state has all of them in order.
template <int Count, bool IsDescending>
struct reduced_topk {
  template <class X, int Axis>
  static constexpr auto run(X const& x, axis_t<Axis>) {
    graph& g = *x.owner;
    int const pair = build::pointwise(g, op_id<ops::indexed>, {{build::position_along(g, dim_list(g[x.id].dims), 1u << Axis), x.id}, 2});
    int const all = build::reduce(g, op_id<ops::top<Count, IsDescending>>, pair, 1u << Axis);
    return [&]<int... K>(std::integer_sequence<int, K...>) {
      auto const values = joined<Axis>(member<ops::top_value<K>, X::type, X, Axis>(g, all)...);
      auto const indices = joined<Axis>(member<ops::top_index<K>, dtype::i64, X, Axis>(g, all)...);
      return indexed_values<std::remove_const_t<decltype(values)>, std::remove_const_t<decltype(indices)>>{values, indices};
    }(std::make_integer_sequence<int, Count>{});
  }

 private:
  template <class Projection, dtype D, class X, int Axis>
  static constexpr auto member(graph& g, int state) {
    return value_t<D, kept_shape<X, Axis>>{&g, restore_axes(g, build::project(g, op_id<Projection>, state, D), 1u << Axis, X::rank)};
  }
  template <int Axis, class First, class... Rest>
  static constexpr auto joined(First const& first, Rest const&... rest) {
    if constexpr (sizeof...(Rest) == 0)
      return first;
    else
      return concat_body{}(first, rest..., axis<Axis>);
  }
};

// More elements than a state has: what comes of a sort of the whole axis. Defined by the header that sorts.
template <bool IsDescending>
struct sorted_topk;
template <bool IsDescending>
concept sorts = requires { sizeof(sorted_topk<IsDescending>); };

struct topk_body {
  template <dtype D, extent... E, int Axis, auto Count, class... Order>
  constexpr auto operator()(value<D, E...> const& x, axis_t<Axis>, ct_t<Count>, Order...) const {
    using operand = value<D, E...>;
    if constexpr (!check_axes<operand::rank, Axis>()) {
      return indexed_values<refused, refused>{};
    } else {
      constexpr int along = normalized(Axis, operand::rank);
      constexpr long long count = Count;
      constexpr bool is_descending = !(std::is_same_v<Order, smallest_t> || ...);
      static_assert(count >= 1, "tenon: topk: the number of elements is below 1; give at least tn::ct<1>");
      static_assert(count <= 16 || sorts<is_descending>, "tenon: topk: more than 16 elements take a sort of the axis; include <tenon/sort.hpp>");
      constexpr bool is_known = count >= 1 && (count <= 16 || sorts<is_descending>);
      constexpr bool is_enough = !is_known || !operand::extents[along].is_static() || operand::extents[along].size >= count;
      static_assert(is_enough, "tenon: topk: the axis has fewer elements than are asked for; give its length at most");
      if constexpr (!is_known || !is_enough) {
        return indexed_values<refused, refused>{};
      } else {
        require_at_least(x, along, count, "topk");
        if constexpr (count <= 16) {
          require_at_most(x, along, (1ll << 31) - 1, "topk of 2^31 elements or more");
          return reduced_topk<static_cast<int>(count), is_descending>::run(x, axis<along>);
        } else {
          return sorted_topk<is_descending>::run(x, axis<along>, ct<count>);
        }
      }
    }
  }
  template <class... A>
  constexpr auto operator()(A const&...) const {
    static_assert(is_known_form<A...>, "tenon: topk: the arguments are not a value, one axis and a number; write auto [values, indices] = tn::topk(x, tn::axis<1>, tn::ct<3>)");
    return indexed_values<refused, refused>{};
  }
};

}  // namespace detail

// auto [values, indices] = topk(x, axis, tn::ct<k>): the k greatest elements in descending order with their indices, i64; of
// equal ones the lowest index first. NaN is greater than any number. Up to 16 of them are one reduction of an axis of less than 2^31
// elements; more are a sort of the axis, for which <tenon/sort.hpp> is included, and can then be results or computed with, but not be
// reduced.
inline constexpr function<detail::topk_body> topk{};

}  // namespace tenon
