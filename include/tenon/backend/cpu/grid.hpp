// SPDX-License-Identifier: Apache-2.0
#pragma once
// The skeleton with values over all rows of a plane that come back: all of these go through a phase
// before the first one enters the next. Where there are no planes, all rows are one.

#include "tenon/backend/cpu/rows.hpp"

namespace tenon::cpu_backend {

// The values of every row are kept from phase to phase, so that each phase is one pass over memory.
// @pre layout.rows and layout.columns may be empty: a reduction of nothing is its identity
// @post every store is written; a row's reductions have the bits that the skeleton without totals
// gives them, a total's bits are a function of both sizes
struct grid {
  template <class Program> static void run(call<Program> const& c) {
    row_state<Program> state = initial_state(c);
    long long const planes = c.layout.planes, count = planes > 0 ? c.layout.rows.size / planes : 0;
    kept_rows<Program> kept(count);
    for (long long plane = 0; plane < planes; ++plane) {
      long long const first = plane * c.layout.rows_per_plane;
      run_phases<1>(c, state, kept, first);
      if (plane > 0) locate(c.layout.rows, first, state.where);
      store_values<place::total>(c, state);
    }
    store_values<place::launch>(c, state);
  }

 private:
  template <class Program> using kept_rows = buffer<registers<Program, place::row>>;

  template <int Phase, class Program>
  static void run_phases(call<Program> const& c, row_state<Program>& state,
                         kept_rows<Program>& kept, long long first) {
    auto const totals = for_all_rows<Phase>(c, state, kept, first);
    if constexpr (Phase <= program_traits<Program>::phases) {
      finish(totals, state.total);
      evaluate<place::total, Phase, Phase>(state.values());
      run_phases<Phase + 1>(c, state, kept, first);
    }
  }

  // Few long rows are split, many rows are shared out.
  template <int Phase, class Program>
  static auto for_all_rows(call<Program> const& c, row_state<Program> const& state,
                           kept_rows<Program>& kept, long long first) {
    using states = reduction_states<Program, place::total, Phase>;
    long long const count = kept.size(), columns = c.layout.columns.size;
    if (count < rows_worth_splitting && columns > columns_per_task)
      return run_rows<Phase>(c, state, kept, first, 0, count, true);
    return combine_parts<states>(count, rows_per_task(columns), nothing{},
                                 [&](nothing, long long begin, long long end) {
                                   return run_rows<Phase>(c, state, kept, first, begin, end, false);
                                 });
  }

  // Phase `Phase` of rows [begin, end) from row `first` on; the stores in the one after the last.
  // @post the result is the reduction over these rows, in a tree that depends on their number alone
  template <int Phase, class Program>
  static reduction_states<Program, place::total, Phase> run_rows(call<Program> const& c,
                                                                 row_state<Program> state,
                                                                 kept_rows<Program>& kept,
                                                                 long long first, long long begin,
                                                                 long long end, bool is_parallel) {
    constexpr bool is_last = Phase > program_traits<Program>::phases;
    using states = reduction_states<Program, place::total, Phase>;
    states identity;
    set_identity(identity);
    pairwise<states, combine_states> total{combine_states{}};
    for (long long row = begin; row < end; ++row) {
      locate(c.layout.rows, first + row, state.where);
      state.row = kept[row];
      if constexpr (Phase == 1) load_values<place::row>(c, state);
      // What follows from the phase before this one, whose totals are known only now.
      evaluate<place::row, Phase - 1, Phase - 1>(state.values());
      if constexpr (has_sweep<Program, Phase, is_last>) {
        auto const result = sweep<Phase, is_last>(c, state, is_parallel);
        if constexpr (!is_last) finish(result, state.row);
      }
      if constexpr (is_last) store_values<place::row>(c, state);
      kept[row] = state.row;
      if constexpr (!states::is_empty) {
        states of_row = identity;
        accumulate(state.values(), of_row);
        total.push(of_row);
      }
    }
    return total.result(identity);
  }
};

}  // namespace tenon::cpu_backend
