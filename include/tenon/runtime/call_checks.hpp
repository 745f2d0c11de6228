// SPDX-License-Identifier: Apache-2.0
#pragma once
// The compile-time checks of a call: arguments, result, outputs, and that it is one kernel.

#include "tenon/runtime/refusals.hpp"
#include "tenon/runtime/signature.hpp"

namespace tenon::detail {

template <class T>
inline constexpr bool is_result = is_value<T>;
template <class... Values>
inline constexpr bool is_result<outputs_t<Values...>> = (is_value<Values> && ...);
template <class T>
inline constexpr bool is_refused_result = is_refused<T>;
template <class... Values>
inline constexpr bool is_refused_result<outputs_t<Values...>> = (is_refused<Values> || ...);

template <class Function, class... Args>
constexpr bool check_call() {
  static_assert(common_space<Args...>::agrees, "tenon: compile: the operands are in different memory spaces; copy with tn::to<tn::cuda> or tn::to<tn::cpu> first");
  constexpr bool accepts = std::is_invocable_v<Function const&, typename argument_handle<argument_t<Args>>::type...>;
  static_assert(accepts, "tenon: compile: the lambda cannot be called with these arguments; give as many arguments as it has parameters, declared auto");
  if constexpr (common_space<Args...>::agrees && accepts) {
    using result = result_of<Function, argument_t<Args>...>;
    static_assert(is_result<result> || is_refused_result<result>, "tenon: compile: the lambda does not return a value of the expression; return a value or tn::outputs(...)");
    if constexpr (is_result<result>)
      return check_one_kernel<lowered<Function, argument_t<Args>...>::flat.refused>();
  }
  return false;
}

template <class Tensor, class Output>
constexpr bool fits_output() {
  if constexpr (Tensor::rank != Output::rank || dtype_of<typename Tensor::value_type> != dtype_of<typename Output::value_type>) {
    return false;
  } else {
    for (int k = 0; k < Tensor::rank; ++k) {
      extent a = Tensor::static_extents[static_cast<std::size_t>(k)], b = Output::static_extents[static_cast<std::size_t>(k)];
      if (a.is_static() && b.is_static() && a != b) return false;
      if (a.is_named() && b.is_named() && a != b) return false;
    }
    return true;
  }
}

template <class Results, class... Outputs>
struct outputs_fit;
template <class... Tensors, class... Outputs>
struct outputs_fit<std::tuple<Tensors...>, Outputs...> {
  static constexpr bool value = (fits_output<Tensors, Outputs>() && ...);
};

template <class Signature, class... Outputs>
constexpr bool check_outputs() {
  constexpr bool count = sizeof...(Outputs) == Signature::output_count;
  static_assert(count, "tenon: into: the number of outputs differs from the expression's results; give one tensor for each result");
  constexpr bool writable = (!std::is_const_v<typename Outputs::element_type> && ...);
  static_assert(writable, "tenon: into: an output is read-only; give a tensor or a view of a type that is not const");
  constexpr bool here = (std::is_same_v<typename Outputs::space, typename Signature::space> && ...);
  static_assert(here, "tenon: into: an output is in another memory space than the operands; allocate it where they are");
  if constexpr (count && writable && here) {
    constexpr bool fits = outputs_fit<typename Signature::results, Outputs...>::value;
    static_assert(fits, "tenon: into: an output's dtype, rank or extents differ from the result's; give a tensor of the result's type");
    return fits;
  }
  return false;
}

}  // namespace tenon::detail
