// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operands and outputs of any types in order: Boost.Hana's smallest tuple, by its narrowest header.
//
// Its algorithms are named by their implementations for this tuple: under nvcc 13.0 boost/hana/tuple.hpp and unpack.hpp
// cost every translation unit 0.08 s, this header 0.01 s.

#include <boost/hana/basic_tuple.hpp>
#include <cstddef>
#include <type_traits>

namespace tenon::detail {

template <class... T> using value_pack = boost::hana::basic_tuple<T...>;

// f(item...)
template <class Pack, class F> constexpr decltype(auto) unpack(Pack&& items, F&& f) {
  return boost::hana::unpack_impl<boost::hana::basic_tuple_tag>::apply(static_cast<Pack&&>(items), static_cast<F&&>(f));
}

template <int K, class Pack> constexpr decltype(auto) item(Pack&& items) {
  return boost::hana::at_impl<boost::hana::basic_tuple_tag>::apply(
      static_cast<Pack&&>(items), std::integral_constant<std::size_t, static_cast<std::size_t>(K)>{});
}

}  // namespace tenon::detail
