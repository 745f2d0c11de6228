// SPDX-License-Identifier: Apache-2.0
#pragma once
// Argument types → what a call of an expression is made of: its memory space, its results' types, its description.

#include "tenon/program/inner_columns.hpp"
#include "tenon/runtime/argument.hpp"
#include "tenon/runtime/description.hpp"
#include "tenon/runtime/plan_key.hpp"

namespace tenon::detail {

// The memory space of an argument, void where it has none, and whether its parts agree on it.
template <class T>
struct space_of {
  using type = void;
  static constexpr bool agrees = true;
};
template <class Space, class T, extent... E>
struct space_of<basic_view<Space, T, E...>> {
  using type = Space;
  static constexpr bool agrees = true;
};
template <class Space, class T, extent... E>
struct space_of<basic_tensor<Space, T, E...>> : space_of<basic_view<Space, T, E...>> {};

template <class... Spaces>
struct joined_space : space_of<void> {};
template <class First, class... Rest>
struct joined_space<First, Rest...> {
  using one = typename First::type;
  using other = typename joined_space<Rest...>::type;
  using type = std::conditional_t<std::is_void_v<one>, other, one>;
  static constexpr bool agrees = First::agrees && joined_space<Rest...>::agrees &&
                                 (std::is_void_v<one> || std::is_void_v<other> || std::is_same_v<one, other>);
};
template <class Fn, class... Args>
struct space_of<expression<Fn, Args...>> : joined_space<space_of<Args>...> {};

// The memory space of a call: that of its arrays, which all agree.
template <class... Args>
struct common_space : joined_space<space_of<Args>...> {
  using joined = typename joined_space<space_of<Args>...>::type;
  using type = std::conditional_t<std::is_void_v<joined>, default_space, joined>;
};

// The C++ type that results of dtype D have: an argument's own spelling of it (::__half), else the library's.
template <dtype D, class... Args>
struct element_for {
  using type = storage_t<D>;
};
template <dtype D, class First, class... Rest>
struct element_for<D, First, Rest...> : element_for<D, Rest...> {};
template <dtype D, class First, class... Rest> requires(is_array_argument<First> && dtype_of<typename First::value_type> == D)
struct element_for<D, First, Rest...> {
  using type = typename First::value_type;
};

template <class Space, class Value, class... Args>
struct result_tensor;
template <class Space, dtype D, extent... E, class... Args>
struct result_tensor<Space, value<D, E...>, Args...> {
  using type = basic_tensor<Space, typename element_for<D, Args...>::type, E...>;
};

// Result handles as a list of tensor types.
template <class Result, class Space, class... Args>
struct result_tensors {
  static constexpr bool is_single = true;
  using returned = typename result_tensor<Space, Result, Args...>::type;
  using type = outputs_t<returned>;
};
template <class... Values, class Space, class... Args>
struct result_tensors<outputs_t<Values...>, Space, Args...> {
  static constexpr bool is_single = false;
  using type = outputs_t<typename result_tensor<Space, Values, Args...>::type...>;
  using returned = type;
};

template <class Tensors>
inline constexpr int total_rank = 0;
template <class... Tensors>
inline constexpr int total_rank<outputs_t<Tensors...>> = (0 + ... + Tensors::rank);

// All that belongs to one expression for one list of argument types.
template <class Function, class... Args>
struct signature {
  using lowered_type = lowered<Function, argument_t<Args>...>;
  using space = typename common_space<Args...>::type;
  using result = result_of<Function, argument_t<Args>...>;
  using results = typename result_tensors<result, space, Args...>::type;
  static constexpr bool is_single = result_tensors<result, space, Args...>::is_single;
  using returned = typename result_tensors<result, space, Args...>::returned;
  static constexpr int input_count = lowered_type::flat.argument_count;
  static constexpr int output_count = lowered_type::flat.output_count;
  static constexpr tenon::family const* family = lowered_type::flat.chosen;
  // Of a call whose results are made for it. A tensor is row-major memory of its own; a view may be anything.
  static constexpr column_order columns = [] {
    bool are_tensors[at_least_one(input_count)] = {};
    int k = 0;
    ((is_array_argument<Args> ? void(are_tensors[k++] = is_tensor<Args>) : void(k += std::is_arithmetic_v<Args>)), ...);
    return order_of_columns(lowered_type::chosen::about, are_tensors);
  }();
  // Of all arguments, then of all outputs with extents and strides.
  static constexpr int shape_words = (0 + ... + detail::shape_words<Args>) + 2 * total_rank<results>;
  static description describe() { return describe_call<Function, argument_t<Args>...>(); }
  static description const& describe_in_full() { return describe_expression<Function, argument_t<Args>...>(); }
};

// Outputs as the caller gave them.
template <class Array>
constexpr auto writable(Array& array) {
  if constexpr (is_tensor<std::remove_const_t<Array>>)
    return array.view();
  else
    return array;
}
template <class Array>
using writable_view = std::remove_const_t<decltype(writable(std::declval<Array&>()))>;

}  // namespace tenon::detail
