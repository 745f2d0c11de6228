// SPDX-License-Identifier: Apache-2.0
#pragma once
// A layout of columns alone → one of rows, whose columns are the innermost axes.

#include "tenon/backend/arguments.hpp"

namespace tenon::detail {

// All axes of the columns but the `kept` innermost ones as rows.
// @pre there are no rows, and at least `kept` axes
[[gnu::cold]] inline bound_layout columns_as_rows(bound_layout const& layout, int kept) {
  bound_layout result = layout;
  int const outer = layout.columns.dims - kept;
  result.rows.dims = outer;
  result.columns = {.dims = kept};
  for (int d = 0; d < outer; ++d)
    result.rows.size *= result.rows.extents[d] = layout.columns.extents[d];
  for (int d = 0; d < kept; ++d)
    result.columns.size *= result.columns.extents[d] = layout.columns.extents[outer + d];
  auto const part = [&](constexpr_vector<operand_layout>& to,
                        constexpr_vector<operand_layout> const& from) {
    for (int k = 0; k < from.size(); ++k) {
      to[k] = {};
      for (int d = 0; d < outer; ++d) to[k].row_strides[d] = from[k].column_strides[d];
      for (int d = 0; d < kept; ++d) to[k].column_strides[d] = from[k].column_strides[outer + d];
    }
  };
  part(result.loads, layout.loads), part(result.stores, layout.stores);
  return result;
}

}  // namespace tenon::detail
