// SPDX-License-Identifier: Apache-2.0
#pragma once
// The skeleton of elements whose operands lie across memory: what is stored side by side is a row,
// so that neighbouring rows are brought together (row_panels.hpp).

#include "tenon/backend/cpu/flat.hpp"
#include "tenon/backend/cpu/rows.hpp"

namespace tenon::cpu_backend {

// The outer axes of columns become rows. @pre layout.rows.dims == 0 and layout.columns.dims > 0
[[gnu::cold]] inline bound_layout inner_axis_as_columns(bound_layout const& layout) {
  bound_layout result = layout;
  int const inner = layout.columns.dims - 1;
  result.rows = result.columns;
  result.rows.dims = inner;
  result.columns.dims = 1;
  result.columns.size = result.columns.extents[0] = layout.columns.extents[inner];
  result.rows.size = 1;
  for (int d = 0; d < inner; ++d) result.rows.size *= layout.columns.extents[d];
  auto const split = [&](operand_layout& operand) {
    for (int d = 0; d < inner; ++d) operand.row_strides[d] = operand.column_strides[d];
    operand.column_strides[0] = operand.column_strides[inner];
  };
  for (operand_layout& operand : result.loads) split(operand);
  for (operand_layout& operand : result.stores) split(operand);
  return result;
}

// @pre, @post: those of flat
struct across {
  template <class Program> static void run(call<Program> const& c) {
    group_layout const& columns = c.layout.columns;
    // Of shorter rows each costs more than its gathered elements.
    constexpr long long least_columns = 64;
    if constexpr (program_traits<Program>::row_phases == 0) {  // rows would change a sum's tree
      if (columns.dims > 1 && columns.extents[columns.dims - 1] >= least_columns) {
        bound_layout const layout = inner_axis_as_columns(c.layout);
        call<Program> const by_rows(layout, c.arguments);
        if (row_panels<Program>::rows_together(by_rows) > 0) return rows::run(by_rows);
      }
    }
    flat::run(c);
  }
};

}  // namespace tenon::cpu_backend
