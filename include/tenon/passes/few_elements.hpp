// SPDX-License-Identifier: Apache-2.0
#pragma once
// A short axis of numbers that reductions have left and an expression has joined: the first few of
// an order and their softmax, a mean and a variance beside each other. Each element is a number of
// its row, and so is what a reduction combines them to.

#include "tenon/passes/elements_at.hpp"

namespace tenon::passes::detail {

// What combines two results of a reduction; null: it is not two numbers that are combined.
constexpr op_info const* pairwise(op_info const* reduction) {
  if (reduction == op_id<ops::sum>) return op_id<ops::add>;
  if (reduction == op_id<ops::product>) return op_id<ops::mul>;
  if (reduction == op_id<ops::maximum_of>) return op_id<ops::maximum>;
  if (reduction == op_id<ops::minimum_of>) return op_id<ops::minimum>;
  if (reduction == op_id<ops::any_of>) return op_id<ops::logical_or>;
  if (reduction == op_id<ops::all_of>) return op_id<ops::logical_and>;
  return nullptr;
}

inline constexpr long long most_joined_elements = 16;

// The elements of node `id` along an axis, one by one, each with extent 1 there; none where they
// are not numbers that reductions have left, and few.
constexpr constexpr_vector<int> joined_reductions(graph& g, int id, int axis) {
  constexpr_vector<int> result, none;
  dim_list dims(g[id].dims);
  dim const length = g.dims.representative(dims[axis]);
  long long const count = g.dims.is_constant(length) ? g.dims[length].a : 0;
  if (count < 2 || count > most_joined_elements) return none;
  dims[axis] = unit_dim;
  for (long long k = 0; k < count; ++k) {
    elements_at here(g, axis, k);
    int const one = here.of(id);
    if (one < 0 || !here.chooses_reductions) return none;
    result.push_back(build::broadcast_trailing(g, one, dims));
  }
  return result;
}

// The id of what stands for reduction n, or -1.
constexpr int reduction_of_few(graph& g, node const& n) {
  op_info const* const combine = pairwise(n.op);
  if (combine == nullptr) return -1;
  int axis = 0;
  while (!(n.axes >> axis & 1u)) ++axis;
  if (n.axes != 1u << axis) return -1;
  int result = -1;
  for (int const id : joined_reductions(g, n.operands[0], axis))
    result = result < 0 ? id : build::pointwise(g, combine, {{result, id}, 2});
  return result < 0 ? -1 : build::reshape(g, build::convert(g, result, n.type), n.dims);
}

}  // namespace tenon::passes::detail

namespace tenon::passes {

// Results of such numbers are stored number by number: as elements of one result each would have
// its row reduced for itself.
constexpr void part_outputs(graph& g) {
  for (int k = 0; k < g.outputs.size(); ++k) {
    graph_output const output = g.outputs[k];
    if (output.window != no_attribute) continue;
    for (int axis = 0; axis < g[output.id].rank(); ++axis) {
      constexpr_vector<int> const all = detail::joined_reductions(g, output.id, axis);
      for (int j = 0; j < all.size(); ++j) g.parts.push_back({all[j], k, axis, j});
      if (!all.empty()) break;
    }
  }
}

}  // namespace tenon::passes
