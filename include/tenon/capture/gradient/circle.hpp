// SPDX-License-Identifier: Apache-2.0
#pragma once
// The reverse pass through a rotation: an index that goes on around the end reads every element once, and the way back is
// the rotation the other way round.

#include "tenon/capture/gradient/slice.hpp"
#include "tenon/capture/gradient/varying.hpp"

namespace tenon::detail {

// An index that is the position along an axis and so many more, less the length where that is beyond an end of the axis.
struct circle {
  int more = -1;  // -1: it is none
  bool is_below = false;  // the position is so many less, at most the length
};

// @pre the index varies along `axis` alone
constexpr circle circle_along(graph& g, int id, int axis, dim length) {
  while (is_in_other_order(g, id)) {
    axis = read_axis(g, g[id], axis);
    if (axis < 0) return {};
    id = g[id].operands[0];
  }
  if (!g[id].is<ops::where>()) return {};
  node const choice = g[id], condition = g[choice.operands[0]];
  if (!condition.is<ops::less>()) return {};
  int const from = condition.operands[0], bound = condition.operands[1];
  bool const is_below = choice.operands[2] == from;
  node const around = g[choice.operands[is_below ? 1 : 2]];
  int const all = length_term(g, length).id, first = is_below ? whole_number(g, 0).id : all;
  bool const is_circle = choice.operands[is_below ? 2 : 1] == from && bound == first && around.operands.size() == 2 &&
                         (is_below ? around.is<ops::add>() : around.is<ops::sub>()) && around.operands[0] == from &&
                         around.operands[1] == all;
  line const moved = is_circle ? line_along(g, from, axis) : line{};
  return moved.sign > 0 ? circle{moved.offset, is_below} : circle{};
}

// Position p of the operand was read at p - more, around the other end.
constexpr int reverse_circle(graph& g, int d, int axis, circle const& index, dim_list const& dims) {
  if (g[d].rank() == 0) return d;
  term const to = position_term(g, dims, axis) - term{g, index.more}, length = length_term(g, dims[axis]);
  term const around = index.is_below ? ops::of<ops::where>(to < length, to, to - length)
                                     : ops::of<ops::where>(to < whole_number(g, 0), to + length, to);
  return taken_along(g, d, axis, term{g, build::broadcast_trailing(g, around.id, dims)}, dims).id;
}

}  // namespace tenon::detail
