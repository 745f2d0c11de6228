// SPDX-License-Identifier: Apache-2.0
#pragma once
// The reverse pass through windows (unfold): an element takes the derivatives of the few windows that it is in, each from
// where it is in that window.

#include "tenon/capture/gradient/slice.hpp"
#include "tenon/capture/gradient/varying.hpp"

namespace tenon::detail {

// An index that is the position along `first` times a step, and the position along `within` more: the step; 0: it is none.
// @pre the index varies along these two axes alone
constexpr long long step_of_windows(graph const& g, int id, int first, int within) {
  for (; is_in_other_order(g, id); id = g[id].operands[0]) {
    first = read_axis(g, g[id], first), within = read_axis(g, g[id], within);
    if (first < 0 || within < 0) return 0;
  }
  if (!g[id].is<ops::add>() || !is_position(g, g[id].operands[1], within)) return 0;
  int scaled = g[id].operands[0];
  for (; is_in_other_order(g, scaled); scaled = g[scaled].operands[0]) {
    first = read_axis(g, g[scaled], first);
    if (first < 0) return 0;
  }
  node const& product = g[scaled];
  if (!product.is<ops::mul>() || !is_position(g, product.operands[0], first)) return 0;
  node const& step = g.operand(product, 1);
  return step.is<ops::literal>() && step.bits > 0 ? step.bits : 0;
}

// d has the operand's axes, of which `axis` has length 1, and then one for the windows and one for the places in them.
constexpr int reverse_windows(graph& g, int d, int axis, long long step, dim windows, dim size, dim_list const& operand) {
  int const rank = operand.size();
  dim_list dims = operand;
  dims.push_back(size);
  term const from = position_term(g, dims, axis) - position_term(g, dims, rank), stride = whole_number(g, step);
  term const window = step == 1 ? from : ops::of<ops::floor_divide>(from, stride);
  term is_there = window >= whole_number(g, 0) && window < length_term(g, windows);
  if (step != 1) is_there = is_there && ops::of<ops::remainder>(from, stride) == whole_number(g, 0);
  if (g[d].rank() != 0) {
    attribute map;
    for (int k = 0; k < rank; ++k) map.push_back(k);
    map.push_back(-1);
    map.push_back(rank);
    d = build::take(g, d, map, {{window.id}, 1}, 0u, dims);
  }
  return build::reduce(g, op_id<ops::sum>, ops::when(is_there, term{g, d}).id, 1u << rank);
}

}  // namespace tenon::detail
