// SPDX-License-Identifier: Apache-2.0
#pragma once
// The parameter block of the columns kernel.

#include "tenon/backend/cuda/element_tile.cuh"
#include "tenon/backend/cuda/side_access.cuh"

namespace tenon::detail {

// Rows count vectors of neighbouring rows: the innermost row axis is divided by the vector width.
template <class Program> struct columns_arguments {
  using traits = program_traits<Program>;
  static constexpr int loads_held = at_least_one(traits::load_count);
  static constexpr int stores_held = at_least_one(traits::store_count);

  void const* loads[loads_held];
  void* stores[stores_held];
  index_group<max_rank, 64> rows, columns;
  long long load_rows[loads_held][max_rank], load_columns[loads_held][max_rank];
  long long store_rows[stores_held][max_rank], store_columns[stores_held][max_rank];
  // Whether a whole vector is one aligned access; else it is moved element by element.
  bool load_moves_whole[loads_held], store_moves_whole[stores_held];
  long long scalars[at_least_one(traits::scalar_count)];
  long long sizes[at_least_one(traits::size_count)];
  long long innermost;  // rows along the innermost row axis
  long long tiles, slices, slice_length;
  long long first_total;  // word of the workspace where the partial totals begin
  unsigned* workspace;

  void set(bound_arguments<Program> const& call, void* call_workspace) {
    for (int k = 0; k < traits::load_count; ++k) loads[k] = call.loads[k];
    for (int k = 0; k < traits::store_count; ++k) stores[k] = call.stores[k];
    for (int k = 0; k < traits::scalar_count; ++k) scalars[k] = call.scalars[k];
    workspace = static_cast<unsigned*>(call_workspace);
  }
};

}  // namespace tenon::detail
