// SPDX-License-Identifier: Apache-2.0
#pragma once
// The parameter block of the skeletons that keep rows or columns side by side: operands whose
// vectors may each be misaligned, strided or cut off.

#include "tenon/backend/cuda/parts/access.cuh"
#include "tenon/backend/cuda/parts/element_tile.cuh"
#include "tenon/backend/cuda/parts/operand_table.cuh"
#include "tenon/backend/cuda/parts/side_access.cuh"
#include "tenon/program/visit.hpp"

namespace tenon::detail {

template <class Program> struct side_arguments {
  using traits = program_traits<Program>;
  static constexpr int loads_held = at_least_one(traits::load_count);
  static constexpr int stores_held = at_least_one(traits::store_count);

  void const* loads[loads_held];
  void* stores[stores_held];
  row_steps<loads_held, stores_held> steps;
  divided_axes divided, of_positions;
  index_group<max_rank, 64> rows, columns;
  long long load_rows[loads_held][max_rank], load_columns[loads_held][max_rank];
  long long store_rows[stores_held][max_rank], store_columns[stores_held][max_rank];
  // Whether a whole vector is one aligned access; else it is moved element by element.
  bool load_moves_whole[loads_held], store_moves_whole[stores_held];
  long long scalars[at_least_one(traits::scalar_count)];
  long long sizes[at_least_one(traits::size_count)];
  unsigned* workspace;

  // What follows from the shapes but for the groups, whose positions may count vectors.
  // moves_whole(operand's layout, address, bytes per element) tells of one operand.
  template <class MovesWhole>
  [[gnu::cold]] void set_operands(bound_layout const& layout, bound_arguments const& call,
                                  MovesWhole const& moves_whole) {
    bool has_narrow_steps = true;
    auto copy = [&](int& step, long long(&to_rows)[max_rank], long long(&to_columns)[max_rank],
                    operand_layout const& from) {
      step = static_cast<int>(from.row_strides[0]);
      has_narrow_steps = has_narrow_steps && has_narrow_rows(layout.rows, from);
      for (int d = 0; d < max_rank; ++d) {
        to_rows[d] = d < layout.rows.dims ? from.row_strides[d] : 0;
        to_columns[d] = d < layout.columns.dims ? from.column_strides[d] : 0;
      }
    };
    visit_instructions<Program>([&](auto index) {
      using I = typename traits::template at<decltype(index)::value>;
      constexpr int bytes = static_cast<int>(sizeof(storage_t<I::type>));
      if constexpr (I::is_load) {
        copy(steps.loads[I::bits], load_rows[I::bits], load_columns[I::bits],
             layout.loads[I::bits]);
        load_moves_whole[I::bits] = moves_whole(layout.loads[I::bits], call.loads[I::bits], bytes);
      }
      if constexpr (I::is_position)
        copy(steps.loads[I::bits], load_rows[I::bits], load_columns[I::bits],
             layout.loads[I::bits]);
      if constexpr (I::is_store) {
        copy(steps.stores[I::bits], store_rows[I::bits], store_columns[I::bits],
             layout.stores[I::bits]);
        store_moves_whole[I::bits] =
            moves_whole(layout.stores[I::bits], call.stores[I::bits], bytes);
      }
    });
    divided = of_positions = divided_axes::of(layout.rows, has_narrow_steps);
    for (int k = 0; k < traits::size_count; ++k) sizes[k] = layout.sizes[k];
  }

  // A group whose innermost axis, of extent `innermost`, counts vectors or elements.
  [[gnu::cold]] static index_group<max_rank, 64> group_of(group_layout const& from,
                                                          long long innermost) {
    index_group<max_rank, 64> result;
    result.dims = from.dims > 1 ? from.dims : 1;
    result.size = 1;
    for (int d = 0; d < from.dims; ++d) {
      long long const extent = d == from.dims - 1 ? innermost : from.extents[d];
      result.size *= extent;
      if (extent > 0) result.by[d] = index_divider<64>::of(extent);
    }
    return result;
  }
  [[gnu::cold]] static index_group<max_rank, 64> group_of(group_layout const& from) {
    return group_of(from, from.dims > 0 ? from.extents[from.dims - 1] : 1);
  }
};

// The same of rows whose neighbours are vectors of v, for arguments that tell of the steps along
// the innermost row axis and the outermost column axis, too.
template <class Arguments>
[[gnu::cold]] void set_neighbouring_rows(Arguments& a, bound_layout const& layout,
                                         bound_arguments const& call, int v) {
  int const inner = layout.rows.dims - 1;
  a.innermost = layout.rows.extents[inner];
  a.rows = a.group_of(layout.rows, divide_up(a.innermost, v));
  a.columns = a.group_of(layout.columns);
  a.is_single = layout.rows.dims == 1;
  a.set_operands(layout, call, [&](operand_layout const& from, void const* address, int bytes) {
    if (v == 1) return true;  // wherever it lies
    bool result = is_aligned_vector(address, bytes, v, from.row_strides[inner]);
    for (int d = 0; d < inner; ++d) result = result && from.row_strides[d] % v == 0;
    for (int d = 0; d < layout.columns.dims && a.columns.size > 1; ++d)
      result = result && from.column_strides[d] % v == 0;
    return result;
  });
  for (int k = 0; k < a.loads_held; ++k)
    a.load_steps[k] = a.load_columns[k][0], a.load_along[k] = a.load_rows[k][inner];
  for (int k = 0; k < a.stores_held; ++k) a.store_along[k] = a.store_rows[k][inner];
}

}  // namespace tenon::detail
