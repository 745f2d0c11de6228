// SPDX-License-Identifier: Apache-2.0
#pragma once
// Argument types → what a call of an expression is made of: its memory space, its results' types, its description.

#include <tuple>

#include "tenon/runtime/argument.hpp"
#include "tenon/runtime/description.hpp"

namespace tenon::detail {

// The memory space of a call: that of its arrays, which all agree.
template <class... Args>
struct common_space {
  using type = default_space;
  static constexpr bool agrees = true;
};
template <class First, class... Rest>
struct common_space<First, Rest...> : common_space<Rest...> {};
template <class First, class... Rest> requires is_array_argument<First>
struct common_space<First, Rest...> {
  using type = typename First::space;
  template <class T>
  static constexpr bool is_elsewhere() {
    if constexpr (is_array_argument<T>)
      return !std::is_same_v<type, typename T::space>;
    else
      return false;
  }
  static constexpr bool agrees = !(is_elsewhere<Rest>() || ...);
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

// Result handles as a tuple of tensor types.
template <class Result, class Space, class... Args>
struct result_tensors {
  static constexpr bool is_single = true;
  using type = std::tuple<typename result_tensor<Space, Result, Args...>::type>;
};
template <class... Values, class Space, class... Args>
struct result_tensors<outputs_t<Values...>, Space, Args...> {
  static constexpr bool is_single = false;
  using type = std::tuple<typename result_tensor<Space, Values, Args...>::type...>;
};

// All that belongs to one expression for one list of argument types.
template <class Function, class... Args>
struct signature {
  using lowered_type = lowered<Function, argument_t<Args>...>;
  using space = typename common_space<Args...>::type;
  using result = result_of<Function, argument_t<Args>...>;
  using results = typename result_tensors<result, space, Args...>::type;
  static constexpr bool is_single = result_tensors<result, space, Args...>::is_single;
  static constexpr int input_count = lowered_type::flat.argument_count;
  static constexpr int output_count = lowered_type::flat.output_count;
  static constexpr tenon::family const* family = lowered_type::flat.chosen;
  static description const& describe() { return describe_call<Function, argument_t<Args>...>(); }
  static description const& describe_in_full() { return describe_expression<Function, argument_t<Args>...>(); }
};

// Outputs as the caller gave them.
template <class Array>
constexpr auto writable(Array& array) {
  if constexpr (is_tensor<Array>)
    return array.view();
  else
    return array;
}
template <class Array>
using writable_view = decltype(writable(std::declval<Array&>()));

}  // namespace tenon::detail
