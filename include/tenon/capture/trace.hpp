// SPDX-License-Identifier: Apache-2.0
#pragma once
// lambda + argument types → graph: the lambda runs once, in constant evaluation, on handles.

#include "tenon/capture/function.hpp"
#include "tenon/capture/outputs.hpp"

namespace tenon {

// What an expression may depend on of each argument while it is built.
template <dtype D, extent... E>
struct tensor_argument {};
template <dtype D>
struct scalar_argument {};

namespace detail {

template <class Argument>
struct argument_handle;
template <dtype D, extent... E>
struct argument_handle<tensor_argument<D, E...>> {
  using type = value<D, E...>;
  static constexpr type make(graph& g) {
    graph_input in{D, {}, false};
    int position = g.inputs.size(), axis = 0;
    if constexpr (sizeof...(E) > 0) (in.dims.push_back(g.dims.of_input(position, axis++, E)), ...);
    g.inputs.push_back(in);
    return {&g, build::input(g, position)};
  }
};
template <dtype D>
struct argument_handle<scalar_argument<D>> {
  using type = value<D>;
  static constexpr type make(graph& g) {
    graph_input in{D, {}, true};
    g.inputs.push_back(in);
    return {&g, build::input(g, g.inputs.size() - 1)};
  }
};
template <auto V>
struct argument_handle<ct_t<V>> {
  using type = ct_t<V>;
  static constexpr type make(graph&) { return {}; }
};

template <class Function, class... Arguments>
using result_of = decltype(std::declval<Function const&>()(std::declval<typename argument_handle<Arguments>::type>()...));

template <class T>
inline constexpr bool is_outputs = false;
template <class... Values>
inline constexpr bool is_outputs<outputs_t<Values...>> = true;

template <dtype D, extent... E>
constexpr void add_output(graph& g, value<D, E...> const& v) {
  graph_output output;
  output.id = v.id;
  output.type = D;
  output.dims = g[v.id].dims;
  g.outputs.push_back(output);  // not from a braced list: nvcc 13.0 generates broken host code for it
}
template <class... Values>
constexpr void add_output(graph& g, outputs_t<Values...> const& all) {
  unpack(all.values, [&](auto const&... values) { (add_output(g, values), ...); });
}

}  // namespace detail

// @pre the lambda's result for these arguments is a value or `outputs` of values.
// @post verify(result) == nullptr
template <class Function, class... Arguments>
constexpr graph trace() {
  graph g;
  // A braced list makes the inputs in argument order.
  detail::value_pack<typename detail::argument_handle<Arguments>::type...> const handles{
      detail::argument_handle<Arguments>::make(g)...};
  detail::add_output(g, detail::unpack(handles, Function{}));
  return g;
}

}  // namespace tenon
