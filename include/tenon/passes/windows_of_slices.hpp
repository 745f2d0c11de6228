// SPDX-License-Identifier: Apache-2.0
#pragma once
// One element of every window of an axis → a slice: windows are begun at every few positions, and
// so are the elements at one place in each of them.

#include "tenon/ops/arithmetic.hpp"
#include "tenon/passes/rewrite.hpp"

namespace tenon::passes::detail {

// An integer that goes on by `step` from `first` along an axis, and is the same along the others.
struct even_positions {
  bool is_known = false;
  int axis = -1;  // none: one number
  long long first = 0, step = 0;
};

constexpr even_positions even_positions_of(graph const& g, int id) {
  node const& n = g[id];
  if (n.is<ops::literal>() && !is_floating(n.type)) return {true, -1, n.bits, 0};
  if (n.is<ops::index>()) return {true, 0, 0, 1};
  if (n.is<ops::broadcast>() || n.is<ops::transpose>()) {
    even_positions result = even_positions_of(g, n.operands[0]);
    if (result.axis >= 0) result.axis = static_cast<int>(g.attributes_of(n)[result.axis]);
    return result;
  }
  bool const is_sum = n.is<ops::add>();
  if (!is_sum && !n.is<ops::mul>()) return {};
  even_positions a = even_positions_of(g, n.operands[0]), b = even_positions_of(g, n.operands[1]);
  if (a.axis < 0) {
    even_positions const one = a;
    a = b, b = one;
  }
  if (!a.is_known || !b.is_known || b.axis >= 0) return {};
  if (is_sum) return {true, a.axis, a.first + b.first, a.step};
  return {true, a.axis, a.first * b.first, a.step * b.first};
}

// The bounds of that many elements of an axis from `at` on, none of which is beyond its end; an
// empty step where that is not known.
struct slice_of_axis {
  long long first = 0, stop = 0, step = 0;
};
constexpr slice_of_axis slice_at(graph const& g, dim length, dim count, even_positions const& at) {
  if (at.first < 0 || at.step < 1) return {};
  length = g.dims.representative(length), count = g.dims.representative(count);
  if (g.dims.is_constant(length) && g.dims.is_constant(count)) {
    long long const last = at.first + (g.dims[count].a - 1) * at.step;
    return last < g.dims[length].a ? slice_of_axis{at.first, last + 1, at.step} : slice_of_axis{};
  }
  // As many as there are, but for a number of them, as windows of what is padded.
  dim_expression const& longer = g.dims[length];
  if (at.step == 1 && longer.kind == dim_kind::sum && longer.a == count &&
      g.dims.is_constant(static_cast<dim>(longer.b))) {
    long long const behind = g.dims[static_cast<dim>(longer.b)].a - at.first;
    if (behind < 0) return {};
    return {at.first, behind == 0 ? tenon::detail::open_bound : -behind, 1};
  }
  // As many as windows of so many elements, of which the last one fits.
  dim_expression const& windows = g.dims[count];
  bool const are_windows = windows.kind == dim_kind::slice && windows.a == length &&
                           windows.b == 0 && windows.d == at.step && windows.c < 0;
  if (!are_windows) return {};
  long long const size = windows.c == tenon::detail::open_bound ? 1 : 1 - windows.c,
                  stop = at.first - (size - 1);
  if (stop > 0) return {};
  return {at.first, stop == 0 ? tenon::detail::open_bound : stop, at.step};
}

// The id of what take n is where one index names its elements that goes on evenly along an axis;
// -1: it is something else.
constexpr int slice_of_take(graph& g, node const& n) {
  if (n.operands.size() != 2 || n.axes != 0) return -1;
  attribute map = g.attributes_of(n);
  even_positions const at = even_positions_of(g, n.operands[1]);
  if (!at.is_known || at.axis < 0) return -1;
  node const operand = g.operand(n, 0);
  attribute bounds;
  dim_list dims = operand.dims;
  unsigned taken = 0;
  int named = 0;
  for (int k = 0; k < map.size(); ++k) {
    slice_of_axis all{0, tenon::detail::open_bound, 1};
    if (map[k] < 0) {
      map[k] = at.axis, ++named;
      dims[k] = n.dims[at.axis];
      all = slice_at(g, operand.dims[k], dims[k], at);
      if (all.step == 0) return -1;
    }
    if (taken >> map[k] & 1u) return -1;
    taken |= 1u << map[k];
    for (long long const bound : {all.first, all.stop, all.step}) bounds.push_back(bound);
  }
  if (named != 1) return -1;
  int const slice = g.intern(node{.op = op_id<ops::slice>,
                                  .type = n.type,
                                  .operands = {{n.operands[0]}, 1},
                                  .dims = dims,
                                  .attributes = g.intern(bounds)});
  return build::broadcast(g, slice, map, n.dims);
}

}  // namespace tenon::passes::detail
