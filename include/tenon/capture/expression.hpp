// SPDX-License-Identifier: Apache-2.0
#pragma once
// The statement form: `z = tn::exp(x) + y` over tensors builds a tree of types, which is replayed on graph handles.

#include "tenon/capture/value_pack.hpp"
#include "tenon/capture/value.hpp"
#include "tenon/core/type_list.hpp"
#include "tenon/tensor/tensor.hpp"

namespace tenon {

// Function Fn applied to arguments that are views, numbers, build-time tags or expressions; evaluated by assignment.
template <class Fn, class... Args>
struct expression {
  detail::value_pack<Args...> arguments;
};

template <class Fn, class... Args>
inline constexpr bool is_expression<expression<Fn, Args...>> = true;
// So that an assignment of it is silent.
template <>
inline constexpr bool is_expression<refused> = true;

namespace detail {

template <class T>
inline constexpr bool is_view = false;
template <class Space, class T, extent... E>
inline constexpr bool is_view<basic_view<Space, T, E...>> = true;
template <class T>
inline constexpr bool is_tensor = false;
template <class Space, class T, extent... E>
inline constexpr bool is_tensor<basic_tensor<Space, T, E...>> = true;

// Operands whose evaluation waits for an assignment.
template <class T>
inline constexpr bool is_lazy = is_view<T> || is_tensor<T> || is_expression<T>;

// A tensor is held as a view; everything else by value.
template <class T>
constexpr auto stored(T const& operand) {
  if constexpr (is_tensor<T>)
    return operand.view();
  else
    return operand;
}

template <class Fn, class... Args>
constexpr auto make_expression(Args const&... args) {
  return expression<Fn, decltype(stored(args))...>{detail::value_pack<decltype(stored(args))...>(stored(args)...)};
}

// What the argument is when the expression is replayed: the handle that stands for it. Tags stand for themselves.
template <class T>
struct handle_of {
  using type = T;
};
template <class T>
using handle_t = typename handle_of<T>::type;
template <class Space, class T, extent... E>
struct handle_of<basic_view<Space, T, E...>> {
  using type = value<dtype_of<T>, E...>;
};
template <class Space, class T, extent... E>
struct handle_of<basic_tensor<Space, T, E...>> {
  using type = value<dtype_of<T>, E...>;
};
template <class T> requires std::is_arithmetic_v<T>
struct handle_of<T> {
  using type = number<number_dtype<T>()>;
};
template <class Fn, class... Args>
struct handle_of<expression<Fn, Args...>> {
  using type = decltype(Fn{}(std::declval<handle_t<Args>>()...));
};

// How many run-time leaves (views and numbers) an argument contributes. Tags and build-time constants are in the type.
template <class T>
inline constexpr int leaf_count = is_view<T> || std::is_arithmetic_v<T> ? 1 : 0;
template <class Fn, class... Args>
inline constexpr int leaf_count<expression<Fn, Args...>> = (0 + ... + leaf_count<Args>);

// The types of these leaves, in order.
template <class... Lists>
struct joined_leaves {
  using type = type_list<>;
};
template <class... T>
struct joined_leaves<type_list<T...>> {
  using type = type_list<T...>;
};
template <class... T, class... U, class... Rest>
struct joined_leaves<type_list<T...>, type_list<U...>, Rest...> : joined_leaves<type_list<T..., U...>, Rest...> {};
template <class T>
struct leaves_of {
  using type = std::conditional_t<leaf_count<T> == 1, type_list<T>, type_list<>>;
};
template <class Fn, class... Args>
struct leaves_of<expression<Fn, Args...>> : joined_leaves<typename leaves_of<Args>::type...> {};

template <class T>
struct replay_argument {
  template <int First, class Leaves>
  static constexpr auto run(Leaves const& leaves) {
    if constexpr (leaf_count<T> == 0)
      return T{};
    else if constexpr (std::is_arithmetic_v<T>)
      return handle_t<T>{item<First>(leaves)};
    else
      return item<First>(leaves);
  }
};
template <class Fn, class... Args>
struct replay_argument<expression<Fn, Args...>> {
  template <int First, class Leaves>
  static constexpr auto run(Leaves const& leaves) {
    return run_each<First>(leaves, std::index_sequence_for<Args...>{});
  }

 private:
  static constexpr int first_leaf(std::size_t argument) {
    int counts[] = {leaf_count<Args>..., 0}, first = 0;
    for (std::size_t i = 0; i < argument; ++i) first += counts[i];
    return first;
  }
  template <int First, class Leaves, std::size_t... I>
  static constexpr auto run_each(Leaves const& leaves, std::index_sequence<I...>) {
    return Fn{}(replay_argument<Args>::template run<First + first_leaf(I)>(leaves)...);
  }
};

// The function form of an expression: a stateless function of its leaves.
template <class Expression>
struct replay {
  template <class... Leaves>
  constexpr auto operator()(Leaves... leaves) const {
    return replay_argument<Expression>::template run<0>(value_pack<Leaves...>(leaves...));
  }
};

// Calls visit(leaf...) with the run-time leaves in order.
template <class T, class Visit>
constexpr decltype(auto) with_leaves(T const& operand, Visit const& visit) {
  if constexpr (leaf_count<T> == 1)
    return visit(operand);
  else
    return visit();
}
template <class Visit>
constexpr decltype(auto) with_all_leaves(Visit const& visit) {
  return visit();
}
template <class First, class... Rest, class Visit>
constexpr decltype(auto) with_all_leaves(Visit const& visit, First const& first, Rest const&... rest);

template <class Fn, class... Args, class Visit>
constexpr decltype(auto) with_leaves(expression<Fn, Args...> const& e, Visit const& visit) {
  return unpack(
      e.arguments, [&](auto const&... args) -> decltype(auto) { return with_all_leaves(visit, args...); });
}
template <class First, class... Rest, class Visit>
constexpr decltype(auto) with_all_leaves(Visit const& visit, First const& first, Rest const&... rest) {
  return with_leaves(first, [&](auto const&... head) -> decltype(auto) {
    return with_all_leaves([&](auto const&... tail) -> decltype(auto) { return visit(head..., tail...); }, rest...);
  });
}

}  // namespace detail
}  // namespace tenon
