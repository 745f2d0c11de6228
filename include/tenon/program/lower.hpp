// SPDX-License-Identifier: Apache-2.0
#pragma once
// The graph that a lambda wrote → the graph, iteration space and schedule of its kernel.

#include "tenon/passes/few_elements.hpp"
#include "tenon/passes/joined_outputs.hpp"
#include "tenon/passes/part_outputs.hpp"
#include "tenon/passes/pieces.hpp"
#include "tenon/passes/pipeline.hpp"
#include "tenon/passes/sliced_reductions.hpp"
#include "tenon/passes/split_repeats.hpp"
#include "tenon/passes/windows.hpp"
#include "tenon/schedule/gathered_rows.hpp"
#include "tenon/schedule/select.hpp"

namespace tenon {

struct lowered_graph {
  graph traced;  // what the passes began with
  graph final;
  iteration_space space;
  schedule plan;
  refusal refused = refusal::none;
};

namespace detail {

constexpr void set_schedule(lowered_graph& lowered) {
  square_axes const squares(lowered.final);
  lowered.space = make_iteration_space(lowered.final, squares);
  lowered.plan = select(lowered.space);
  if (lowered.plan.refused == refusal::none || !squares.is_any()) return;
  lowered.space = make_iteration_space(lowered.final, square_axes(lowered.final, false));
  lowered.plan = select(lowered.space);
}

// What is repeated is read as it lies where parts side by side have vectors then, or many
// repetitions themselves.
constexpr void part_outputs(graph& g) {
  if (passes::may_repeat(g)) {
    graph split = passes::split_repeats(g, false);
    passes::part_outputs(split);
    if (!split.parts.empty()) {
      g = split;
      return;
    }
    g = passes::split_repeats(g, true);
  }
  passes::part_outputs(g);
  passes::piece_outputs(g);
}

constexpr lowered_graph lower_as_it_is(graph const& traced) {
  lowered_graph result;
  result.traced = traced;
  result.final = passes::run(traced);
  result.refused = result.final.size() > max_nodes ? refusal::too_many_nodes : result.final.refused;
  if (result.refused != refusal::none) return result;
  int const size = result.final.size(), indices = passes::detail::count_indices(result.final);
  part_outputs(result.final);
  set_schedule(result);
  // What has no kernel in parts, or too many nodes, may have one as a whole.
  bool const is_other =
      result.final.size() > size || passes::detail::count_indices(result.final) < indices;
  if (result.plan.refused != refusal::none && is_other) {
    result.final = passes::run(traced);
    set_schedule(result);
  }
  if (result.plan.refused == refusal::none) gather_rows(result.space, result.plan);
  // A node that is read along different axes is several instructions.
  bool is_too_long = result.space.instructions.size() + result.space.stores.size() > max_nodes;
  result.refused = is_too_long ? refusal::too_many_nodes : result.plan.refused;
  return result;
}

template <class Op> constexpr bool has_nodes(graph const& g) {
  for (node const& n : g.nodes)
    if (n.is<Op>()) return true;
  return false;
}

}  // namespace detail

// @post refused tells why there is no single kernel. Where there is none otherwise, results that
// are parts are computed as wholes, reductions of few rows to one are written out, results that
// differ in the length of one axis are computed as parts of one, and reshapes that would be done
// last are taken by position. Few rows are written out, too, where blocks would meet instead
constexpr lowered_graph lower(graph const& traced) {
  lowered_graph result = detail::lower_as_it_is(traced);
  bool const has_kernel = result.refused == refusal::none;
  if (has_kernel && result.plan.chosen != &schedules::levels) return result;
  if (!has_kernel && passes::has_parts(traced)) {
    lowered_graph of_wholes = detail::lower_as_it_is(passes::windows(traced));
    if (of_wholes.refused == refusal::none) return of_wholes;
  }
  if (!has_kernel && passes::may_have_parts(traced)) {
    lowered_graph of_parts = detail::lower_as_it_is(passes::sliced_reductions(traced));
    if (of_parts.refused == refusal::none) return of_parts;
  }
  if (passes::has_few_rows(traced)) {
    graph written_out = traced;
    written_out.writes_out_few_rows = true;
    lowered_graph of_rows = detail::lower_as_it_is(written_out);
    if (of_rows.refused == refusal::none) return of_rows;
  }
  if (has_kernel) return result;
  if (traced.outputs.size() > 1) {
    lowered_graph of_all = detail::lower_as_it_is(passes::joined_outputs(traced));
    if (of_all.refused == refusal::none) return of_all;
  }
  if (detail::has_nodes<ops::reshape>(traced)) {
    graph by_position = traced;
    by_position.takes_reshapes_by_position = true;
    lowered_graph of_positions = detail::lower_as_it_is(by_position);
    if (of_positions.refused == refusal::none) return of_positions;
  }
  return result;
}

}  // namespace tenon
