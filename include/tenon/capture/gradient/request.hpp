// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a call of a differentiated function asks for, from the types of its arguments: by which of them, of which results, and
// the rules that its operators need.

#include "tenon/capture/gradient/rules.hpp"
#include "tenon/capture/trace.hpp"

namespace tenon {

template <int... Positions>
struct wrt_t {};
// By which arguments, counted from 0: tn::grad(f, tn::wrt<0, 2>).
template <int... Positions>
inline constexpr wrt_t<Positions...> wrt{};

namespace detail {

using position_list = static_vector<int, 64>;

// By all floating arguments that have axes, unless the positions are given.
template <class... A, int... Positions>
constexpr position_list differentiated_positions(wrt_t<Positions...>) {
  position_list result;
  if constexpr (sizeof...(Positions) != 0) {
    (result.push_back(Positions), ...);
  } else {
    int position = 0;
    bool const counts[] = {(extents_of<A>().size() != 0 && is_floating(typed<A>().type))..., false};
    for (; position < static_cast<int>(sizeof...(A)); ++position)
      if (counts[position]) result.push_back(position);
  }
  return result;
}
template <class... A>
constexpr bool are_differentiable(position_list const& by) {
  bool const is_one[] = {(is_value<A> && is_floating(typed<A>().type))..., false};
  for (int position : by)
    if (position < 0 || position >= static_cast<int>(sizeof...(A)) || !is_one[position]) return false;
  return true;
}

template <int K, class... A>
using argument_at = std::remove_cvref_t<decltype(item<K>(std::declval<value_pack<A...> const&>()))>;

// An argument while only its type matters.
template <class A>
struct typed_argument {
  static constexpr A make(graph&) { return A{}; }
};
template <dtype D, extent... E>
struct typed_argument<value<D, E...>> : argument_handle<tensor_argument<D, E...>> {};

// The nodes of what a function returned, or of its arguments.
template <class T>
constexpr void append_node(constexpr_vector<int>& ids, T const& v) {
  if constexpr (is_value<T>) ids.push_back(v.id);
}
template <class... Values>
constexpr void append_node(constexpr_vector<int>& ids, outputs_t<Values...> const& all) {
  unpack(all.values, [&](auto const&... values) { (append_node(ids, values), ...); });
}

template <class... A>
constexpr constexpr_vector<int> nodes_of(value_pack<A...> const& handles, position_list const& by) {
  int ids[sizeof...(A) + 1] = {}, count = 0;
  unpack(handles, [&](auto const&... one) {
    auto const id_of = [](auto const& handle) {
      if constexpr (is_value<std::remove_cvref_t<decltype(handle)>>)
        return handle.id;
      else
        return -1;
    };
    ((ids[count++] = id_of(one)), ...);
  });
  constexpr_vector<int> result;
  for (int position : by) result.push_back(ids[position]);
  return result;
}

// The function is traced once by the types alone, which tells what operators it is made of while they are still types.
template <class Function, class Wrt, class... A>
struct operators_of {
  static constexpr position_list by = differentiated_positions<A...>(Wrt{});
  static constexpr operator_list find() {
    graph g;
    value_pack<A...> const handles{typed_argument<A>::make(g)...};
    constexpr_vector<int> results;
    append_node(results, unpack(handles, Function{}));
    return operators_between(g, adjoints(g, g.size(), nodes_of(handles, by)), results);
  }
  static constexpr operator_list list = find();
};

template <class Operator>
constexpr bool check_derivative() {
  constexpr bool is_known = Operator::is_locally_constant || has_derivative<Operator>();
  static_assert(is_known, "tenon: grad: an operator between the arguments and the result has no derivative (the note names it as Operator); leave it out, put tn::stop_gradient around it, or give its struct a derivative");
  return is_known;
}

template <class Operators, class Indices = std::make_integer_sequence<int, Operators::list.count>>
struct rules_for;
template <class Operators, int... I>
struct rules_for<Operators, std::integer_sequence<int, I...>> {
  static constexpr bool are_known() { return (check_derivative<op_of<Operators::list.at[I]>>() && ...); }
  static constexpr reverse_rule rules[] = {{Operators::list.at[I], reverse_function_of<op_of<Operators::list.at[I]>>()}..., {}};
  static constexpr array_view<reverse_rule const> all() { return {rules, sizeof...(I)}; }
};

}  // namespace detail
}  // namespace tenon
