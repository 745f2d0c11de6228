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

enum class call_fault : unsigned char { none, already_refused, argument, arity, nothing, result };

template <class Function, class... Args>
constexpr call_fault find_call_fault() {
  if constexpr ((is_refused<Args> || ...)) {
    return call_fault::already_refused;
  } else if constexpr (!(is_argument<Args> && ...)) {
    return call_fault::argument;
  } else if constexpr (!takes<Function, typename argument_handle<argument_t<Args>>::type...>) {
    return call_fault::arity;
  } else {
    using result = result_of<Function, argument_t<Args>...>;
    if constexpr (is_refused_result<result>) return call_fault::already_refused;
    if constexpr (std::is_void_v<result>) return call_fault::nothing;
    return is_result<result> ? call_fault::none : call_fault::result;
  }
}

template <class... Args>
constexpr bool check_spaces() {
  static_assert(common_space<Args...>::agrees, "tenon: call: the operands are in different memory spaces; copy with tn::to<tn::cuda> or tn::to<tn::cpu> first");
  return common_space<Args...>::agrees;
}

template <class Function, class... Args>
constexpr bool check_call() {
  constexpr call_fault found = find_call_fault<Function, Args...>();
  static_assert(found != call_fault::argument, "tenon: call: an argument is not a tensor, a view, a number or tn::ct; pass tensors, views and numbers");
  static_assert(found != call_fault::arity, "tenon: call: the lambda does not take these arguments; give as many arguments as it has parameters, declared auto");
  static_assert(found != call_fault::nothing, "tenon: compile: the lambda returns nothing; return a value or tn::outputs(...)");
  static_assert(found != call_fault::result, "tenon: compile: the lambda returns something that is not a value of the expression; return a value or tn::outputs(...)");
  if constexpr (found != call_fault::none)
    return false;
  else if constexpr (!check_spaces<Args...>())
    return false;
  else
    return check_one_kernel<lowered<Function, argument_t<Args>...>::flat.refused>();
}

// What a refused call returns: as many refused results as it would have had, where that is known.
template <class T>
struct refused_results {
  using type = refused;
};
template <class... Values>
struct refused_results<outputs_t<Values...>> {
  using type = outputs_t<std::conditional_t<true, refused, Values>...>;
};
template <class Function, class... Args>
constexpr auto refused_call() {
  constexpr call_fault found = find_call_fault<Function, Args...>();
  if constexpr (!(is_refused<Args> || ...) && (found == call_fault::none || found == call_fault::already_refused))
    return typename refused_results<result_of<Function, argument_t<Args>...>>::type{};
  else
    return refused{};
}

enum class output_fault : unsigned char { none, dtype, rank, extents };

template <class Tensor, class Output>
constexpr output_fault find_output_fault() {
  if constexpr (dtype_of<typename Tensor::value_type> != dtype_of<typename Output::value_type>) {
    return output_fault::dtype;
  } else if constexpr (Tensor::rank != Output::rank) {
    return output_fault::rank;
  } else {
    for (int k = 0; k < Tensor::rank; ++k) {
      extent a = Tensor::static_extents[static_cast<std::size_t>(k)], b = Output::static_extents[static_cast<std::size_t>(k)];
      if ((a.is_static() && b.is_static() && a != b) || (a.is_named() && b.is_named() && a != b)) return output_fault::extents;
    }
    return output_fault::none;
  }
}

template <class Results, class... Outputs>
struct output_faults;
template <class... Tensors, class... Outputs>
struct output_faults<outputs_t<Tensors...>, Outputs...> {
  static constexpr output_fault first() {
    output_fault result = output_fault::none;
    ((result = result == output_fault::none ? find_output_fault<Tensors, Outputs>() : result), ...);
    return result;
  }
};

// Signature has the results' types as `results`, their number as `output_count`, and their memory space as `space`.
template <class Signature, class... Outputs>
constexpr bool check_outputs() {
  constexpr bool count = sizeof...(Outputs) == Signature::output_count;
  static_assert(count, "tenon: into: the number of outputs differs from the expression's results; give one tensor for each result");
  constexpr bool writable = (!std::is_const_v<typename Outputs::element_type> && ...);
  static_assert(writable, "tenon: into: an output is read-only; give a tensor or a view of a type that is not const");
  constexpr bool here = (std::is_same_v<typename Outputs::space, typename Signature::space> && ...);
  static_assert(here, "tenon: into: an output is in another memory space than the operands; allocate it where they are");
  if constexpr (count && writable && here) {
    constexpr output_fault found = output_faults<typename Signature::results, Outputs...>::first();
    static_assert(found != output_fault::dtype, "tenon: into: the dtype of an output differs from the result's; give a tensor of the result's dtype, or cast in the expression");
    static_assert(found != output_fault::rank, "tenon: into: the rank of an output differs from the result's; give one axis for each axis of the result");
    static_assert(found != output_fault::extents, "tenon: into: the extents of an output differ from the result's; give it the lengths or names of the result, or tn::dyn");
    return found == output_fault::none;
  }
  return false;
}

}  // namespace tenon::detail
