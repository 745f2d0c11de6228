// SPDX-License-Identifier: Apache-2.0
#pragma once
// The parameter block of the mixed kernel, and which values it keeps.

#include "tenon/backend/cuda/parallel/stacked.cuh"
#include "tenon/backend/cuda/parts/access.cuh"
#include "tenon/backend/cuda/parts/side_arguments.cuh"
#include "tenon/backend/cuda/parts/ticket.cuh"

namespace tenon::detail {

template <class Program> struct mixed_arguments : side_arguments<Program> {
  long long vectors;  // of columns, the last one perhaps not whole
  long long tiles;    // looped: per row
  int blocks;         // of the grid
  bool is_paced;      // blocks have so many rounds of rows that they keep pace
  bool is_whole;      // every vector of every operand is one aligned access
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

}  // namespace tenon::detail
