// SPDX-License-Identifier: Apache-2.0
// What was refused goes on silently wherever a result goes: no line here may cost a second message.
#include <utility>

#include "tenon/tenon.hpp"

namespace tenon::test {
namespace {

template <class T> inline constexpr bool is_silent = std::is_same_v<T, refused>;
using matrix = tensor<float, dyn, 4>;

static_assert(is_silent<decltype(exp(refused{}))>);
static_assert(is_silent<decltype(refused{} + 1)>);
static_assert(is_silent<decltype(std::declval<matrix&>() * refused{})>);
static_assert(is_silent<decltype(softmax(sum(refused{}, axis<0>), axis<-1>))>);
static_assert(is_silent<decltype(layer_norm(std::declval<matrix&>(), refused{}, refused{}))>);
static_assert(is_silent<decltype(refused{}(std::declval<matrix&>(), 2.0f))>);
static_assert(is_silent<decltype(refused{}.on(stream{}).into(std::declval<matrix&>())(1))>);
static_assert(is_silent<decltype(compile([](auto x) { return x; })(refused{}))>);
static_assert(launches(refused{}, 1) == 1);

[[maybe_unused]] void uses(matrix& z, view<float, dyn, 4> const& v) {
  z = refused{};
  v = refused{};
  matrix initialized = refused{};
  tensor<float> direct(refused{});
  float const number = refused{}.item();
  float const* const pointer = refused{}.data();
  bool const is_larger = refused{}.extent(0) > number;
  auto const [first, second] = outputs_t<refused, refused>{};
  matrix moved = first;
  static_cast<void>(second), static_cast<void>(pointer), static_cast<void>(is_larger);
}

// Where operands first differ, counted from the last axis.
template <extent... E> struct shaped : detail::shape_of<value<dtype::f32, E...>> {};
static_assert(detail::mismatched_axis<shaped<4, 5>, shaped<5>>() == 0);
static_assert(detail::mismatched_axis<shaped<4, 5>, shaped<6>>() == 1);
static_assert(detail::mismatched_axis<shaped<4, 5>, shaped<3, 5>>() == 2);
static_assert(detail::mismatched_axis<shaped<4, 5>, shaped<1, 1>, shaped<3, 4, 6>>() == 1);
static_assert(detail::mismatched_axis<shaped<2, 1, 1, 1>, shaped<3, 4, 5, 6>>() == 4);
static_assert(detail::mismatched_axis<shaped<"B", "T">, shaped<"T", "B">>() == 1);
static_assert(detail::mismatched_axis<shaped<"B", dyn>, shaped<1, "B">>() == 0);

// Numbers of types that are no element types take part as the widest of their category.
static_assert(detail::number_dtype<wchar_t>() == dtype::i64);
static_assert(detail::number_dtype<char>() == dtype::i64);
static_assert(detail::number_dtype<long double>() == dtype::f64);
static_assert(detail::number_dtype<float>() == dtype::f32);

}  // namespace
}  // namespace tenon::test
