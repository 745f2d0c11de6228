// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which programs the columns skeleton runs with what neighbouring rows share there once for a
// thread's vector of them.

#include "tenon/backend/cuda/columns/choosing.cuh"
#include "tenon/backend/cuda/parts/kept_vectors.cuh"
#include "tenon/program/drawn.hpp"
#include "tenon/program/shared_values.hpp"

namespace tenon::detail {

// Words of the states that a row has by itself.
template <class Program>
inline constexpr int words_beside_shared = [] {
  int result = 0;
  visit_selected<Program, reductions_at<Program, place::row>>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    if (!shared_values<Program>::all.at[k]) result += words_of_row_state<Program, k>;
  });
  return result;
}();

// Neighbouring rows of a thread: 16 bytes of the widest operand that is not shared.
template <class Program>
inline constexpr int shared_width = [] {
  using traits = program_traits<Program>;
  int bytes = 1;
  for (int k = 0; k < traits::size; ++k) {
    instruction_facts const& i = traits::all[k];
    bool const is_own = !shared_values<Program>::all.at[k];
    if (is_own && i.moves_elements && size_of(i.type) > bytes) bytes = size_of(i.type);
  }
  int result = 16 / bytes;
  while (result > 1 && result * words_beside_shared < Program >> 16) result /= 2;
  return result;
}();

// Elements that each row has by itself.
template <class Program, int V> struct loads_beside_shared : needed_loads<Program, V, 1, 0, false> {
  static consteval bool holds(int k) {
    instruction_facts const& i = program_traits<Program>::all[k];
    return i.is_load && i.moves_elements && !is_shared<Program>(k);
  }
};
// Positions in flight, of which each has a vector of these; of many states half as many, for which
// there are registers.
template <class Program>
inline constexpr int items_beside_shared = [] {
  constexpr int loads =
      held<loads_beside_shared<Program, 1>, program_traits<Program>::size>::all.count;
  constexpr bool has_many_states = shared_width<Program> * words_beside_shared < Program >> 8;
  return (loads <= 1 ? 8 : loads <= 3 ? 4 : 2) / (has_many_states ? 2 : 1);
}();

// Whether there is a kernel that has what is shared once for V rows: where something is computed of
// it, or its elements are wider than those of others. What several sweeps need of other operands is
// kept in shared memory instead.
template <class Program>
inline constexpr bool may_share = [] {
  using traits = program_traits<Program>;
  bool is_computed = false, is_loaded = false, has_own = false,
       result = traits::row_phases > 0 && !stores_what_it_reduces<Program>;
  for (int k = 0; k < traits::size; ++k) {
    instruction_facts const& i = traits::all[k];
    bool const has_all = shared_values<Program>::all.at[k],
               is_of_element = i.where == place::element;
    is_computed =
        is_computed || (has_all && is_of_element && i.is_computed) || (has_all && i.is_reduction);
    is_loaded = is_loaded || (has_all && is_of_element && i.is_load);
    has_own = has_own || (i.is_load && is_of_element && !has_all);
    result = result && !(i.is_fetch && is_of_element) && !i.is_window && !i.is_gathered;
  }
  return result && has_own && !finds_rows_late<Program, shared_width<Program>> &&
         !has_choices<Program> && !has_random<Program> &&
         (is_computed || (is_loaded && only_reduces<Program>) ||
          shared_width<Program> > element_operands<Program>::vector_width) &&
         !is_any_kept<Program, shared_width<Program>>;
}();

// The reductions of a phase that neighbouring rows share, or those that each has by itself.
template <class Program, class States, bool IsShared> struct states_by_sharing : States {
  static consteval bool holds(int k) {
    return States::holds(k) && is_shared<Program>(k) == IsShared;
  }
};
// Whether all of them are shared.
template <class Program, int Phase>
inline constexpr bool is_shared_phase =
    !has_selected<Program,
                  states_by_sharing<Program, reductions_of<Program, place::row, Phase>, false>>;

// Whether blocks may share the reduced positions: what each row has by itself comes in one sweep,
// the last one.
template <class Program>
inline constexpr bool may_slice_shared = []<int... Phase>(std::integer_sequence<int, Phase...>) {
  return !has_element_stores<Program> && (is_shared_phase<Program, Phase + 1> && ...);
}
(std::make_integer_sequence<int, at_least_one(program_traits<Program>::row_phases) - 1>{});

}  // namespace tenon::detail
