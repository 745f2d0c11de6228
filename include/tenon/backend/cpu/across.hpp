// SPDX-License-Identifier: Apache-2.0
#pragma once
// The skeleton of elements whose operands lie across memory: what is stored side by side is a row,
// so that neighbouring rows are brought together (row_panels.hpp).

#include "tenon/backend/columns_as_rows.hpp"
#include "tenon/backend/cpu/flat.hpp"
#include "tenon/backend/cpu/rows.hpp"

namespace tenon::cpu_backend {

// @pre, @post: those of flat
struct across {
  template <class Program> static void run(call<Program> const& c) {
    group_layout const& columns = c.layout.columns;
    // Of shorter rows each costs more than its gathered elements.
    constexpr long long least_columns = 64;
    if constexpr (program_traits<Program>::row_phases == 0) {  // rows would change a sum's tree
      if (columns.dims > 1 && columns.extents[columns.dims - 1] >= least_columns) {
        bound_layout const layout = tenon::detail::columns_as_rows(c.layout, 1);
        call<Program> const by_rows(layout, c.arguments);
        if (row_panels<Program>::rows_together(by_rows) > 0) return rows::run(by_rows);
      }
    }
    flat::run(c);
  }
};

}  // namespace tenon::cpu_backend
