// SPDX-License-Identifier: Apache-2.0
#pragma once
// The skeleton with rows: each row is swept once per phase and once for its stores; then come the
// values over all rows.

#include "tenon/backend/cpu/sweep.hpp"

namespace tenon::cpu_backend {

// From this many rows on, a task is a run of rows; with fewer, the columns of a row are what is
// split.
inline constexpr long long rows_worth_splitting = 64;

// Rows of one task, `together` at least: a power of two, so that the tree of the totals is the one
// of an undivided loop.
constexpr long long rows_per_task(long long columns, int together = 0) {
  long long rows = together > 0 ? together : 1;
  while (rows < 1024 && 2 * rows * columns <= columns_per_task) rows *= 2;
  return rows;
}

// Whether sweeps from that of phase Phase on find or leave a value of each element that a later one
// needs, too.
template <class Program, int Phase>
inline constexpr bool keeps_values =
    kept_in<Program>::number >= 0 && Phase >= kept_in<Program>::phase &&
    !program_traits<Program>::has_scans && !program_traits<Program>::has_sorts;

// Sweeps a row, which has a place for each kept value or none.
template <int Phase, bool Stores, class Program>
auto sweep_row(call<Program> const& c, row_state<Program>& state, bool is_parallel) {
  if constexpr (keeps_values<Program, Phase>)
    if (state.kept.size() > 0)
      return sweep_part<Phase, Stores, true>(c, state, 0, c.layout.columns.size, state.kept.data());
  return sweep<Phase, Stores>(c, state, is_parallel);
}

// Runs phases Phase to row_phases of one row. A phase reads the results of the phase before it.
template <int Phase, class Program>
void run_phases(call<Program> const& c, row_state<Program>& state, bool is_parallel) {
  if constexpr (program_traits<Program>::has_sorts) sort_values<Phase - 1>(c, state);
  if constexpr (Phase <= program_traits<Program>::row_phases) {
    if constexpr (has_sweep<Program, Phase, false>)
      finish(sweep_row<Phase, false>(c, state, is_parallel), state.row);
    evaluate<place::row, Phase, Phase>(state.values());
    run_phases<Phase + 1>(c, state, is_parallel);
  } else if constexpr (has_sweep<Program, Phase, true>) {
    sweep_row<Phase, true>(c, state, is_parallel);
  }
}

template <class Program> using total_states = reduction_states<Program, place::total, any_phase>;

// Runs rows [begin, end), and calls after(row, state) behind each. @post the result is the
// reduction over these rows, in a tree that depends on their number alone
template <class Program, class After>
total_states<Program> run_rows(call<Program> const& c, row_state<Program>& state, long long begin,
                               long long end, bool is_parallel, After const& after) {
  total_states<Program> identity;
  set_identity(identity);
  pairwise<total_states<Program>, combine_states> total{combine_states{}};
  int const together = row_panels<Program>::rows_together(c);
  // As long as the caches hold them.
  if (keeps_values<Program, program_traits<Program>::row_phases + 1> &&
      c.layout.columns.size <= columns_per_task)
    state.kept.resize(c.layout.columns.size);
  state.panels.begin();
  for (long long row = begin; row < end; ++row) {
    locate(c.layout.rows, row, state.where);
    if (together > 0) state.panels.go_to(c, state.where, row, end, together, is_parallel);
    load_values<place::row>(c, state);
    evaluate<place::row, 0, 0>(state.values());
    run_phases<1>(c, state, is_parallel);
    if (together > 0) state.panels.leave(c, is_parallel);
    store_values<place::row>(c, state);
    after(row, state);
    if constexpr (!total_states<Program>::is_empty) {
      total_states<Program> of_row = identity;
      accumulate(state.values(), of_row);
      total.push(of_row);
    }
  }
  return total.result(identity);
}

template <class Program, class After>
total_states<Program> run_all_rows(call<Program> const& c, row_state<Program> const& state,
                                   After const& after) {
  long long const count = c.layout.rows.size;
  if (count < rows_worth_splitting && c.layout.columns.size > columns_per_task) {
    row_state<Program> mine = state;
    return run_rows(c, mine, 0, count, true, after);
  }
  return combine_parts<total_states<Program>>(
      count, rows_per_task(c.layout.columns.size, row_panels<Program>::rows_together(c)), state,
      [&](row_state<Program>& mine, long long begin, long long end) {
        return run_rows(c, mine, begin, end, false, after);
      });
}

// @pre layout.rows and layout.columns may be empty: a reduction of nothing is its identity
// @post every store is written; a row's bits are a function of layout.columns.size and its values,
// a total's of both sizes
struct rows {
  template <class Program> static void run(call<Program> const& c) {
    row_state<Program> state = initial_state(c);
    finish(run_all_rows(c, state, [](long long, row_state<Program>&) {}), state.total);
    evaluate<place::total, 0, max_nodes>(state.values());
    store_values<place::total>(c, state);
    store_values<place::launch>(c, state);
  }
};

}  // namespace tenon::cpu_backend
