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
// Of << and >>, which streams have too: `out << x` is not a shift.
template <class A, class B>
concept shifted = operands<A, B> && (detail::is_operand<A> || std::is_arithmetic_v<A>);

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
template <class A, class B> requires operands<A, B>
constexpr auto operator&(A const& a, B const& b) { return bitwise_and(a, b); }
template <class A, class B> requires operands<A, B>
constexpr auto operator|(A const& a, B const& b) { return bitwise_or(a, b); }
template <class A, class B> requires operands<A, B>
constexpr auto operator^(A const& a, B const& b) { return bitwise_xor(a, b); }
template <class A, class B> requires shifted<A, B>
constexpr auto operator<<(A const& a, B const& b) { return shift_left(a, b); }
template <class A, class B> requires shifted<A, B>
constexpr auto operator>>(A const& a, B const& b) { return shift_right(a, b); }
template <class A, class B> requires operands<A, B>
constexpr auto operator%(A const&, B const&) {
  constexpr bool sign_is_plain = sizeof(A) == 0;
  static_assert(sign_is_plain, "tenon: %: C++ gives it the sign of the dividend, Python that of the divisor; write tn::fmod(x, y) or tn::remainder(x, y)");
  return refused{};
}
template <operand A>
constexpr auto operator~(A const& a) { return bitwise_not(a); }
template <operand A>
constexpr auto operator-(A const& a) { return neg(a); }
template <operand A>
constexpr auto operator!(A const& a) { return logical_not(a); }

}  // namespace tenon
