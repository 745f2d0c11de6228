// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the user's lambda sees: a handle whose type carries dtype and extents and whose value is a node of the graph.

#include <type_traits>
#include <utility>

#include "tenon/capture/refused.hpp"
#include "tenon/ir/build.hpp"

namespace tenon {

// The extents of a value as a constant: what the compile-time checks compute with.
using type_shape = static_vector<extent, max_rank>;

template <dtype D, extent... E>
struct value {
  static constexpr dtype type = D;
  static constexpr int rank = sizeof...(E);
  static constexpr type_shape extents{{E...}, rank};
  graph* owner = nullptr;
  int id = -1;
};
template <dtype D>
struct value<D> {  // a zero-sized braced list is not an initialiser for extent[]
  static constexpr dtype type = D;
  static constexpr int rank = 0;
  static constexpr type_shape extents{};
  graph* owner = nullptr;
  int id = -1;
};

// A build-time constant passed as an argument: `f(x, tn::ct<true>)`; usable in `if constexpr` and as a literal.
template <auto V>
struct ct_t {
  static constexpr auto constant = V;
  constexpr operator decltype(V)() const { return V; }
};
template <auto V>
inline constexpr ct_t<V> ct{};

template <int... Axes>
struct axis_t {};
// The axes an operation works on; negative ones count from the last: tn::axis<-1>, tn::axis<0, 2>.
template <int... Axes>
inline constexpr axis_t<Axes...> axis{};

template <long long Start, long long Stop, long long Step>
struct range_t {};
// A slice's bounds with Python's rules: tn::range<1, -1>, tn::range<0, tn::end, 2>, tn::range<tn::end, tn::end, -1>.
template <long long Start, long long Stop = detail::open_bound, long long Step = 1>
inline constexpr range_t<Start, Stop, Step> range{};
inline constexpr long long end = detail::open_bound;

template <long long... Extents>
struct shape_t {};
// A shape by its extents; -1 stands for the one that follows from the others.
template <long long... Extents>
inline constexpr shape_t<Extents...> shape{};

template <int Correction>
struct correction_t {};
// The variance divides by count - correction: 1 (unbiased) unless given.
template <int Correction>
inline constexpr correction_t<Correction> correction{};

struct keepdim_t {};
// Keeps reduced axes with extent 1.
inline constexpr keepdim_t keepdim{};

namespace detail {
template <class T>
inline constexpr bool is_value = false;
template <dtype D, extent... E>
inline constexpr bool is_value<value<D, E...>> = true;
template <class T>
inline constexpr bool is_ct = false;
template <auto V>
inline constexpr bool is_ct<ct_t<V>> = true;
// A number of a statement. It is known when the statement runs, but typed as weakly as the literal that it is in a lambda;
// what is computed of such numbers alone is one again.
template <dtype D>
struct number : value<D> {};
template <class T>
inline constexpr bool is_number = false;
template <dtype D>
inline constexpr bool is_number<number<D>> = true;
// A number of the host language: weakly typed.
template <class T>
inline constexpr bool is_literal = std::is_arithmetic_v<T> || is_ct<T>;
template <class T>
inline constexpr bool is_weakly_typed = is_literal<T> || is_number<T>;
// dtype of a number of any arithmetic type: of its element type, or of the widest of its category.
template <class T>
constexpr dtype number_dtype() {
  if constexpr (is_element_type<T>)
    return dtype_of<T>;
  else
    return std::is_floating_point_v<T> ? dtype::f64 : dtype::i64;
}

template <class T>
inline constexpr bool is_axis = false;
template <int... Axes>
inline constexpr bool is_axis<axis_t<Axes...>> = true;
template <class T>
inline constexpr bool is_correction = false;
template <int Correction>
inline constexpr bool is_correction<correction_t<Correction>> = true;

// The value type with dtype D and the extents `Shape::extents`.
template <dtype D, class Shape, int... I>
value<D, Shape::extents[I]...> value_of(std::integer_sequence<int, I...>);
template <dtype D, class Shape>
using value_t = decltype(value_of<D, Shape>(std::make_integer_sequence<int, Shape::extents.size()>{}));

// The dtype that holds a literal or number as it was written.
template <class T>
constexpr dtype written_dtype() {
  if constexpr (is_number<T>)
    return T::type;
  else if constexpr (is_ct<T>)
    return number_dtype<std::remove_cv_t<decltype(T::constant)>>();
  else
    return number_dtype<T>();
}
// Literals have the category's default dtype until an operator converts them.
constexpr dtype default_dtype(dtype written) {
  switch (category_of(written)) {
    case category::boolean: return dtype::boolean;
    case category::integer: return dtype::i64;
    default: return default_float;
  }
}

template <class T>
constexpr typed_operand typed() {
  if constexpr (is_value<T>)
    return {T::type, T::rank == 0 ? priority::scalar : priority::tensor};
  else
    return {default_dtype(written_dtype<T>()), priority::literal};
}

template <class T>
constexpr type_shape extents_of() {
  if constexpr (is_value<T>)
    return T::extents;
  else
    return {};
}

template <class T>
constexpr int node_of(graph& g, T const& operand) {
  if constexpr (is_value<T> || is_number<T>)
    return operand.id;
  else if constexpr (is_ct<T>)
    return node_of(g, T::constant);
  else if constexpr (std::is_floating_point_v<T>)
    return build::literal(g, typed<T>().type, operand);
  else
    return build::integer_literal(g, typed<T>().type, operand);
}

template <class First, class... Rest>
constexpr graph& graph_of(First const& first, Rest const&... rest) {
  if constexpr (is_value<First> || is_number<First>)
    return *first.owner;
  else
    return graph_of(rest...);
}

}  // namespace detail
}  // namespace tenon
