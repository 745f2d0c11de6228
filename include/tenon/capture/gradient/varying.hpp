// SPDX-License-Identifier: Apache-2.0
#pragma once
// Along which of its axes a node varies, as far as its text tells: what an index was made of decides where its elements go back.

#include "tenon/capture/gradient/adjoints.hpp"

namespace tenon::detail {

constexpr unsigned axes_that_vary(graph const& g, node const& n, constexpr_vector<unsigned> const& known) {
  unsigned longer = 0;
  for (int k = 0; k < n.rank(); ++k)
    if (g.dims.representative(n.dims[k]) != unit_dim) longer |= 1u << k;
  unsigned result = 0;
  if (n.is<ops::broadcast>() || n.is<ops::transpose>()) {
    attribute const& map = g.attributes_of(n);
    for (int k = 0; k < map.size(); ++k) result |= (known[n.operands[0]] >> k & 1u) << map[k];
  } else if (n.is(op_kind::pointwise) && !n.operands.empty()) {
    for (int operand : n.operands) result |= known[operand];
  } else {
    result = longer;
  }
  return result & longer;
}

// Bit k is set where the elements along axis k may differ.
constexpr unsigned axes_that_vary(graph const& g, int id) {
  constexpr_vector<unsigned> known;
  for (int k = 0; k <= id; ++k) known.push_back(axes_that_vary(g, g[k], known));
  return known[id];
}

// Whether it has all axes of its operand, in whatever order.
constexpr bool is_in_other_order(graph const& g, int id) {
  node const& n = g[id];
  return (n.is<ops::broadcast>() || n.is<ops::transpose>()) && g.operand(n, 0).rank() == n.rank();
}

// An index that moves with the position along one axis: sign * position + offset.
struct line {
  int sign = 0;  // 0: it is none
  int offset = -1;
};

// The axis of its operand that a broadcast or a transpose puts at `axis`; -1: none.
constexpr int read_axis(graph const& g, node const& n, int axis) {
  attribute const& map = g.attributes_of(n);
  for (int k = 0; k < map.size(); ++k)
    if (map[k] == axis) return k;
  return -1;
}

// The position itself along `axis`, by whatever views.
constexpr bool is_position(graph const& g, int id, int axis) {
  while (g[id].is<ops::broadcast>() || g[id].is<ops::transpose>() || g[id].is<ops::reshape>()) {
    node const& n = g[id];
    if (n.is<ops::reshape>()) {
      int longer = 0;
      for (dim d : n.dims) longer += g.dims.representative(d) != unit_dim;
      if (longer > 1) return false;
      axis = 0;
    } else {
      axis = read_axis(g, n, axis);
      if (axis < 0) return false;
    }
    id = n.operands[0];
  }
  return g[id].is<ops::index>() && axis == 0;
}

// @pre the index varies along `axis` alone
constexpr line line_along(graph& g, int id, int axis) {
  int sign = 1, offset = build::integer_literal(g, dtype::i64, 0);
  while (!is_position(g, id, axis)) {
    node const n = g[id];
    bool const is_sum = n.is<ops::add>(), is_difference = n.is<ops::sub>();
    if (is_in_other_order(g, id)) {
      id = n.operands[0], axis = read_axis(g, n, axis);
      if (axis < 0) return {};
      continue;
    }
    if (!is_sum && !is_difference) return {};
    int const moving = g.operand(n, 0).rank() != 0 ? 0 : 1, fixed = n.operands[1 - moving];
    if (g[fixed].rank() != 0) return {};
    // sign * (moving + fixed), sign * (moving - fixed) or sign * (fixed - moving)
    bool const adds = (sign > 0) != (is_difference && moving == 0);
    offset = build::pointwise(g, adds ? op_id<ops::add> : op_id<ops::sub>, {{offset, fixed}, 2});
    if (is_difference && moving == 1) sign = -sign;
    id = n.operands[moving];
  }
  return {sign, offset};
}

}  // namespace tenon::detail
