// SPDX-License-Identifier: Apache-2.0
#pragma once
// tenon::compile: the way of an expression, from the user's lambda to an object that launches one kernel.
//
//   trace      capture/    the lambda runs once on handles                    → graph
//   passes     passes/     the ordered list of pipeline.hpp                   → graph
//   space      schedule/   axes instead of shapes, loads instead of views     → iteration_space
//   select     schedule/   the first kernel family that accepts the space     → schedule
//   reify      program/    values back to a type                              → program<...>
//   backend    backend/    the family's kernel for the program                → machine code, when nvcc builds
//   runtime    runtime/    shapes → plan (cached) → launch                    → results, when the program runs

#include "tenon/runtime/executable.hpp"
#include "tenon/runtime/statement.hpp"

namespace tenon {

// auto f = tn::compile([](auto x, auto y) { return tn::relu(x + y); });
// The lambda captures nothing: what changes from call to call is an argument. `name` stands in errors and reports.
template <class Function>
constexpr auto compile(Function, char const* name = "expression", std::source_location location = std::source_location::current()) {
  constexpr bool is_captureless = std::is_empty_v<Function> && std::is_default_constructible_v<Function>;
  static_assert(is_captureless, "tenon: compile: the lambda captures something; pass it as an argument of the call instead");
  if constexpr (is_captureless)
    return executable<Function>(expression_name{name, location});
  else
    return refused{};
}

// The number of kernel launches of a call: static_assert(tn::launches(f, x, y) == 1). It is the result's type too, for
// members, which no constant expression may name: static_assert(decltype(tn::launches(f, x_, y_))::value == 1).
// Of what was refused it is 1 as well, because the message that says why has been given.
template <class Function, class... Args>
consteval auto launches(executable<Function> const&, Args const&...) {
  detail::check_call<Function, detail::one_constant_t<Args>...>();
  return std::integral_constant<int, 1>{};
}
template <class... Args>
consteval std::integral_constant<int, 1> launches(refused const&, Args const&...) {
  return {};
}

// Hits, misses and evictions of the plan cache of f for arguments of these types.
template <class Function, class... Args>
cache_counters cache_statistics(executable<Function> const&, Args const&...) {
  using called = detail::invocation<detail::signature<Function, Args...>>;
  cache_counters result = called::allocating::cache().counters();
  if constexpr (!std::is_same_v<typename called::allocating, typename called::writing>) {
    cache_counters const writing = called::writing::cache().counters();
    result.hits += writing.hits, result.misses += writing.misses, result.evictions += writing.evictions;
  }
  return result;
}

template <class... Args>
cache_counters cache_statistics(refused const&, Args const&...) {
  return {};
}

}  // namespace tenon
