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
  constexpr function(Body) {  // asserted here, so that the bodies of all operators wait for their first call
    static_assert(std::is_empty_v<Body>, "tenon: function: the lambda captures something; pass it as an argument of the call instead");
  }

  template <class... Args>
  constexpr auto operator()(Args const&... args) const {
    if constexpr ((detail::is_refused<Args> || ...) || !std::is_empty_v<Body>) {
      return refused{};
    } else if constexpr ((detail::is_lazy<Args> || ...)) {
      constexpr bool is_outside = (detail::is_value<Args> || ...);
      static_assert(!is_outside, "tenon: compile: the lambda uses a tensor from outside of it; pass it as an argument of the call instead");
      if constexpr (is_outside)
        return refused{};
      else  // on handles of the operands' types, so that a mistake is shown on this line and not at the assignment
        return expression_or_refused<decltype(function{}(std::declval<detail::handle_t<Args>>()...))>(args...);
    } else {
      constexpr bool is_callable = detail::takes<Body, Args...>;
      static_assert(is_callable, "tenon: call: the function has no form for these arguments; see its declaration for the forms");
      if constexpr (is_callable)
        return Body{}(args...);
      else
        return refused{};
    }
  }

 private:
  template <class Result, class... Args>
  static constexpr auto expression_or_refused(Args const&... args) {
    if constexpr (detail::is_refused<Result>)
      return refused{};
    else
      return detail::make_expression<function>(args...);
  }
};

namespace detail {

template <class Op>
struct pointwise_body {
  template <class... A>
  constexpr auto operator()(A const&... operands) const {
    constexpr operand_fault found = find_operand_fault<Op, A...>();
    static_assert(found != operand_fault::count, "tenon: operator: wrong number of operands; give as many as the operator has, one for exp(x), two for maximum(x, y)");
    static_assert(found != operand_fault::foreign, "tenon: operator: an operand is neither a value of the expression nor a number; pass tensors as arguments of the compiled function");
    static_assert(found != operand_fault::only_numbers, "tenon: operator: all operands are plain numbers; use std:: functions on numbers, or pass one as an argument of the call");
    static_assert(found != operand_fault::condition, "tenon: where: the condition is not boolean; compare it, as in tn::where(x != 0, a, b)");
    static_assert(found != operand_fault::last_axis, "tenon: broadcast: the extents of axis -1 (the last) differ; give both one length or one name, or build-time 1 to repeat an operand");
    static_assert(found != operand_fault::axis_2, "tenon: broadcast: the extents of axis -2 differ; give both one length or one name, or build-time 1 to repeat an operand");
    static_assert(found != operand_fault::axis_3, "tenon: broadcast: the extents of axis -3 differ; give both one length or one name, or build-time 1 to repeat an operand");
    static_assert(found != operand_fault::earlier_axis, "tenon: broadcast: the extents of an axis before axis -3 differ; give both one length or one name, or build-time 1 to repeat an operand");
    if constexpr (found != operand_fault::none) {
      return refused{};
    } else {
      graph& g = graph_of(operands...);
      constexpr dtype promoted = promoted_dtype<A...>();
      int id = build::pointwise(g, op_id<Op>, {{node_of(g, operands)...}, Op::arity}, promoted);
      if constexpr ((is_value<A> || ...))
        return value_t<Op::rule.result(promoted), broadcast_all<shape_of<A>...>>{&g, id};
      else
        return number<Op::rule.result(promoted)>{{&g, id}};
    }
  }

 private:
  // The dtype that the operands become: from the first promoted one on. Numbers alone stay as exact as they were written.
  template <class... A>
  static constexpr dtype promoted_dtype() {
    if constexpr ((is_value<A> || ...)) {
      typed_operand all[] = {typed<A>()...};
      return promote(all + Op::rule.first_promoted, all + Op::arity);
    } else {
      typed_operand all[] = {{written_dtype<A>(), priority::literal}...};
      return promote(all + Op::rule.first_promoted, all + Op::arity);
    }
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

enum class reduction_fault : unsigned char { none, operand, operands, keepdim, axis, axes, option };

// What is no number of an axis: a value with axes, or floating-point.
template <class Option>
constexpr bool is_second_operand() {
  if constexpr (is_value<Option>)
    return Option::rank > 0 || is_floating(Option::type);
  else
    return std::is_floating_point_v<Option>;
}

template <class X, class... Options>
constexpr reduction_fault find_reduction_fault() {
  if (!is_value<X>) return reduction_fault::operand;
  if ((is_second_operand<Options>() || ...)) return reduction_fault::operands;
  if ((std::is_same_v<Options, bool> || ...)) return reduction_fault::keepdim;
  if (((is_weakly_typed<Options> || is_value<Options>) || ...)) return reduction_fault::axis;
  if ((0 + ... + is_axis<Options>) > 1) return reduction_fault::axes;
  if (!((is_axis<Options> || is_correction<Options> || std::is_same_v<Options, keepdim_t>) && ...)) return reduction_fault::option;
  return reduction_fault::none;
}

// A reduction as the user calls it: (x), (x, axis<...>), (x, axis<...>, keepdim). No axes means all of them.
// Reduce is a callable (graph&, operand id, axes, options...) -> node id with static `result_dtype(dtype)` and
// `check<dtype>()`, which asserts that the dtype is accepted.
template <class Reduce>
struct reduction_body {
  template <class X, class... Options>
  constexpr auto operator()(X const& x, Options... options) const {
    constexpr reduction_fault found = find_reduction_fault<X, Options...>();
    static_assert(found != reduction_fault::operand, "tenon: reduction: the operand is not a value of the expression; pass it as an argument of the compiled function");
    static_assert(found != reduction_fault::operands, "tenon: reduction: a second operand is given; combine both first, or write tn::maximum(x, y), tn::minimum(x, y) for the extreme of two");
    static_assert(found != reduction_fault::keepdim, "tenon: reduction: keepdim is given as a bool; write tn::keepdim");
    static_assert(found != reduction_fault::axis, "tenon: reduction: an axis is given as a number; write tn::axis<1>");
    static_assert(found != reduction_fault::axes, "tenon: reduction: tn::axis is given twice; name all axes in one, as in tn::axis<0, 2>");
    static_assert(found != reduction_fault::option, "tenon: reduction: an option is none that reductions have; give tn::axis<...>, tn::keepdim, or tn::correction<n> for var");
    if constexpr (found != reduction_fault::none)
      return refused{};
    else if constexpr (!Reduce::template check<X::type>())
      return refused{};
    else
      return apply(x, typename axis_option<Options...>::type{}, options...);
  }

 private:
  template <class X, int... Axes, class... Options>
  static constexpr auto apply(X const& x, axis_t<Axes...>, Options... options) {
    constexpr bool keep = (std::is_same_v<Options, keepdim_t> || ...);
    if constexpr (!check_axes<X::rank, Axes...>()) {
      return refused{};
    } else {
      using reduced = reduced_shape<X, Axes...>;
      constexpr dtype result = Reduce::result_dtype(X::type);
      int id = Reduce{}(*x.owner, x.id, reduced::mask, options...);
      if constexpr (keep)
        return value_t<result, kept_shape<X, Axes...>>{
            x.owner, restore_axes(*x.owner, id, reduced::mask, X::rank)};
      else
        return value_t<result, reduced>{x.owner, id};
    }
  }
};

}  // namespace detail
}  // namespace tenon
