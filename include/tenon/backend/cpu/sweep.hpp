// SPDX-License-Identifier: Apache-2.0
#pragma once
// All columns of one row → the reductions of a phase and the element stores, in one pass over
// memory.

#include "tenon/backend/cpu/block.hpp"
#include "tenon/backend/cpu/split.hpp"

namespace tenon::cpu_backend {

// The part of a sweep that one thread does at a time. A power of two times block_size, so that the
// tree of the partial results is the one of an undivided sweep.
inline constexpr long long columns_per_task = 16 * block_size;

// Sweeps columns [begin, end) of a row.
// @pre end is the number of columns or differs from begin by a power of two times block_size
// @pre Keeps: `kept` has a place for each column of the row
template <int Phase, bool Stores, bool Keeps = false, class Program>
reduction_states<Program, place::row, Phase> sweep_part(call<Program> const& c,
                                                        row_state<Program> const& state,
                                                        long long begin, long long end,
                                                        float* kept = nullptr) {
  using states = reduction_states<Program, place::row, Phase>;
  states identity;
  set_identity(identity);
  pairwise<states, combine_states> total{combine_states{}};
  block_operands<Program, Phase, Stores> operands(c, state);
  scan_states<Program, Phase, Stores> scanned;
  begin_scans(state, scanned);
  for (long long done = begin; done < end; done += block_size) {
    int const count = end - done < block_size ? static_cast<int>(end - done) : block_size;
    states of_block = identity;
    evaluate_block<Phase, Stores, Keeps, Program>(state.launch, state.row, state.total,
                                                  operands.read(done, count), count, scanned,
                                                  Keeps ? kept + done : nullptr, of_block);
    operands.write_back(done, count);
    if constexpr (!states::is_empty) total.push(of_block);
  }
  return total.result(identity);
}

// Whether a sweep does anything.
template <class Program, int Phase, bool Stores>
inline constexpr bool has_sweep =
    !reduction_states<Program, place::row, Phase>::is_empty ||
    (Stores && holds_any<Program, typename moves_at<Program, place::element>::stores>);

// Sweeps all columns of a row; on all threads when is_parallel. The result is the same either way.
template <int Phase, bool Stores, class Program>
auto sweep(call<Program> const& c, row_state<Program> const& state, bool is_parallel) {
  long long const size = c.layout.columns.size;
  // A scan takes its row in order.
  constexpr bool is_ordered =
      program_traits<Program>::has_scans || program_traits<Program>::has_sorts;
  if (!is_parallel || is_ordered) return sweep_part<Phase, Stores>(c, state, 0, size);
  return combine_parts<reduction_states<Program, place::row, Phase>>(
      size, columns_per_task, nothing{}, [&](nothing, long long begin, long long end) {
        return sweep_part<Phase, Stores>(c, state, begin, end);
      });
}

}  // namespace tenon::cpu_backend
