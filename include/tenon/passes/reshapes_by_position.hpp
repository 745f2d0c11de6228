// SPDX-License-Identifier: Apache-2.0
#pragma once
// A reshape that no view can be, and that cannot be done last: each element is taken from where its
// position in row-major order says, by quotients and remainders.

#include "tenon/ops/arithmetic.hpp"
#include "tenon/ops/rounding.hpp"
#include "tenon/passes/axis_groups.hpp"
#include "tenon/passes/rewrite.hpp"

namespace tenon::passes {
namespace detail {

constexpr int number_of_elements(graph& g, dim length) {
  dim_list dims;
  dims.push_back(length);
  return build::size(g, dims, dtype::i64);
}

// Reshape n as a take.
constexpr int taken_by_position(graph& g, node const& n) {
  dim_list const from = g.operand(n, 0).dims, to = n.dims;
  attribute map;
  static_vector<int, build::max_indices> indices;
  for (axis_group const group : reshape_groups(g.dims, from, to)) {
    bool const is_axis = group.from_end == group.from + 1 && group.to_end == group.to + 1;
    unsigned along = 0;
    for (int axis = group.to; axis < group.to_end; ++axis) along |= 1u << axis;
    for (int k = group.from; k < group.from_end; ++k) {
      if (is_axis || g.dims.representative(from[k]) == unit_dim) {
        map.push_back(is_axis ? group.to : 0);
        continue;
      }
      dim step = unit_dim;  // so many elements are one step along this axis
      for (int inner = k + 1; inner < group.from_end; ++inner)
        step = g.dims.product(step, from[inner]);
      int at = build::position_along(g, to, along);
      if (step != unit_dim)
        at = build::pointwise(g, op_id<ops::floor_divide>, {{at, number_of_elements(g, step)}, 2});
      if (k != group.from)
        at = build::pointwise(g, op_id<ops::remainder>, {{at, number_of_elements(g, from[k])}, 2});
      indices.push_back(at);
      map.push_back(-indices.size());
    }
  }
  return build::take(g, n.operands[0], map, indices, 0u, to);
}

}  // namespace detail

// The reshapes of g that are listed, by position.
constexpr graph reshapes_by_position(graph const& g, constexpr_vector<int> const& stuck) {
  return rewrite(g, [&](graph& result, node const& n, int source) {
    for (int const id : stuck)
      if (id == source) return detail::taken_by_position(result, n);
    return result.intern(n);
  });
}

}  // namespace tenon::passes
