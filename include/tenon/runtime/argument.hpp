// SPDX-License-Identifier: Apache-2.0
#pragma once
// An argument or result of a call with its type erased: address, layout and dtype.

#include <cstdint>
#include <source_location>

#include "tenon/capture/trace.hpp"
#include "tenon/tensor/tensor.hpp"

namespace tenon {

struct argument {
  void* data = nullptr;
  tenon::layout layout = {};
  dtype type = dtype::f32;
};

// How errors and reports name an expression.
struct expression_name {
  char const* name = "expression";
  std::source_location location = {};
};

TENON_ONCE_BEGIN
// A fault of a call, without what all faults of it have in common: the fewer texts a function puts together that raises,
// the less of it there is to compile.
struct call_fault {
  text_view operation = "call";
  text problem = {};
  char const* remedy = "";
  text shapes = {};
  int operand = -1;
};
[[noreturn, gnu::cold, gnu::noinline]] inline void raise(call_fault fault, expression_name const& name) {
  raise({.operation = text(fault.operation),
         .problem = std::move(fault.problem),
         .remedy = fault.remedy,
         .shapes = std::move(fault.shapes),
         .expression = name.name,
         .operand = fault.operand,
         .location = name.location});
}
TENON_ONCE_END

namespace detail {

template <class T>
inline constexpr bool is_array_argument = is_view<T> || is_tensor<T>;

// What the trace may know of an argument of type T.
// @pre is_argument<T>
template <class T>
struct argument_of;
template <class Space, class T, extent... E>
struct argument_of<basic_view<Space, T, E...>> {
  using type = tensor_argument<dtype_of<T>, E...>;
  using space = Space;
  using element = std::remove_cv_t<T>;
};
template <class Space, class T, extent... E>
struct argument_of<basic_tensor<Space, T, E...>> : argument_of<basic_view<Space, T, E...>> {};
template <class T> requires std::is_arithmetic_v<T>
struct argument_of<T> {
  using type = scalar_argument<number_dtype<T>()>;
};
template <auto V>
struct argument_of<ct_t<V>> {
  using type = ct_t<V>;
};
template <class T>
inline constexpr bool is_argument = is_array_argument<T> || is_literal<T>;
template <class T>
using argument_t = typename argument_of<T>::type;

template <class T>
argument erase(T& array) {
  return {const_cast<void*>(static_cast<void const*>(array.data())), array.layout(), dtype_of<typename std::remove_const_t<T>::element_type>};
}

// Writes a number into the 8-byte word that kernels read it from, in the arithmetic type of its dtype.
template <class T>
long long scalar_word(T number) {
  long long word = 0;
  __builtin_memcpy(&word, &number, sizeof(T));
  return word;
}
inline long long number_word(dtype type, double number) {
  if (type == dtype::f64) return scalar_word(number);
  if (is_floating(type)) return scalar_word(static_cast<float>(number));
  return static_cast<long long>(number);
}

}  // namespace detail
}  // namespace tenon
