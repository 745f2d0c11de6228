// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program → a visit to each of its instructions by host code.

#include "tenon/program/evaluate.hpp"

namespace tenon {

// Calls visit(integral_constant<int, K>) for every instruction K in order. for_each_instruction is
// a function of the device as well, from which nvcc does not let a function of the host be called.
template <class Program, class Visit> constexpr void visit_instructions(Visit const& visit) {
  [&]<int... K>(std::integer_sequence<int, K...>) {
    (visit(std::integral_constant<int, K>{}), ...);
  }
  (typename program_traits<Program>::sequence{});
}

// The same for the instructions that Selector holds; nothing is instantiated for the others, of which a long program has
// hundreds for every visit.
template <class Program, class Selector, class Visit> constexpr void visit_selected(Visit const& visit) {
  [&]<int... K>(std::integer_sequence<int, K...>) {
    (visit(std::integral_constant<int, K>{}), ...);
  }
  (detail::held_sequence<Program, Selector>{});
}

// Whether Selector holds any instruction.
template <class Program, class Selector>
inline constexpr bool holds_any = detail::held_sequence<Program, Selector>::size() > 0;

}  // namespace tenon
