// SPDX-License-Identifier: Apache-2.0
#pragma once
// Takes reshapes of computed values towards the outputs, where a result is presented in any shape:
// what is done with a reshape is done in the shape before it.
//
// Group normalisation splits an axis, reduces a part of it and merges it again. What follows cannot
// be split in front of the statistics, but it can be computed on the split axes.

#include "tenon/passes/simplify.hpp"

namespace tenon::passes {
namespace detail {

// A shape that something is given, and the one that it is computed in.
struct raised_shape {
  dim_list dims, before;
};
// Those reshapes of the graph that are to go to the results, and their shapes.
struct raised_nodes {
  constexpr_vector<int> ids;
  constexpr_vector<raised_shape> shapes;
  constexpr bool has(int id) const {
    for (int one : ids)
      if (one == id) return true;
    return false;
  }
};

// The operand that is such a reshape, from most axes; -1 for none.
constexpr int raised_operand_of(graph const& g, node const& n, raised_nodes const& raised) {
  int found = -1, rank = -1;
  for (int k = 0; k < n.operands.size(); ++k) {
    node const& operand = g.operand(n, k);
    if (!raised.has(n.operands[k]) || g.operand(operand, 0).rank() <= rank) continue;
    found = k, rank = g.operand(operand, 0).rank();
  }
  return found;
}

// Operand axis k of n becomes result axis map[k]; the same of what the operand is a reshape of,
// where each axis is one of the reshape's groups. -1 where it is not.
constexpr int broadcast_of_reshape(graph& g, node const& n) {
  node const reshaped = g.operand(n, 0), source = g.operand(reshaped, 0);
  attribute const map = g.attributes_of(n);
  auto const groups = reshape_groups(g.dims, source.dims, reshaped.dims);
  attribute moved;
  for (int from = 0; from < source.rank(); ++from) moved.push_back(0);
  dim_list dims;
  for (int axis = 0; axis < n.rank(); ++axis) {
    axis_group here{0, 0, 0, 0};
    for (axis_group group : groups) {
      if (group.to_end != group.to + 1) return -1;
      if (map[group.to] == axis) here = group;
    }
    bool const is_repeated =
        here.to == here.to_end || (reshaped.dims[here.to] == unit_dim && n.dims[axis] != unit_dim);
    if (here.to != here.to_end && is_repeated && here.from != here.from_end) return -1;
    if (dims.size() + (is_repeated ? 1 : here.from_end - here.from) > max_rank) return -1;
    if (is_repeated) dims.push_back(n.dims[axis]);
    for (int from = here.from; from < here.from_end; ++from) {
      moved[from] = dims.size();
      dims.push_back(source.dims[from]);
    }
  }
  return build::reshape(g, build::broadcast(g, reshaped.operands[0], moved, dims), n.dims);
}

// Every so many elements of an axis that several become, the innermost of which is a whole number of
// as many: every so many of that one. -1 where it is something else.
constexpr int slice_of_reshape(graph& g, node const& n) {
  node const reshaped = g.operand(n, 0), source = g.operand(reshaped, 0);
  attribute const numbers = g.attributes_of(n);
  attribute bounds;
  for (int from = 0; from < source.rank(); ++from)
    bounds.push_back(0), bounds.push_back(tenon::detail::open_bound), bounds.push_back(1);
  for (axis_group const group : reshape_groups(g.dims, source.dims, reshaped.dims))
    for (int axis = group.to; axis < group.to_end; ++axis) {
      long long const start = numbers[3 * axis], stop = numbers[3 * axis + 1],
                      step = numbers[3 * axis + 2];
      if (start == 0 && stop == tenon::detail::open_bound && step == 1) continue;
      int const inner = group.from_end - 1;
      if (group.to_end != group.to + 1 || inner < group.from) return -1;
      dim const length = g.dims.representative(source.dims[inner]);
      bool const is_turn = step > 1 && start >= 0 && start < step &&
                           stop == tenon::detail::open_bound && g.dims.is_constant(length) &&
                           g.dims[length].a % step == 0;
      if (!is_turn) return -1;
      bounds[3 * inner] = start, bounds[3 * inner + 2] = step;
      // As long as it was before the axes were joined.
      dim joined = g.dims.constant(g.dims[length].a / step);
      for (int from = group.from; from < inner; ++from)
        joined = g.dims.product(joined, source.dims[from]);
      g.dims.unite(n.dims[axis], joined);
    }
  return build::reshape(g, build::slice(g, reshaped.operands[0], bounds), n.dims);
}

// A reduction of what has such a shape, as it is of something beside what is reshaped, in the other
// shape, too: both are over the same axes then.
constexpr int reduction_in_other_shape(graph& g, node n, raised_nodes const& raised) {
  for (raised_shape const& shape : raised.shapes) {
    if (!n.is(op_kind::reduction) || !(g.operand(n, 0).dims == shape.dims)) continue;
    int const moved = build::reshape(g, n.operands[0], shape.before);
    n.operands[0] = build::reshape(g, moved, shape.dims);
    return reduction_of_reshape(g, n, true);
  }
  return -1;
}

// The reshape that n is, of what is done before it; -1 where there is none.
constexpr int raised_reshape(graph& g, node n, raised_nodes const& raised) {
  int const k = raised_operand_of(g, n, raised);
  if (k < 0) return reduction_in_other_shape(g, n, raised);
  dim_list const dims = n.dims, before = g.operand(g.operand(n, k), 0).dims;
  if (n.is<ops::reshape>()) return build::reshape(g, g.operand(n, 0).operands[0], dims);
  if (n.is<ops::transpose>() || n.is<ops::broadcast>()) return broadcast_of_reshape(g, n);
  if (n.is<ops::slice>()) return slice_of_reshape(g, n);
  if (n.is(op_kind::reduction)) return reduction_of_reshape(g, n, true);
  if (!n.is(op_kind::pointwise) && !n.is(op_kind::projection)) return -1;
  for (int& operand : n.operands) {
    bool const is_reshape = g[operand].is<ops::reshape>();
    if (is_reshape && g.operand(g[operand], 0).dims == before)
      operand = g[operand].operands[0];
    else if (g[operand].rank() != 0)
      operand = build::reshape(g, operand, before);
  }
  n.dims = before;
  return build::reshape(g, g.intern(n), dims);
}

}  // namespace detail

// @post what the listed reshapes reshape is reshaped for an output, or where what is done with the
// reshape cannot be done before it
constexpr graph raised_reshapes(graph const& g, constexpr_vector<int> const& stuck) {
  detail::raised_nodes raised;
  for (int const id : stuck)
    raised.shapes.push_back({dim_list(g[id].dims), dim_list(g.operand(g[id], 0).dims)});
  return rewrite(g, [&](graph& result, node const& n, int source) {
    int id = detail::raised_reshape(result, n, raised);
    bool is_raised = id >= 0;
    if (!is_raised) id = result.intern(n);
    for (int const one : stuck) is_raised = is_raised || one == source;
    if (is_raised && result[id].is<ops::reshape>()) raised.ids.push_back(id);
    return id;
  });
}

}  // namespace tenon::passes
