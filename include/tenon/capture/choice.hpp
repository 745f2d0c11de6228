// SPDX-License-Identifier: Apache-2.0
#pragma once
// A run-time choice between build-time constants: one specialization each, one dispatch at the call.

#include "tenon/core/error.hpp"
#include "tenon/capture/value.hpp"

namespace tenon {

template <auto... Values>
struct choice_t {
  int index;
};

// The argument tn::ct<V> for the V that equals `value`: f(x, tn::one_of<true, false>(is_training)).
template <auto... Values>
constexpr choice_t<Values...> one_of(auto value) {
  int index = -1, k = 0;
  ((index = index < 0 && value == Values ? k : index, ++k), ...);
  if (index < 0)
    raise({.operation = "one_of", .problem = "the value is none of the constants", .remedy = "list every value that can occur"});
  return {index};
}

namespace detail {

template <class T>
inline constexpr bool is_choice = false;
template <auto... Values>
inline constexpr bool is_choice<choice_t<Values...>> = true;

// Calls visit(ct<V>) for the chosen V.
template <class Visit, auto First, auto... Rest>
decltype(auto) choose(int index, Visit const& visit, choice_t<First, Rest...>) {
  if constexpr (sizeof...(Rest) == 0)
    return visit(ct<First>);
  else
    return index == 0 ? visit(ct<First>) : choose(index - 1, visit, choice_t<Rest...>{0});
}

}  // namespace detail
}  // namespace tenon
