// SPDX-License-Identifier: Apache-2.0
#pragma once
// Several results in order: what a lambda returns, what its call returns, and the parts of a value.
//
// Not std::tuple: <tuple> cost every translation unit under nvcc 0.07 s.

#include <utility>

#include "tenon/capture/value_pack.hpp"

namespace tenon {

// `return tn::outputs(a, b);` and `auto [x, y] = f(...);`
template <class... Values>
struct outputs_t {
  detail::value_pack<Values...> values;
};
template <std::size_t K, class... Values>
constexpr auto& get(outputs_t<Values...>& all) {
  return detail::item<static_cast<int>(K)>(all.values);
}
template <std::size_t K, class... Values>
constexpr auto const& get(outputs_t<Values...> const& all) {
  return detail::item<static_cast<int>(K)>(all.values);
}
template <std::size_t K, class... Values>
constexpr auto&& get(outputs_t<Values...>&& all) {
  return detail::item<static_cast<int>(K)>(std::move(all.values));
}
struct outputs_function {
  template <class... Values>
  constexpr auto operator()(Values... values) const {
    return outputs_t<Values...>{detail::value_pack<Values...>(std::move(values)...)};
  }
};
inline constexpr outputs_function outputs{};

}  // namespace tenon

template <class... Values>
struct std::tuple_size<tenon::outputs_t<Values...>> : std::integral_constant<std::size_t, sizeof...(Values)> {};
template <std::size_t K, class... Values>
struct std::tuple_element<K, tenon::outputs_t<Values...>> {
  using type = std::remove_reference_t<decltype(tenon::get<K>(std::declval<tenon::outputs_t<Values...>&>()))>;
};
