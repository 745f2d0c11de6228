// SPDX-License-Identifier: Apache-2.0
#pragma once
// The C++ operators on handles, tensors, views and expressions.

#include "tenon/capture/functions.hpp"

namespace tenon {
namespace detail {
template <class T>
inline constexpr bool is_operand = is_value<T> || is_number<T> || is_lazy<T> || is_refused<T>;
}

// At least one side belongs to an expression; the other may be a number. What else is wrong with it is said by the
// operator itself, on the user's line.
template <class A, class B>
concept operands = detail::is_operand<A> || detail::is_operand<B>;
template <class A>
concept operand = detail::is_operand<A>;

template <class A, class B> requires operands<A, B>
constexpr auto operator+(A const& a, B const& b) { return add(a, b); }
template <class A, class B> requires operands<A, B>
constexpr auto operator-(A const& a, B const& b) { return sub(a, b); }
template <class A, class B> requires operands<A, B>
constexpr auto operator*(A const& a, B const& b) { return mul(a, b); }
template <class A, class B> requires operands<A, B>
constexpr auto operator/(A const& a, B const& b) { return div(a, b); }
template <class A, class B> requires operands<A, B>
constexpr auto operator<(A const& a, B const& b) { return less(a, b); }
template <class A, class B> requires operands<A, B>
constexpr auto operator<=(A const& a, B const& b) { return less_equal(a, b); }
template <class A, class B> requires operands<A, B>
constexpr auto operator>(A const& a, B const& b) { return greater(a, b); }
template <class A, class B> requires operands<A, B>
constexpr auto operator>=(A const& a, B const& b) { return greater_equal(a, b); }
template <class A, class B> requires operands<A, B>
constexpr auto operator==(A const& a, B const& b) { return equal(a, b); }
template <class A, class B> requires operands<A, B>
constexpr auto operator!=(A const& a, B const& b) { return not_equal(a, b); }
template <class A, class B> requires operands<A, B>
constexpr auto operator&&(A const& a, B const& b) { return logical_and(a, b); }
template <class A, class B> requires operands<A, B>
constexpr auto operator||(A const& a, B const& b) { return logical_or(a, b); }
template <operand A>
constexpr auto operator-(A const& a) { return neg(a); }
template <operand A>
constexpr auto operator!(A const& a) { return logical_not(a); }

}  // namespace tenon
