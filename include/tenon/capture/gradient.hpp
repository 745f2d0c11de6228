// SPDX-License-Identifier: Apache-2.0
#pragma once
// Calls of differentiated functions on handles: value, gradients and products with cotangents as further nodes of the graph.

#include "tenon/capture/gradient/request.hpp"
#include "tenon/capture/gradient/reverse.hpp"
#include "tenon/capture/gradient/stand_in.hpp"

namespace tenon::detail {

// The function's results as types.
template <class Result>
struct result_list {
  static constexpr int count = is_value<Result> ? 1 : 0;
  static constexpr bool are_floating = is_value<Result> && is_floating(typed<Result>().type);
  static constexpr bool is_number = are_floating && extents_of<Result>().size() == 0;
};
template <class... Values>
struct result_list<outputs_t<Values...>> {
  static constexpr int count = sizeof...(Values);
  static constexpr bool are_floating = (result_list<Values>::are_floating && ...);
  static constexpr bool is_number = false;
};

// Gradients in the types of the arguments, after what stands before them.
template <class Before, class... A, std::size_t... I>
constexpr auto gradients_as(graph& g, constexpr_vector<int> const& ids, Before const& before, auto by,
                            std::index_sequence<I...>) {
  auto const all = [&](auto... gradients) {
    if constexpr (std::is_same_v<Before, refused> && sizeof...(gradients) == 1)
      return (gradients, ...);
    else if constexpr (std::is_same_v<Before, refused>)
      return outputs(gradients...);
    else
      return outputs(before, gradients...);
  };
  return all(argument_at<by()[static_cast<int>(I)], A...>{&g, ids[static_cast<int>(I)]}...);
}

// The results and gradients of one call. weigh(graph, results) gives the cotangents of the results.
template <class Function, class Wrt, bool WithValue, class Weigh, class... A>
constexpr auto record_gradients(Weigh const& weigh, A const&... arguments) {
  using operators = operators_of<Function, Wrt, A...>;
  graph& g = graph_of(arguments...);
  stand_ins standing(g);
  auto const stand_in = [&](auto const& argument) {
    auto result = argument;
    if constexpr (is_value<decltype(result)>) result.id = standing.node_for(argument.id);
    return result;
  };
  value_pack<A...> const handles{stand_in(arguments)...};
  auto result = unpack(handles, Function{});
  constexpr_vector<int> results;
  append_node(results, result);
  constexpr_vector<int> gradients =
      reverse(g, results, weigh(g, results), nodes_of(handles, operators::by), rules_for<operators>::all());
  constexpr_vector<int> const moved = standing.resolve();
  for (int& id : gradients) id = moved[id];
  auto const by = [] { return operators::by; };
  using indices = std::make_index_sequence<static_cast<std::size_t>(operators::by.size())>;
  if constexpr (WithValue) {
    result.id = moved[result.id];
    return gradients_as<decltype(result), A...>(g, gradients, result, by, indices{});
  } else {
    return gradients_as<refused, A...>(g, gradients, refused{}, by, indices{});
  }
}

// The derivative of a number by itself.
struct weight_of_one {
  constexpr constexpr_vector<int> operator()(graph& g, constexpr_vector<int> const& results) const {
    return {1, build::literal(g, g[results[0]].type, 1)};
  }
};

// value_and_grad and grad.
template <class Function, class Wrt, bool WithValue>
struct gradient_body {
  template <class... A>
  constexpr auto operator()(A const&... arguments) const {
    if constexpr ((is_refused<A> || ...)) {
      return refused{};
    } else {
      constexpr bool is_callable = takes<Function, A...>;
      static_assert(is_callable, "tenon: grad: the function does not take these arguments; give as many as it has parameters");
      if constexpr (!is_callable)
        return refused{};
      else
        return of_result<decltype(Function{}(arguments...))>(arguments...);
    }
  }

 private:
  template <class Result, class... A>
  static constexpr auto of_result(A const&... arguments) {
    constexpr bool is_refused_result = is_refused<Result>, is_number = result_list<Result>::is_number;
    constexpr position_list by = differentiated_positions<A...>(Wrt{});
    constexpr bool has_argument = !by.empty(), are_arguments = are_differentiable<A...>(by);
    static_assert(is_refused_result || is_number, "tenon: grad: the function's result is not one floating-point number; reduce it, as with tn::mean, or give a cotangent of its shape to tn::vjp(f)(x, cotangent)");
    static_assert(has_argument, "tenon: grad: no argument is floating-point and has axes; name those to differentiate by, as in tn::grad(f, tn::wrt<0>)");
    static_assert(are_arguments, "tenon: grad: tn::wrt names a position at which there is no floating-point value; count the arguments from 0");
    if constexpr (is_refused_result || !is_number || !has_argument || !are_arguments)
      return refused{};
    else if constexpr (!rules_for<operators_of<Function, Wrt, A...>>::are_known())
      return refused{};
    else
      return record_gradients<Function, Wrt, WithValue>(weight_of_one{}, arguments...);
  }
};

}  // namespace tenon::detail
