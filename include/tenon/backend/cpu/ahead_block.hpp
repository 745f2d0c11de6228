// SPDX-License-Identifier: Apache-2.0
#pragma once
// A sweep of a program → what of a block's elements is computed before the loop over them.

#include "tenon/backend/cpu/drawn_block.hpp"
#include "tenon/backend/cpu/near_block.hpp"

namespace tenon::cpu_backend {

template <class Program, int Phase, bool Stores> struct nothing_ahead {
  using given = tenon::detail::nothing_drawn;
  template <class Addresses> nothing_ahead(frame<Program> const&, Addresses const&, int) {}
  void take(frame<Program> const&, int) const {}
  void evaluate(frame<Program> const& f, int) const { evaluate_element<Phase, Stores>(f); }
};

// Random numbers, or else sines and cosines, or nothing.
template <class Program, int Phase, bool Stores> struct chosen_ahead {
  static auto choose() {
    if constexpr (tenon::detail::has_random<Program>)
      return std::type_identity<drawn_block<Program, Phase, Stores>>{};
    else if constexpr (has_near_forms<Program, Phase, Stores>)
      return std::type_identity<near_block<Program, Phase, Stores>>{};
    else
      return std::type_identity<nothing_ahead<Program, Phase, Stores>>{};
  }
};
template <class Program, int Phase, bool Stores>
using ahead_block = typename decltype(chosen_ahead<Program, Phase, Stores>::choose())::type;

}  // namespace tenon::cpu_backend
