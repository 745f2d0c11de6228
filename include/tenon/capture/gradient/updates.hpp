// SPDX-License-Identifier: Apache-2.0
#pragma once
// The reverse pass through sums by index (scatter_add): each update takes the derivative of the position that it was added to.

#include "tenon/capture/gradient/slice.hpp"
#include "tenon/capture/gradient/varying.hpp"
#include "tenon/ops/scatter.hpp"

namespace tenon::detail {

// What was set beside others along axes of extent 1.
constexpr int before_repetition(graph const& g, int id) {
  node const& n = g[id];
  return n.is<ops::broadcast>() && g.operand(n, 0).rank() == n.rank() ? n.operands[0] : id;
}

// The comparison of targets with positions that lets a reduction take in the updates of each position; -1 where it is no such one.
constexpr int comparison_of_targets(graph const& g, node const& reduction) {
  node const& counted = g.operand(reduction, 0);
  if (!counted.is<ops::where>()) return -1;
  int const gate = before_repetition(g, counted.operands[0]);
  return g[gate].is<ops::is_target>() ? gate : -1;
}

constexpr int axis_of_positions(graph const& g, int positions) {
  unsigned const varying = axes_that_vary(g, positions);
  int axis = 0;
  while (axis + 1 < g[positions].rank() && !(varying >> axis & 1u)) ++axis;
  return axis;
}

constexpr void reverse_sum_by_index(adjoints& all, int id) {
  graph& g = all.g;
  node const n = g[id], counted = g.operand(n, 0), gate = g[comparison_of_targets(g, n)];
  int const axis = axis_of_positions(g, gate.operands[1]), updates = before_repetition(g, counted.operands[1]);
  dim_list reads = counted.dims;
  reads[axis] = unit_dim;
  term const target{g, build::broadcast_trailing(g, before_repetition(g, gate.operands[0]), reads)};
  attribute map;
  for (int k = 0; k < n.rank(); ++k) map.push_back(k == axis ? -1 : k);
  int const d = expanded(g, all.of(id), n.dims);
  term const read{g, build::take(g, d, map, {{target.id}, 1}, 0u, reads)};
  int result = ops::when(target >= whole_number(g, 0) && target < length_term(g, counted.dims[axis]), read).id;
  if (g[updates].rank() == 0) return all.add(updates, result, reads);
  unsigned repeated = 0;
  attribute kept;
  for (int k = 0; k < reads.size(); ++k)
    if (g.dims.representative(g[updates].dims[k]) == g.dims.representative(reads[k]))
      kept.push_back(k);
    else
      repeated |= 1u << k;
  result = sum_along(g, result, reads, repeated);
  all.add(updates, build::broadcast(g, result, kept, dim_list(g[updates].dims)));
}

}  // namespace tenon::detail
