// SPDX-License-Identifier: Apache-2.0
#pragma once
// A reduction over an axis of which an expression reads the parts side by side, as the numbers of a
// row that are packed in pairs → a reduction of what combines the parts.
//
// Not one of the pipeline: it is for expressions that have no single kernel otherwise. All of them
// have one iteration space then, the one of a part, and each part is read once.

#include "tenon/passes/few_elements.hpp"
#include "tenon/passes/pipeline.hpp"

namespace tenon::passes {
namespace detail {

// Equal parts of an axis: elements in turn, or pieces one behind another.
struct axis_parts {
  int axis = -1;  // none
  dim whole = unit_dim;
  long long count = 0;
  bool are_in_turn = false;
  dim length = unit_dim;  // of a part, where the axis is known to be split alone

  constexpr bool are_alike(axis_parts const& other) const {
    return whole == other.whole && count == other.count && are_in_turn == other.are_in_turn &&
           length == other.length;
  }
};
inline constexpr long long most_parts = 4;

// One of the parts of argument `id`, or of a view of it.
struct part_of_axis {
  int id = -1;  // none
  axis_parts parts;
  long long number = 0;
};

constexpr part_of_axis part_of_slice(graph& g, node const& n) {
  attribute const& numbers = g.attributes_of(n);
  for (int axis = 0; axis < n.rank(); ++axis) {
    dim const whole = g.dims.representative(g.operand(n, 0).dims[axis]);
    long long const start = numbers[3 * axis], stop = numbers[3 * axis + 1],
                    step = numbers[3 * axis + 2];
    if (step > 1) {
      bool is_turn =
          step <= most_parts && start >= 0 && start < step && stop == tenon::detail::open_bound;
      // As many in each, if there is a whole number of turns.
      for (long long k = 0; is_turn && k < step; ++k)
        is_turn = g.dims.sliced(whole, k, stop, step) == g.dims.representative(n.dims[axis]);
      if (is_turn) return {n.operands[0], {axis, whole, step, true}, start};
    } else if (step == 1 && g.dims.is_constant(whole)) {
      long long const length = g.dims[whole].a;
      auto const all = tenon::detail::resolve_range(length, start, stop, 1);
      if (all.count > 0 && all.count < length && length % all.count == 0 &&
          all.start % all.count == 0 && length / all.count <= most_parts)
        return {n.operands[0], {axis, whole, length / all.count, false}, all.start / all.count};
    }
  }
  return {};
}

// Of an argument that was reshaped, at one position of a short axis, which is one of two that an
// axis was split into.
constexpr part_of_axis part_of_position(graph& g, int reshaped, int axis, long long position) {
  if (!g[reshaped].is<ops::reshape>()) return {};
  node const n = g[reshaped];
  dim_list const from = g.operand(n, 0).dims;
  for (axis_group const group : reshape_groups(g.dims, from, n.dims)) {
    bool const is_split = group.from_end == group.from + 1 && group.to_end == group.to + 2;
    if (!is_split || axis < group.to || axis >= group.to_end) continue;
    dim const whole = g.dims.representative(from[group.from]),
              count = g.dims.representative(n.dims[axis]);
    if (!g.dims.is_constant(count) || g.dims[count].a < 2 || g.dims[count].a > most_parts)
      return {};
    bool const is_inner = axis == group.to + 1;
    dim const length =
        g.dims.is_constant(whole) ? unit_dim : n.dims[is_inner ? group.to : group.to + 1];
    return {n.operands[0], {group.from, whole, g.dims[count].a, is_inner, length}, position};
  }
  return {};
}

constexpr part_of_axis part_of_node(graph& g, node const& n) {
  if (n.is<ops::slice>()) {
    for (int axis = 0; axis < n.rank(); ++axis)
      if (n.dims[axis] == unit_dim)
        if (part_of_axis const one =
                part_of_position(g, n.operands[0], axis, g.attributes_of(n)[3 * axis]);
            one.id >= 0)
          return one;
    return part_of_slice(g, n);
  }
  if (!n.is<ops::take>() || n.operands.size() != 2 || !g.operand(n, 1).is<ops::literal>())
    return {};
  attribute const& map = g.attributes_of(n);
  for (int axis = 0, kept = 0; axis < map.size(); ++axis) {
    if (map[axis] < 0) return part_of_position(g, n.operands[0], axis, g.operand(n, 1).bits);
    if (map[axis] != kept++) return {};
  }
  return {};
}

// The same part of another node along one of its axes.
constexpr int part_of_split(graph& g, int id, int axis, axis_parts const& parts, long long number) {
  dim_list dims = g[id].dims, split;
  dims[axis] = parts.length;
  int const at = axis + (parts.are_in_turn ? 1 : 0);
  for (int k = 0; k <= dims.size(); ++k)
    split.push_back(k == at ? g.dims.constant(parts.count) : dims[k > at ? k - 1 : k]);
  attribute bounds;
  for (int k = 0; k < split.size(); ++k) {
    bounds.push_back(k == at ? number : 0);
    bounds.push_back(k == at ? number + 1 : tenon::detail::open_bound);
    bounds.push_back(1);
  }
  return build::reshape(g, build::slice(g, build::reshape(g, id, split), bounds), dims);
}
constexpr int part_along(graph& g, int id, int axis, axis_parts const& parts, long long number) {
  if (parts.length != unit_dim) return part_of_split(g, id, axis, parts, number);
  long long const length =
      g.dims.is_constant(parts.whole) ? g.dims[parts.whole].a / parts.count : 0;
  attribute bounds;
  for (int k = 0; k < g[id].rank(); ++k) {
    bool const is_cut = k == axis, is_turn = parts.are_in_turn;
    for (long long const bound :
         {!is_cut   ? 0
          : is_turn ? number
                    : number * length,
          !is_cut || is_turn ? tenon::detail::open_bound : (number + 1) * length,
          is_cut && is_turn ? parts.count : 1})
      bounds.push_back(bound);
  }
  return build::slice(g, id, bounds);
}

// The id of what stands for reduction n; -1 where it reduces no such axis, or is not made of parts.
constexpr int reduction_of_parts(graph& g, node const& n, axis_parts const& parts) {
  op_info const* const combine = pairwise(n.op);
  if (combine == nullptr) return -1;
  int axis = -1;
  for (int k = 0; k < g.operand(n, 0).rank(); ++k)
    if ((n.axes >> k & 1u) && g.dims.representative(g.operand(n, 0).dims[k]) == parts.whole)
      axis = k;
  if (axis < 0) return -1;
  if (parts.length != unit_dim && g.operand(n, 0).rank() == max_rank) return -1;
  constexpr_vector<int> all;
  for (long long k = 0; k < parts.count; ++k)
    all.push_back(part_along(g, n.operands[0], axis, parts, k));
  node result = n;
  result.operands[0] = build::convert(g, combined(g, combine, all), n.type);
  return g.intern(result);
}

// In terms of such parts.
constexpr int in_parts(graph& g, node const& n, axis_parts const& parts) {
  int id = -1;
  if (n.is(op_kind::reduction)) id = reduction_of_parts(g, n, parts);
  if (n.is<ops::take>() && n.operands.size() == 1)
    id = build::taken_as_it_lies(g, n.operands[0], attribute(g.attributes_of(n)), n.dims);
  if (n.is<ops::reshape>() && g.operand(n, 0).is<ops::reshape>())
    id = build::reshape(g, g.operand(n, 0).operands[0], n.dims);
  if (part_of_axis const one = part_of_node(g, n);
      one.id >= 0 && one.parts.are_alike(parts) && parts.length == unit_dim)
    id = build::reshape(g, part_along(g, one.id, one.parts.axis, one.parts, one.number), n.dims);
  return id >= 0 ? id : g.intern(n);
}

}  // namespace detail

// Whether some node of what was traced may become such a part.
constexpr bool may_have_parts(graph const& traced) {
  for (node const& n : traced.nodes) {
    if (n.is<ops::slice>()) return true;
    if (n.is<ops::take>() && n.operands.size() == 2 && traced.operand(n, 1).is<ops::literal>())
      return true;
  }
  return false;
}

// The same graph where no axis is read in such parts.
constexpr graph sliced_reductions(graph const& traced) {
  graph g = run(traced);
  if (g.refused != refusal::none) return traced;
  detail::part_of_axis first;
  for (int id = 0; id < g.size() && first.id < 0; ++id)
    first = detail::part_of_node(g, node(g[id]));
  if (first.id < 0) return traced;
  return rewrite(
      g, [&](graph& result, node const& n) { return detail::in_parts(result, n, first.parts); });
}

}  // namespace tenon::passes
