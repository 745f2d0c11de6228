// SPDX-License-Identifier: Apache-2.0
#pragma once
// topk: the first few elements of an axis in order, each by a reduction of what the ones before it leave.

#include "tenon/capture/arg_reduction.hpp"
#include "tenon/capture/concat.hpp"

namespace tenon {

struct smallest_t {};
// topk(x, axis, tn::ct<k>, tn::smallest): the least elements instead of the greatest.
inline constexpr smallest_t smallest{};

namespace detail {

// The greatest number of x's type, or the least, infinities among them.
template <bool IsGreatest, class X>
constexpr auto extreme_number(X const& x) {
  using number = arithmetic_t<X::type>;
  constexpr number extreme = IsGreatest ? math::largest<number> : math::smallest<number>;
  return value<X::type>{x.owner, std::is_floating_point_v<number>
                                     ? build::literal(*x.owner, X::type, static_cast<double>(extreme))
                                     : build::integer_literal(*x.owner, X::type, static_cast<long long>(extreme))};
}

template <class Op>
struct topk_chain {
  // Element number K of the order, and the K + 1 of them that are known then.
  template <class X, int Axis, long long Count, class Position, class... Found>
  static constexpr auto run(X const& x, axis_t<Axis> along, ct_t<Count> count, Position position, Found... found) {
    if constexpr (sizeof...(Found) == Count) {
      return indexed_values<decltype(joined(along, found.values...)), decltype(joined(along, found.indices...))>{
          joined(along, found.values...), joined(along, found.indices...)};
    } else {
      auto next = best<Axis>(x, position);
      // What was found comes after everything that was not.
      auto left = where(position == next.indices, ops::indexed_choice::no_index, position);
      return run(x, along, count, left, found..., next);
    }
  }

 private:
  template <int Axis, class X, class Position>
  static constexpr auto best(X const& x, Position position) {
    graph& g = *x.owner;
    constexpr bool is_lowest = std::is_same_v<Op, ops::first_in_order>;
    auto taken = where(position == ops::indexed_choice::no_index, extreme_number<is_lowest>(x), x);
    int pair = build::pointwise(g, op_id<ops::indexed>, {{build::broadcast_trailing(g, position.id, dim_list(g[x.id].dims)), taken.id}, 2});
    int chosen = build::reduce(g, op_id<Op>, pair, 1u << Axis);
    using kept = kept_shape<X, Axis>;
    value_t<X::type, kept> values{&g, restore_axes(g, build::project(g, op_id<ops::chosen_value>, chosen, X::type), 1u << Axis, X::rank)};
    value_t<dtype::i64, kept> indices{&g, restore_axes(g, build::project(g, op_id<ops::chosen_index>, chosen, dtype::i64), 1u << Axis, X::rank)};
    return indexed_values<decltype(values), decltype(indices)>{values, indices};
  }
  template <class Along, class First, class... Rest>
  static constexpr auto joined(Along along, First const& first, Rest const&... rest) {
    if constexpr (sizeof...(Rest) == 0)
      return first;
    else
      return concat_body{}(first, rest..., along);
  }
};

// More elements than there are reductions for: what comes of a sort of the whole axis. Defined by the header that sorts.
template <class Op>
struct sorted_topk;
template <class Op>
concept sorts = requires { sizeof(sorted_topk<Op>); };

struct topk_body {
  template <dtype D, extent... E, int Axis, auto Count, class... Order>
  constexpr auto operator()(value<D, E...> const& x, axis_t<Axis>, ct_t<Count>, Order...) const {
    using operand = value<D, E...>;
    if constexpr (!check_axes<operand::rank, Axis>()) {
      return indexed_values<refused, refused>{};
    } else {
      constexpr int along = normalized(Axis, operand::rank);
      constexpr long long count = Count;
      constexpr bool is_smallest = (std::is_same_v<Order, smallest_t> || ...);
      using op = std::conditional_t<is_smallest, ops::first_in_order, ops::arg_maximum>;
      static_assert(count >= 1, "tenon: topk: the number of elements is below 1; give at least tn::ct<1>");
      static_assert(count <= 16 || sorts<op>, "tenon: topk: more than 16 elements take a sort of the axis; include <tenon/sort.hpp>");
      constexpr bool is_known = count >= 1 && (count <= 16 || sorts<op>);
      constexpr bool is_enough = !is_known || !operand::extents[along].is_static() || operand::extents[along].size >= count;
      static_assert(is_enough, "tenon: topk: the axis has fewer elements than are asked for; give its length at most");
      if constexpr (!is_known || !is_enough) {
        return indexed_values<refused, refused>{};
      } else {
        require_at_least(x, along, count, "topk");
        if constexpr (count <= 16)
          return topk_chain<op>::run(x, axis<along>, ct<count>, iota(x, axis<along>));
        else
          return sorted_topk<op>::run(x, axis<along>, ct<count>);
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
// equal ones the lowest index first. NaN is greater than any number. Up to 16 of them each cost a pass over what is on chip; more are a
// sort of the axis, for which <tenon/sort.hpp> is included, and can then be results or computed with, but not be reduced.
inline constexpr function<detail::topk_body> topk{};

}  // namespace tenon
