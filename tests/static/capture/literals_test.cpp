// SPDX-License-Identifier: Apache-2.0
// Numbers that stand in an expression are weakly typed, in a lambda and in a statement alike: every
// dtype with every kind of number.
#include "static/support.hpp"

namespace tenon::test {
namespace {

template <class T> using tensor_of = cpu::tensor<T, dyn>;

// What the rule says, without the library's promotion: a number changes the dtype only by its
// category.
template <class Number> constexpr dtype with_number(dtype of_tensor) {
  if (std::is_floating_point_v<Number>)
    return category_of(of_tensor) == category::floating ? of_tensor : dtype::f32;
  if (std::is_same_v<Number, bool> || of_tensor != dtype::boolean) return of_tensor;
  return dtype::i64;
}

template <class T, class Number> constexpr bool follows_the_rule() {
  using left = detail::handle_t<decltype(std::declval<tensor_of<T>&>() * std::declval<Number>())>;
  using right = detail::handle_t<decltype(std::declval<Number>() + std::declval<tensor_of<T>&>())>;
  constexpr dtype wanted = with_number<Number>(dtype_of<T>);
  return left::type == wanted && right::type == wanted && left::rank == 1;
}

// A statement's result has the type that the same text has in a lambda.
template <class T, class Number, class Function> constexpr bool agree(Function f) {
  using in_lambda =
      decltype(f(std::declval<value<dtype_of<T>, dyn> const&>(), std::declval<Number>()));
  using in_statement =
      detail::handle_t<decltype(f(std::declval<tensor_of<T>&>(), std::declval<Number>()))>;
  return std::is_same_v<in_lambda, in_statement>;
}
template <class T, class Number> constexpr bool agree_in_every_rule() {
  return agree<T, Number>([](auto const& x, auto s) { return x * s; }) &&
         agree<T, Number>([](auto const& x, auto s) { return s / x; }) &&
         agree<T, Number>([](auto const& x, auto s) { return x < s; }) &&
         agree<T, Number>([](auto const& x, auto s) { return where(x < s, s, x); }) &&
         agree<T, Number>([](auto const& x, auto s) { return clamp(x, s, s); }) &&
         agree<T, Number>([](auto const& x, auto s) { return sum(x * s); });
}

template <class... T> struct element_types {
  template <class Number>
  static constexpr bool hold = (follows_the_rule<T, Number>() && ...) &&
                               (agree_in_every_rule<T, Number>() && ...);
};
using all_types = element_types<bool, std::uint8_t, std::int8_t, std::uint16_t, std::int16_t,
                                std::uint32_t, std::int32_t, std::uint64_t, std::int64_t,
                                float8_e4m3, float8_e5m2, half, bfloat16, float, double>;
static_assert(all_types::hold<bool>);
static_assert(all_types::hold<char>);
static_assert(all_types::hold<int>);
static_assert(all_types::hold<unsigned>);
static_assert(all_types::hold<long long>);
static_assert(all_types::hold<float>);
static_assert(all_types::hold<double>);
static_assert(all_types::hold<long double>);

// The number itself stays as exact as it was written until it meets an operand: one cast from f64.
template <class Expression, class... Arguments> constexpr text replayed() {
  return print(optimized<Arguments...>(detail::replay<Expression>{}));
}
template <class T> using scaled = decltype(std::declval<tensor_of<T>&>() * 0.1);
static_assert(
    is(replayed<scaled<double>, tensor_argument<dtype::f64, dyn>, scalar_argument<dtype::f64>>(),
       R"(
%0 = input 0 : f64[x0.0]
%1 = scalar 1 : f64[]
%2 = mul %0 %1 : f64[x0.0]
return %2:f64
)"));
static_assert(is(
    replayed<scaled<std::int32_t>, tensor_argument<dtype::i32, dyn>, scalar_argument<dtype::f64>>(),
    R"(
%0 = input 0 : i32[x0.0]
%1 = scalar 1 : f64[]
%2 = cast %0 : f32[x0.0]
%3 = cast %1 : f32[]
%4 = mul %2 %3 : f32[x0.0]
return %4:f32
)"));

// What a composite computes of its numbers alone is a number again, in the width they came in.
constexpr function<decltype([](auto x, auto s) { return x * (1 - s); })> scaled_by_rest{};
using composite = decltype(scaled_by_rest(std::declval<tensor_of<double>&>(), 0.1));
static_assert(detail::handle_t<composite>::type == dtype::f64);
static_assert(
    is(replayed<composite, tensor_argument<dtype::f64, dyn>, scalar_argument<dtype::f64>>(),
       R"(
%0 = input 0 : f64[x0.0]
%1 = scalar 1 : f64[]
%2 = literal 1 : f64[]
%3 = sub %2 %1 : f64[]
%4 = mul %0 %3 : f64[x0.0]
return %4:f64
)"));
static_assert(agree<half, double>(scaled_by_rest));

}  // namespace
}  // namespace tenon::test
