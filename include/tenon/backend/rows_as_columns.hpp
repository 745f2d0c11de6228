// SPDX-License-Identifier: Apache-2.0
#pragma once
// A layout of rows → one of columns alone, in which a position is that of an element in all rows.

#include "tenon/backend/arguments.hpp"

namespace tenon::detail {

// The axes of its rows in front of those of its columns, as columns.
// @pre both have at most max_rank axes
[[gnu::cold]] inline bound_layout rows_as_columns(bound_layout const& layout) {
  bound_layout result = layout;
  group_layout const &rows = layout.rows, &columns = layout.columns;
  result.rows = {};
  result.columns.dims = rows.dims + columns.dims;
  result.columns.size = rows.size * columns.size;
  auto join = [&](long long(&to)[max_rank], long long const* of_rows, long long const* of_columns) {
    for (int d = 0; d < rows.dims; ++d) to[d] = of_rows[d];
    for (int d = 0; d < columns.dims; ++d) to[rows.dims + d] = of_columns[d];
  };
  join(result.columns.extents, rows.extents, columns.extents);
  for (int k = 0; k < layout.loads.size(); ++k)
    join(result.loads[k].column_strides, layout.loads[k].row_strides,
         layout.loads[k].column_strides);
  for (int k = 0; k < layout.stores.size(); ++k)
    join(result.stores[k].column_strides, layout.stores[k].row_strides,
         layout.stores[k].column_strides);
  return result;
}

}  // namespace tenon::detail
