// SPDX-License-Identifier: Apache-2.0
#pragma once
// Scatter: the columns are the updates; each position of the result takes in those that name it.

#include "tenon/ops/comparison.hpp"
#include "tenon/ops/scatter.hpp"
#include "tenon/schedule/schedule.hpp"

namespace tenon {
namespace detail {

constexpr bool has_updates(iteration_space const& space) {
  for (instruction const& i : space.instructions)
    if (i.op == op_id<ops::is_target>) return true;
  return false;
}

// The comparison that tells for which updates the reduction is; -1: it is none of updates.
constexpr int gate_of(iteration_space const& space, instruction const& reduction) {
  instruction const& counted = space.instructions[reduction.operands[0]];
  if (counted.op != op_id<ops::where>) return -1;
  int const gate = counted.operands[0];
  return space.instructions[gate].op == op_id<ops::is_target> ? gate : -1;
}

// @post every reduction is of the updates that one comparison of a target with positions along
// one axis of the result lets pass, and nothing is reduced or stored beside them
constexpr bool place_scatter(iteration_space const& space, schedule& s) {
  s.refused = refusal::scatter_is_used_elsewhere;
  int gate = -1;
  for (instruction const& i : space.instructions) {
    if (i.op->kind == op_kind::scan) return false;
    if (i.op->kind != op_kind::reduction) continue;
    int const own = gate_of(space, i);
    if (own < 0 || (gate >= 0 && own != gate)) return false;
    gate = own;
    s.columns = i.reduced;
  }
  if (gate < 0) return false;
  for (instruction const& i : space.instructions)
    if (i.op == op_id<ops::is_target> && !(i == space.instructions[gate])) return false;
  instruction const& compared = space.instructions[gate];
  instruction const& target = space.instructions[compared.operands[0]];
  instruction const& position = space.instructions[compared.operands[1]];
  bool const is_one_axis = (position.axes & (position.axes - 1)) == 0;
  if (position.op != op_id<ops::index> || !is_one_axis ||
      (position.axes & (target.axes | s.columns)))
    return false;
  s.rows = all_axes(space) & ~s.columns;
  if (!place_values(space, s)) {
    s.refused = refusal::scatter_is_used_elsewhere;
    return false;
  }
  bool is_alone = !s.has_total && !s.has_column_values && s.row_phases == 1;
  for (place where : s.store_places) is_alone = is_alone && where == place::row;
  if (!is_alone) s.refused = refusal::scatter_is_used_elsewhere;
  return is_alone;
}

}  // namespace detail

namespace schedules {

inline constexpr family scatter{
    "scatter", "each position of the result takes in the updates that name it, in their order",
    [](iteration_space const& space, schedule& s) { return detail::place_scatter(space, s); }};

}  // namespace schedules
}  // namespace tenon
