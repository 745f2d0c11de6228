// SPDX-License-Identifier: Apache-2.0
#pragma once
// Slices and reshapes of a node → the same movement of its operands.

#include "tenon/ir/build.hpp"
#include "tenon/passes/axis_groups.hpp"

namespace tenon::passes::detail {

struct movement {
  op_info const* op = nullptr;
  int attributes = no_attribute;
  dim_list dims = {};
  static_vector<int, build::max_indices> indices = {};  // take: nodes with the result's shape
  unsigned checked = 0;                                 // take: which of them are the user's
  constexpr bool operator==(movement const&) const = default;
  constexpr bool takes() const { return op == op_id<ops::take>; }
  constexpr bool relabels() const {
    return op == op_id<ops::broadcast> || op == op_id<ops::transpose>;
  }
};

constexpr movement movement_of(node const& n) {
  movement result{n.op, n.attributes, n.dims};
  for (int k = 1; k < n.operands.size(); ++k) result.indices.push_back(n.operands[k]);
  result.checked = n.axes;
  return result;
}
// Slices and reshapes; takes are moved_takes.
class moved_views {
 protected:
  constexpr explicit moved_views(graph& g) : g_(g) {}

  // The reduced axes are taken whole and keep their place among the kept ones; `axes` tells where
  // that is.
  constexpr movement through_reduction(node const& n, movement const& how, unsigned& axes) {
    node const& operand = g_.operand(n, 0);
    if (how.op == op_id<ops::slice>) {
      axes = n.axes;
      return sliced_around(n, operand, how);
    }
    movement result{how.op};
    auto groups = reshape_groups(g_.dims, n.dims, how.dims);
    int axis = 0;  // of the operand
    auto take_reduced = [&] {
      for (; axis < operand.rank() && (n.axes >> axis & 1u); ++axis) {
        axes |= 1u << result.dims.size();
        result.dims.push_back(operand.dims[axis]);
      }
    };
    for (auto group : groups) {
      take_reduced();
      for (int kept = group.from; kept < group.from_end; ++kept, ++axis)
        if (n.axes >> axis & 1u) {
          is_stuck_ = true;  // it mixes reduced axes with kept ones
          return result;
        }
      for (int k = group.to; k < group.to_end; ++k) result.dims.push_back(how.dims[k]);
    }
    take_reduced();
    return result;
  }
  constexpr movement sliced_around(node const& n, node const& operand, movement const& how) {
    movement result{how.op};
    attribute numbers;
    for (int axis = 0, kept = 0; axis < operand.rank(); ++axis) {
      bool reduced = n.axes >> axis & 1u;
      push_bounds(numbers, reduced ? -1 : kept, how);
      result.dims.push_back(reduced ? operand.dims[axis] : how.dims[kept]);
      kept += !reduced;
    }
    result.attributes = g_.intern(numbers);
    return result;
  }

  // A slice or reshape of a broadcast, as a movement of its operand; `map` is the broadcast's map
  // from there.
  constexpr movement through_broadcast(node const& n, movement const& how, int& map) {
    node const& operand = g_.operand(n, 0);
    if (how.op == op_id<ops::reshape>) return reshaped_operand(n, operand, how, map);
    map = n.attributes;
    attribute const axes = g_.attributes_of(n);
    movement result{how.op};
    attribute numbers;
    for (int k = 0; k < axes.size(); ++k) {
      int axis = static_cast<int>(axes[k]);
      bool is_repeated = operand.dims[k] == unit_dim && n.dims[axis] != unit_dim;
      push_bounds(numbers, is_repeated ? -1 : axis, how);
      result.dims.push_back(is_repeated ? unit_dim : how.dims[axis]);
    }
    result.attributes = g_.intern(numbers);
    return result;
  }

  // The operand keeps the groups of axes that it varies along, in its own order.
  constexpr movement reshaped_operand(node const& n, node const& operand, movement const& how,
                                      int& map) {
    attribute const axes = g_.attributes_of(n);
    auto const groups = reshape_groups(g_.dims, n.dims, how.dims);
    movement result{how.op};
    attribute moved;
    int k = 0;
    auto skip_units = [&] {
      while (k < operand.rank() && operand.dims[k] == unit_dim) ++k;
    };
    for (skip_units(); k < operand.rank(); skip_units()) {
      int g = 0;
      while (axes[k] >= groups[g].from_end) ++g;
      for (int axis = groups[g].from; axis < groups[g].from_end; ++axis) {
        if (n.dims[axis] == unit_dim) continue;
        skip_units();
        if (k == operand.rank() || axes[k] != axis) {
          is_stuck_ = true;  // it mixes axes that are repeated with axes that are not
          k = operand.rank();
          break;
        }
        ++k;
      }
      for (int axis = groups[g].to; axis < groups[g].to_end; ++axis) {
        moved.push_back(axis);
        result.dims.push_back(how.dims[axis]);
      }
    }
    map = g_.intern(moved);
    return result;
  }
  // Start, stop and step of axis `axis` of a slice; everything for -1.
  constexpr void push_bounds(attribute& numbers, int axis, movement const& how) const {
    long long const whole[] = {0, tenon::detail::open_bound, 1};
    for (int j = 0; j < 3; ++j)
      numbers.push_back(axis < 0 ? whole[j] : g_.attributes[how.attributes][3 * axis + j]);
  }

  graph& g_;
  bool is_stuck_ = false;  // a reshape has no such movement of the operands
};

}  // namespace tenon::passes::detail
