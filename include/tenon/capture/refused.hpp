// SPDX-License-Identifier: Apache-2.0
#pragma once
// The result of whatever was refused: it goes on silently wherever a result goes, so that one mistake is one message.

#include <type_traits>

#include "tenon/tensor/stream.hpp"

namespace tenon {

// What stands for one element of a refused result: any number that the user makes of it.
struct refused_element {
  template <class T> requires std::is_arithmetic_v<T>
  operator T() const;
  operator double() const;
};

// Nothing here is ever run: the message that came before it ends the compilation. Hence the functions without a body,
// which a compiler does not warn about in a template.
struct refused {
  // Not to a number: a tensor's constructor would take it for an extent.
  template <class T> requires(!std::is_arithmetic_v<T>)
  operator T() const;

  // As a compiled expression.
  template <class... Args>
  constexpr refused operator()(Args const&...) const { return {}; }
  constexpr refused on(stream = {}) const { return {}; }
  template <class... Arrays>
  constexpr refused into(Arrays&&...) const { return {}; }

  // As a tensor.
  constexpr refused view() const { return {}; }
  constexpr refused clone() const { return {}; }
  constexpr refused data() const { return {}; }
  constexpr refused_element item() const { return {}; }
  constexpr refused_element extent(int) const { return {}; }
  constexpr refused_element size() const { return {}; }
};

namespace detail {
template <class T>
inline constexpr bool is_refused = std::is_same_v<T, refused>;
}

}  // namespace tenon
