// SPDX-License-Identifier: Apache-2.0
#pragma once
// vjp: the gradients of a function of any results, each weighted by a cotangent of its shape, which the call gives last.

#include "tenon/capture/gradient.hpp"

namespace tenon::detail {

// f of the first Count of all arguments.
template <class Function, class Pack, class Indices>
struct call_of_first;
template <class Function, class... A, std::size_t... I>
struct call_of_first<Function, value_pack<A...>, std::index_sequence<I...>> {
  static constexpr bool is_possible = takes<Function, argument_at<static_cast<int>(I), A...>...>;
  static constexpr auto types() {
    if constexpr (is_possible)
      return std::type_identity<decltype(Function{}(std::declval<argument_at<static_cast<int>(I), A...> const&>()...))>{};
    else
      return std::type_identity<void>{};
  }
  using result = typename decltype(types())::type;
};
template <class Function, int Count, class... A>
using first_called = call_of_first<Function, value_pack<A...>, std::make_index_sequence<static_cast<std::size_t>(Count)>>;

// How many of the arguments are cotangents: as many as the function of the others has results; 0 where there is no such number.
template <class Function, int Cotangents, class... A>
constexpr int find_cotangents() {
  constexpr int left = static_cast<int>(sizeof...(A)) - Cotangents;
  if constexpr (left < 1)
    return 0;
  else if constexpr (result_list<typename first_called<Function, left, A...>::result>::count == Cotangents)
    return Cotangents;
  else
    return find_cotangents<Function, Cotangents + 1, A...>();
}

template <class Result, class Cotangent>
constexpr bool is_cotangent_of() {
  if constexpr (!is_value<Result> || !is_value<Cotangent>) {
    return false;
  } else {
    if (!is_floating(Result::type) || !is_floating(Cotangent::type) || Result::rank != Cotangent::rank) return false;
    for (int k = 0; k < Result::rank; ++k)
      if (!are_compatible(Result::extents[k], Cotangent::extents[k]) || Result::extents[k].is_one() != Cotangent::extents[k].is_one())
        return false;
    return true;
  }
}
template <class Result, class... Cotangents>
struct cotangents_of {
  static constexpr bool fit = (is_cotangent_of<Result, Cotangents>() && ...);
};
template <class... Results, class... Cotangents>
struct cotangents_of<outputs_t<Results...>, Cotangents...> {
  static constexpr bool fit = (is_cotangent_of<Results, Cotangents>() && ...);
};

// The cotangent's lengths are the result's.
constexpr void require_shape(graph& g, int cotangent, dim_list const& dims) {
  dim_list const given = g[cotangent].dims;
  for (int k = 0; k < dims.size(); ++k) {
    if (g.dims.representative(given[k]) == g.dims.representative(dims[k])) continue;
    g.checks.push_back({given[k], dims[k], "vjp"});
    g.dims.unite(given[k], dims[k]);
  }
}

template <class Function, class Wrt>
struct product_body {
  template <class... A>
  constexpr auto operator()(A const&... arguments) const {
    if constexpr ((is_refused<A> || ...)) {
      return refused{};
    } else {
      constexpr int count = find_cotangents<Function, 1, A...>();
      static_assert(count > 0, "tenon: vjp: the arguments are not those of the function and then one cotangent for each result; write tn::vjp(f)(x, y, cotangent)");
      if constexpr (count == 0)
        return refused{};
      else
        return split<static_cast<int>(sizeof...(A)) - count>(value_pack<A...>(arguments...), std::make_index_sequence<sizeof...(A) - count>{}, std::make_index_sequence<count>{});
    }
  }

 private:
  template <int First, class... A, std::size_t... I, std::size_t... J>
  static constexpr auto split(value_pack<A...> const& all, std::index_sequence<I...>, std::index_sequence<J...>) {
    using result = typename first_called<Function, First, A...>::result;
    constexpr bool fit = cotangents_of<result, argument_at<First + static_cast<int>(J), A...>...>::fit;
    constexpr position_list by = differentiated_positions<argument_at<static_cast<int>(I), A...>...>(Wrt{});
    constexpr bool are_arguments = !by.empty() && are_differentiable<argument_at<static_cast<int>(I), A...>...>(by);
    static_assert(fit, "tenon: vjp: a cotangent has another shape than its result, or one of both is not floating-point; give values of the results' shapes");
    static_assert(are_arguments, "tenon: vjp: there is no floating-point argument with axes, or none where tn::wrt says; name those to differentiate by, counted from 0");
    if constexpr (!fit || !are_arguments)
      return refused{};
    else if constexpr (!rules_for<operators_of<Function, Wrt, argument_at<static_cast<int>(I), A...>...>>::are_known())
      return refused{};
    else
      return record_gradients<Function, Wrt, false>(
          [&](graph& g, constexpr_vector<int> const& results) {
            constexpr_vector<int> weights;
            (weights.push_back(item<First + static_cast<int>(J)>(all).id), ...);
            for (int k = 0; k < results.size(); ++k) require_shape(g, weights[k], dim_list(g[results[k]].dims));
            return weights;
          },
          item<static_cast<int>(I)>(all)...);
  }
};

}  // namespace tenon::detail
