// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operations on integers as PTX has them: they wrap, and division by zero has a value.

#include <type_traits>

#include "ptx/decode/decoder.hpp"
#include "ptx/execute/elementwise.hpp"
#include "ptx/integer_names.hpp"

namespace emulator {

template <class T> T mul_hi(T a, T b) {
  if constexpr (sizeof(T) == 2)
    return static_cast<T>((static_cast<s64>(a) * static_cast<s64>(b)) >> 16);
  else if constexpr (sizeof(T) == 4) {
    if constexpr (std::is_signed_v<T>)
      return static_cast<T>((static_cast<s64>(a) * b) >> 32);
    else
      return static_cast<T>((static_cast<u64>(a) * b) >> 32);
  } else if constexpr (std::is_signed_v<T>)
    return static_cast<T>((static_cast<s128>(a) * b) >> 64);
  else
    return static_cast<T>((static_cast<u128>(a) * b) >> 64);
}
template <class T> T wrap_mul(T a, T b) {
  using U = std::make_unsigned_t<T>;
  if constexpr (sizeof(T) == 2)
    return static_cast<T>(static_cast<u32>(static_cast<u16>(a)) * static_cast<u16>(b));
  else
    return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
}
template <class T> T wrap_add(T a, T b) {
  using U = std::make_unsigned_t<T>;
  return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
}
template <class T> T wrap_sub(T a, T b) {
  using U = std::make_unsigned_t<T>;
  return static_cast<T>(static_cast<U>(a) - static_cast<U>(b));
}
template <class T> T divide(T a, T b) {
  if (b == 0) return static_cast<T>(~T{});
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return wrap_sub<T>(0, a);
  return static_cast<T>(a / b);
}
template <class T> T remainder(T a, T b) {
  if (b == 0) return a;
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return 0;
  return static_cast<T>(a % b);
}
template <class T> T shift_left(T a, u32 b) {
  return b >= sizeof(T) * 8 ? T{0} : static_cast<T>(a << b);
}
template <class T> T shift_right(T a, u32 b) {
  constexpr u32 n = sizeof(T) * 8;
  if constexpr (std::is_signed_v<T>)
    return static_cast<T>(a >> (b >= n ? n - 1 : b));
  else
    return b >= n ? T{0} : static_cast<T>(a >> b);
}

// A handler of as many operands of the same type, which Function takes; null: of no integers.
template <int Operands, auto Function, class T> constexpr handler same_type() {
  if constexpr (Operands == 1)
    return elementwise<[](T a) -> T { return static_cast<T>(Function(a)); }, T, T>;
  else if constexpr (Operands == 2)
    return elementwise<[](T a, T b) -> T { return static_cast<T>(Function(a, b)); }, T, T, T>;
  else
    return elementwise<[](T a, T b, T c) -> T { return static_cast<T>(Function(a, b, c)); }, T, T,
                       T, T>;
}
template <int Operands, auto Function> handler by_type(dtype t) {
  switch (t) {
    case dtype::u16:
    case dtype::b16:
      return same_type<Operands, Function, u16>();
    case dtype::s16:
      return same_type<Operands, Function, s16>();
    case dtype::u32:
    case dtype::b32:
      return same_type<Operands, Function, u32>();
    case dtype::s32:
      return same_type<Operands, Function, s32>();
    case dtype::u64:
    case dtype::b64:
      return same_type<Operands, Function, u64>();
    case dtype::s64:
      return same_type<Operands, Function, s64>();
    default:
      return nullptr;
  }
}

}  // namespace emulator
