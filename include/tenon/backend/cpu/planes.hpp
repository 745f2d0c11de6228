// SPDX-License-Identifier: Apache-2.0
#pragma once
// The skeleton with values over some of the rows' axes: each row leaves its part of them; when all
// rows are done, the parts of a plane are combined.

#include "tenon/backend/cpu/buffer.hpp"
#include "tenon/backend/cpu/rows.hpp"

namespace tenon::cpu_backend {

// @pre layout.rows and layout.columns may be empty: a reduction of nothing is its identity
// @post every store is written; rows and totals have the bits that the skeleton without planes
// gives them, a plane's are a function of both sizes and its values
struct planes {
  template <class Program> static void run(call<Program> const& c) {
    row_state<Program> state = initial_state(c);
    states<Program> identity;
    set_identity(identity);
    buffer<states<Program>> of_rows(c.layout.rows.size, identity);
    auto const leave = [&](long long row, row_state<Program>& at) {
      accumulate(at.values(), of_rows[row]);
    };
    finish(run_all_rows(c, state, leave), state.total);
    evaluate<place::total, 0, max_nodes>(state.values());
    store_values<place::total>(c, state);
    store_values<place::launch>(c, state);
    parallel_for(c.layout.planes, [&](long long plane) { finish_plane(c, state, of_rows, plane); });
  }

 private:
  template <class Program> using states = reduction_states<Program, place::plane, any_phase>;

  template <class Program>
  static void finish_plane(call<Program> const& c, row_state<Program> state,
                           buffer<states<Program>> const& of_rows, long long plane) {
    long long const first = plane * c.layout.rows_per_plane;
    states<Program> identity;
    set_identity(identity);
    pairwise<states<Program>, combine_states> all{combine_states{}};
    if (c.layout.rows.size > 0)
      for (long long row = first; row < first + c.layout.rows_per_plane; ++row)
        all.push(of_rows[row]);
    states<Program> result = all.result(identity);
    for_each_reduction<Program, place::plane, any_phase>([&](auto index) {
      constexpr int k = decltype(index)::value;
      tenon::detail::read_register<k>(state.total) = state_of<k>(result);
    });
    evaluate<place::plane, 0, max_nodes>(state.values());
    locate(c.layout.rows, first, state.where);
    store_values<place::plane>(c, state);
  }
};

}  // namespace tenon::cpu_backend
