// SPDX-License-Identifier: Apache-2.0
#pragma once
// Function objects of the DSL: the same name records a node when called on handles and a tree when called on tensors.

#include "tenon/capture/checks.hpp"
#include "tenon/capture/expression.hpp"

namespace tenon {

// Wraps a stateless callable over handles. A composite of the library, or of the user, is `function{[](auto x) {...}}`.
template <class Body>
struct function {
  constexpr function() = default;
  constexpr function(Body) {}

  template <class... Args>
  constexpr auto operator()(Args const&... args) const {
    if constexpr ((detail::is_refused<Args> || ...))
      return refused{};
    else if constexpr ((detail::is_lazy<Args> || ...))
      return detail::make_expression<function>(args...);
    else
      return Body{}(args...);
  }
};

namespace detail {

template <class Op>
struct pointwise_body {
  template <class... A>
  constexpr auto operator()(A const&... operands) const {
    static_assert(sizeof...(A) == Op::arity, "tenon: call: wrong number of operands; see the operator's entry in docs/operators.md");
    if constexpr (check_operands<A...>()) {
      if constexpr (check_shapes<A...>()) {
        graph& g = graph_of(operands...);
        return value_t<result_dtype<A...>(), broadcast_all<shape_of<A>...>>{
            &g, build::pointwise(g, op_id<Op>, {{node_of(g, operands)...}, Op::arity})};
      } else {
        return refused{};
      }
    } else {
      return refused{};
    }
  }

 private:
  template <class... A>
  static constexpr bool check_shapes() {
    if constexpr (sizeof...(A) > 1)
      return check_broadcast<shape_of<A>...>();
    else
      return true;
  }
  template <class... A>
  static constexpr dtype result_dtype() {
    typed_operand all[] = {typed<A>()...}, promoted = all[Op::rule.first_promoted];
    for (int k = Op::rule.first_promoted + 1; k < Op::arity; ++k)
      promoted = {promote(promoted, all[k]), promoted.rank > all[k].rank ? promoted.rank : all[k].rank};
    return Op::rule.result(promoted.type);
  }
};

template <class Value, int... Axes>
struct reduced_shape {
  static constexpr unsigned mask = sizeof...(Axes) ? axis_mask<Value::rank, Axes...>() : (1u << Value::rank) - 1;
  static constexpr type_shape compute(bool keep) {
    type_shape result;
    for (int k = 0; k < Value::rank; ++k)
      if (!(mask >> k & 1u))
        result.push_back(Value::extents[k]);
      else if (keep)
        result.push_back(extent(1));
    return result;
  }
  static constexpr type_shape extents = compute(false);
};
template <class Value, int... Axes>
struct kept_shape {
  static constexpr type_shape extents = reduced_shape<Value, Axes...>::compute(true);
};

// Gives the reduced axes back with extent 1.
constexpr int restore_axes(graph& g, int id, unsigned axes, int rank) {
  attribute map;
  dim_list dims;
  for (int k = 0; k < rank; ++k) {
    if (!(axes >> k & 1u)) map.push_back(k);
    dims.push_back(axes >> k & 1u ? unit_dim : g[id].dims[map.size() - 1]);
  }
  return build::broadcast(g, id, map, dims);
}

template <class... Options>
struct axis_option {
  using type = axis_t<>;
};
template <int... Axes, class... Rest>
struct axis_option<axis_t<Axes...>, Rest...> {
  using type = axis_t<Axes...>;
};
template <class First, class... Rest>
struct axis_option<First, Rest...> : axis_option<Rest...> {};

// A reduction as the user calls it: (x), (x, axis<...>), (x, axis<...>, keepdim). No axes means all of them.
// Reduce is a callable (graph&, operand id, axes, options...) -> node id with static `result_dtype(dtype)`, `accepts(dtype)`.
template <class Reduce>
struct reduction_body {
  template <dtype D, extent... E, class... Options>
  constexpr auto operator()(value<D, E...> const& x, Options... options) const {
    static_assert(Reduce::accepts(D), "tenon: reduction: it is not defined for this dtype; cast the operand to a floating dtype first");
    if constexpr (Reduce::accepts(D))
      return apply(x, typename axis_option<Options...>::type{}, options...);
    else
      return refused{};
  }

 private:
  template <dtype D, extent... E, int... Axes, class... Options>
  static constexpr auto apply(value<D, E...> const& x, axis_t<Axes...>, Options... options) {
    using operand = value<D, E...>;
    constexpr bool keep = (std::is_same_v<Options, keepdim_t> || ...);
    if constexpr (!check_axes<operand::rank, Axes...>()) {
      return refused{};
    } else {
      using reduced = reduced_shape<operand, Axes...>;
      constexpr dtype result = Reduce::result_dtype(D);
      int id = Reduce{}(*x.owner, x.id, reduced::mask, options...);
      if constexpr (keep)
        return value_t<result, kept_shape<operand, Axes...>>{
            x.owner, restore_axes(*x.owner, id, reduced::mask, operand::rank)};
      else
        return value_t<result, reduced>{x.owner, id};
    }
  }
};

}  // namespace detail
}  // namespace tenon
