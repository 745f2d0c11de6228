// SPDX-License-Identifier: Apache-2.0
#pragma once
// A run-time choice between build-time constants: one specialization each, one dispatch at the call.

#include "tenon/capture/value.hpp"
#include "tenon/core/error.hpp"

namespace tenon {

template <auto... Values>
struct choice_t {
  int index;
};

// The argument tn::ct<V> for the V that equals `value`: f(x, tn::one_of<true, false>(is_training)).
template <auto... Values, class T>
constexpr auto one_of(T value) {
  constexpr bool has_constants = sizeof...(Values) > 0;
  static_assert(has_constants, "tenon: one_of: it lists no constants; write tn::one_of<true, false>(value)");
  constexpr bool is_comparable = (std::is_convertible_v<T, std::remove_cv_t<decltype(Values)>> && ...);
  static_assert(is_comparable, "tenon: one_of: the value and the constants are of different types; list constants of the value's type");
  if constexpr (has_constants && is_comparable) {
    int index = -1, k = 0;
    ((index = index < 0 && value == Values ? k : index, ++k), ...);
    if (index < 0)
      raise({.operation = "one_of", .problem = "the value is none of the constants", .remedy = "list every value that can occur"});
    return choice_t<Values...>{index};
  } else {
    return refused{};
  }
}

namespace detail {

template <class T>
inline constexpr bool is_choice = false;
template <auto... Values>
inline constexpr bool is_choice<choice_t<Values...>> = true;

// The type of a choice's first constant: what is checked before it is known which one is chosen.
template <class T>
struct one_constant {
  using type = T;
};
template <auto First, auto... Rest>
struct one_constant<choice_t<First, Rest...>> {
  using type = ct_t<First>;
};
template <class T>
using one_constant_t = typename one_constant<T>::type;

// Calls visit(ct<V>) for the chosen V.
template <class Visit, auto First, auto... Rest>
auto choose(int index, Visit const& visit, choice_t<First, Rest...>) {
  using result = decltype(visit(ct<First>));
  constexpr bool is_refused_one = is_refused<result> || (is_refused<decltype(visit(ct<Rest>))> || ...);
  constexpr bool agree = (std::is_same_v<result, decltype(visit(ct<Rest>))> && ...);
  static_assert(agree || is_refused_one, "tenon: one_of: the result's type depends on the constant; let every constant give the same dtype and extents");
  if constexpr (!agree || is_refused_one)
    return refused{};
  else if constexpr (sizeof...(Rest) == 0)
    return visit(ct<First>);
  else
    return index == 0 ? visit(ct<First>) : choose(index - 1, visit, choice_t<Rest...>{0});
}

// Calls visit(args...) with every choice replaced by the tn::ct it stands for. The first `Open` arguments are still to be
// looked at; each goes behind the others, so that all are in order again.
template <int Open, class Visit, class First, class... Rest>
decltype(auto) with_first_constants(Visit const& visit, First const& first, Rest const&... rest) {
  if constexpr (Open == 0) {
    return visit(first, rest...);
  } else {
    auto go_on = [&](auto const& resolved) -> decltype(auto) {
      return with_first_constants<Open - 1>(visit, rest..., resolved);
    };
    if constexpr (is_choice<First>)
      return choose(first.index, go_on, first);
    else
      return go_on(first);
  }
}
template <class Visit, class... Args>
decltype(auto) with_constants(Visit const& visit, Args const&... args) {
  return with_first_constants<sizeof...(Args)>(visit, args...);
}

}  // namespace detail
}  // namespace tenon
