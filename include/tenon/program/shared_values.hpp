// SPDX-License-Identifier: Apache-2.0
#pragma once
// What rows that neighbour each other have in common: operands that do not vary along the innermost
// axis of the rows, as weights of positions and lengths of a batch do not, what is computed of
// them, and what that comes to over a row.

#include "tenon/program/traits.hpp"

namespace tenon::detail {

// Of each instruction whether it follows from such operands alone. That a load of some rows is one
// of them the strides of a call tell.
template <class Program> struct shared_values {
  using traits = program_traits<Program>;
  struct table {
    bool at[traits::size > 0 ? traits::size : 1] = {};
  };
  static consteval table compute() {
    table result;
    for (int k = 0; k < traits::size; ++k) {
      instruction_facts const& i = traits::all[k];
      bool const follows = i.is_computed || i.is_reduction;
      bool is_shared = i.where == place::launch || (i.is_load && i.is_of_some_rows) ||
                       (i.is_position && !i.varies_over_rows) || follows;
      is_shared = is_shared && !i.is_gathered && i.where != place::total;
      for (int n = 0; n < i.operand_count; ++n) is_shared = is_shared && result.at[i.operands[n]];
      result.at[k] = is_shared;
    }
    return result;
  }
  static constexpr table all = compute();
};
template <class Program> consteval bool is_shared(int k) {
  return shared_values<Program>::all.at[k];
}

}  // namespace tenon::detail
