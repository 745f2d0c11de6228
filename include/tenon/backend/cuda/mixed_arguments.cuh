// SPDX-License-Identifier: Apache-2.0
#pragma once
// The parameter block of the mixed kernel, and which values it keeps.

#include "tenon/backend/cuda/element_tile.cuh"
#include "tenon/backend/cuda/side_access.cuh"
#include "tenon/backend/cuda/stacked.cuh"

namespace tenon::detail {

template <class Program> struct mixed_arguments {
  using traits = program_traits<Program>;
  static constexpr int loads_held = at_least_one(traits::load_count);
  static constexpr int stores_held = at_least_one(traits::store_count);

  void const* loads[loads_held];
  void* stores[stores_held];
  index_group<max_rank, 64> rows, columns;
  long long load_rows[loads_held][max_rank], load_columns[loads_held][max_rank];
  long long store_rows[stores_held][max_rank], store_columns[stores_held][max_rank];
  // Whether a whole vector of columns is one aligned access; else it is moved element by element.
  bool load_moves_whole[loads_held], store_moves_whole[stores_held];
  long long scalars[at_least_one(traits::scalar_count)];
  long long sizes[at_least_one(traits::size_count)];
  long long vectors;     // of columns, the last one perhaps not whole
  long long tiles;       // looped: per row
  bool is_whole;         // every vector of every operand is one aligned access
  bool blocks_can_meet;  // all of them are resident at once
  unsigned* workspace;

  void set(bound_arguments<Program> const& call, void* call_workspace) {
    for (int k = 0; k < traits::load_count; ++k) loads[k] = call.loads[k];
    for (int k = 0; k < traits::store_count; ++k) stores[k] = call.stores[k];
    for (int k = 0; k < traits::scalar_count; ++k) scalars[k] = call.scalars[k];
    workspace = static_cast<unsigned*>(call_workspace);
  }
};

// Element loads; Moving: those that differ from row to row, Fixed: those that are the same for all.
template <class Program, int V, int Items, bool Moving, bool Fixed> struct mixed_loads {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  template <int K>
  static constexpr bool holds = at<K>::is_load&& at<K>::where == place::element &&
                                (at<K>::varies_over_rows ? Moving : Fixed);
  template <int K> using type = vector_list<storage_t<at<K>::type>, V, Items>;
};

// Reductions over the rows of each column, with a state for each of a thread's columns.
template <class Program, int Columns> struct column_reductions {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  template <int K>
  static constexpr bool holds = at<K>::is_reduction&& at<K>::where == place::column;
  template <int K> using type = value_list<typename reduction_facts<Program, K>::state, Columns>;
};

}  // namespace tenon::detail
