// SPDX-License-Identifier: Apache-2.0
// What the symbols of C++ mean, in a lambda and in a statement: the operator of that name, of the
// same types.
#include <ostream>

#include "static/support.hpp"

namespace tenon::test {
namespace {

template <class T> using tensor_of = cpu::tensor<T, dyn>;

template <class X, class Y, class Symbol, class Named>
constexpr bool same(Symbol symbol, Named named) {
  return std::is_same_v<decltype(symbol(std::declval<X>(), std::declval<Y>())),
                        decltype(named(std::declval<X>(), std::declval<Y>()))>;
}
template <class X, class Y> constexpr bool all_same() {
  return same<X, Y>([](auto const& x, auto const& y) { return x & y; }, bitwise_and) &&
         same<X, Y>([](auto const& x, auto const& y) { return x | y; }, bitwise_or) &&
         same<X, Y>([](auto const& x, auto const& y) { return x ^ y; }, bitwise_xor) &&
         same<X, Y>([](auto const& x, auto const& y) { return x << y; }, shift_left) &&
         same<X, Y>([](auto const& x, auto const& y) { return x >> y; }, shift_right) &&
         same<X, Y>([](auto const& x, auto const&) { return ~x; },
                    [](auto const& x, auto const&) { return bitwise_not(x); });
}
static_assert(all_same<value<dtype::i32, dyn> const&, int>());
static_assert(all_same<value<dtype::u8, dyn> const&, value<dtype::i64, 1> const&>());
static_assert(all_same<value<dtype::boolean, 4> const&, value<dtype::boolean, 4> const&>());
static_assert(all_same<tensor_of<int>&, int>() && all_same<tensor_of<bool>&, tensor_of<bool>&>());

static_assert(
    std::is_same_v<decltype(1 << std::declval<value<dtype::i32, dyn> const&>()),
                   decltype(shift_left(1, std::declval<value<dtype::i32, dyn> const&>()))>);

// A stream has << too.
template <class Left, class Right> concept has_shift = requires(Left& left, Right& right) {
  left << right;
};
static_assert(has_shift<tensor_of<int>, int> && has_shift<int, tensor_of<int>>);
static_assert(!has_shift<std::ostream, tensor_of<int>> &&
              !has_shift<std::ostream, value<dtype::i32, dyn>>);

}  // namespace
}  // namespace tenon::test
