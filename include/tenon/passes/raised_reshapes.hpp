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

constexpr bool is_view_of_argument(graph const& g, int id) {
  while (g[id].is<ops::slice>() || g[id].is<ops::reshape>() || g[id].is<ops::transpose>())
    id = g[id].operands[0];
  return g[id].is(op_kind::source);
}

// The operand that is a reshape of something computed, from most axes; -1 for none.
constexpr int reshaped_operand_of(graph const& g, node const& n) {
  int found = -1, rank = -1;
  for (int k = 0; k < n.operands.size(); ++k) {
    node const& operand = g.operand(n, k);
    if (!operand.is<ops::reshape>() || is_view_of_argument(g, n.operands[k])) continue;
    if (g.operand(operand, 0).rank() <= rank) continue;
    found = k, rank = g.operand(operand, 0).rank();
  }
  return found;
}

// Operand axis k of a transpose becomes result axis map[k]; the same of what the operand is a
// reshape of, where each axis is one of the reshape's groups. -1 where it is not.
constexpr int transpose_of_reshape(graph& g, node const& n) {
  node const reshaped = g.operand(n, 0), source = g.operand(reshaped, 0);
  attribute const map = g.attributes_of(n);
  auto const groups = reshape_groups(g.dims, source.dims, reshaped.dims);
  attribute moved;
  for (int from = 0; from < source.rank(); ++from) moved.push_back(0);
  dim_list dims;
  for (int axis = 0; axis < n.rank(); ++axis)
    for (axis_group group : groups) {
      if (group.to_end != group.to + 1) return -1;
      if (map[group.to] != axis) continue;
      for (int from = group.from; from < group.from_end; ++from) {
        moved[from] = dims.size();
        dims.push_back(source.dims[from]);
      }
    }
  return build::reshape(g, build::broadcast(g, reshaped.operands[0], moved, dims), n.dims);
}

// The reshape that n is, of what is done before it; -1 where there is none.
constexpr int raised_reshape(graph& g, node n) {
  int const k = reshaped_operand_of(g, n);
  if (k < 0) return -1;
  dim_list const dims = n.dims, before = g.operand(g.operand(n, k), 0).dims;
  if (n.is<ops::reshape>()) return build::reshape(g, g.operand(n, 0).operands[0], dims);
  if (n.is<ops::transpose>()) return transpose_of_reshape(g, n);
  if (n.is(op_kind::reduction)) return reduction_of_reshape(g, n);
  if (!n.is(op_kind::pointwise)) return -1;
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

// @post a computed value is reshaped for an output, or where what is done with the reshape cannot
// be done before it
constexpr graph raised_reshapes(graph const& g) {
  return rewrite(g, [](graph& result, node const& n) {
    int const id = detail::raised_reshape(result, n);
    return id >= 0 ? id : result.intern(n);
  });
}

}  // namespace tenon::passes
