// SPDX-License-Identifier: Apache-2.0
#pragma once
// The parameter block of the mixed kernel, and which values it keeps.

#include "tenon/backend/cuda/parallel/stacked.cuh"
#include "tenon/backend/cuda/parts/access.cuh"
#include "tenon/backend/cuda/parts/side_arguments.cuh"
#include "tenon/backend/cuda/parts/ticket.cuh"

namespace tenon::detail {

template <class Program> struct mixed_arguments : side_arguments<Program> {
  long long vectors;        // of columns, the last one perhaps not whole
  long long tiles;          // looped: per row
  long long strip_vectors;  // of each of the strips that rows are cut into
  int strips;
  int strips_at_once;   // of as many blocks, which have the same rows
  int parts_of_column;  // from blocks with other rows
  bool is_paced;        // blocks have so many rounds of rows that they keep pace
  bool is_whole;        // every vector of every operand is one aligned access
};

// Element loads; Moving: those that differ from row to row, Fixed: those that are the same for all.
template <class Program, int V, int Items, bool Moving, bool Fixed> struct mixed_loads {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  static consteval bool holds(int k) {
    instruction_facts const& i = program_traits<Program>::all[k];
    return i.is_load && i.where == place::element && (i.varies_over_rows ? Moving : Fixed);
  }
  template <int K> using type = vector_list<storage_t<at<K>::type>, V, Items>;
};

// Reductions over the rows of each column, with a state for each of a thread's columns.
template <class Program, int Columns> struct column_reductions {
  static consteval bool holds(int k) {
    instruction_facts const& i = program_traits<Program>::all[k];
    return i.is_reduction && i.where == place::column;
  }
  template <int K> using type = value_list<typename reduction_facts<Program, K>::state, Columns>;
};

// Whether rows may be cut into strips: neither an element nor a column needs anything of a whole
// row, and the order of the rows does not matter to a total. Wider states or vectors leave no
// registers for it, more operands no shared memory.
template <class Program>
inline constexpr bool cuts_rows = [] {
  using traits = program_traits<Program>;
  bool result = traits::row_phases == 1 && element_operands<Program>::vector_width <= 8 &&
                element_operands<Program>::loads <= 3 &&
                partial_words<Program, column_reductions<Program, 1>> == 1;
  for (instruction_facts const& i : traits::all)
    if ((i.is_reduction && i.where == place::column && i.phase > 0) ||
        (i.is_store && i.where == place::element))
      result = false;
  visit_selected<Program, reductions_of<Program, place::total, 0>>([&](auto selected) {
    using facts = reduction_facts<Program, decltype(selected)::value>;
    result = result && !ops::rounded_reduction<typename facts::op, typename facts::state>;
  });
  return result;
}();

}  // namespace tenon::detail
