// SPDX-License-Identifier: Apache-2.0
#pragma once
// The skeleton without rows: one sweep over the columns computes the reductions and stores the
// elements.

#include "tenon/backend/cpu/sweep.hpp"

namespace tenon::cpu_backend {

// Tasks own runs of columns_per_task columns.
// @pre layout.rows.dims == 0; no stored element depends on a reduction
// @post every store is written; the bits are a function of layout.columns.size and the values alone
struct flat {
  template <class Program> static void run(call<Program> const& c) {
    row_state<Program> state = initial_state(c);
    evaluate<place::row, 0, 0>(state.values());
    if constexpr (has_sweep<Program, 1, true>) finish(sweep<1, true>(c, state, true), state.row);
    evaluate<place::row, 1, 1>(state.values());
    store_values<place::row>(c, state);
    store_values<place::launch>(c, state);
  }
};

}  // namespace tenon::cpu_backend
