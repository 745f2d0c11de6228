// SPDX-License-Identifier: Apache-2.0
#pragma once
// The elements of a node at one position along an axis, where they can be told without reading
// along it: every choice by position is decided.

#include "tenon/ops/pointwise.hpp"
#include "tenon/ops/reduction.hpp"
#include "tenon/passes/axis_groups.hpp"
#include "tenon/passes/windows_of_slices.hpp"

namespace tenon::passes::detail {

// Whether a node is computed from one that is_wanted.
template <class IsWanted>
constexpr bool is_computed_from(graph const& g, int root, IsWanted is_wanted) {
  constexpr_vector<int> open(1, root), seen(root + 1, 0);
  while (!open.empty()) {
    node const& n = g[open.back()];
    open.pop_back();
    if (is_wanted(n)) return true;
    for (int operand : n.operands)
      if (seen[operand]++ == 0) open.push_back(operand);
  }
  return false;
}
constexpr bool is_accumulated(graph const& g, int root) {
  return is_computed_from(
      g, root, [](node const& n) { return n.is(op_kind::reduction) || n.is(op_kind::scan); });
}
constexpr bool is_read(graph const& g, int root) {
  return is_computed_from(g, root, [](node const& n) { return n.is<ops::input>(); });
}

// The elements at one position along an axis, with extent 1 there.
class elements_at {
 public:
  // reads_arguments: those of an argument may be read along the axis, too, one by one.
  constexpr elements_at(graph& g, int axis, long long position, bool reads_arguments = false)
      : g_(g),
        axis_(axis),
        position_(position),
        reads_arguments_(reads_arguments),
        found_(g.size(), unknown) {}

  // Whether something on the way chose what reductions have left, or one of two that are read, or
  // is one element of every window.
  bool chooses_reductions = false, chooses_operands = false, is_of_windows = false;
  // Whether arguments of several axes are read along one that is not their last, or is.
  bool lies_apart = false, lies_together = false;

  // -1: they are not known without reading along the axis
  constexpr int of(int id) {
    node const n = g_[id];
    if (n.rank() == 0 || n.dims[axis_] == unit_dim) return id;
    if (found_[id] == unknown) found_[id] = made_of(id, n);
    return found_[id];
  }

 private:
  static constexpr int unknown = -2;

  constexpr int made_of(int id, node const& n) {
    if (n.is<ops::index>()) return build::integer_literal(g_, n.type, position_);
    if (n.is<ops::broadcast>() || n.is<ops::transpose>()) return made_of_broadcast(n);
    if (n.is<ops::reshape>()) return made_of_reshape(n);
    if (n.is<ops::take>()) {
      int one = made_of_take(n);
      if (one < 0 && reads_arguments_) one = made_of_windows(n);
      return one < 0 && reads_arguments_ ? made_beside_indices(n) : one;
    }
    if (reads_arguments_ && (n.is<ops::slice>() || n.is<ops::input>())) return made_of_view(id, n);
    return n.is(op_kind::pointwise) ? made_of_pointwise(n) : -1;
  }
  constexpr int made_of_pointwise(node n) {
    if (n.is<ops::where>())
      if (int const condition = of(n.operands[0]);
          condition >= 0 && g_[condition].is<ops::literal>()) {
        int const chosen = n.operands[g_[condition].bits != 0 ? 1 : 2];
        chooses_reductions = chooses_reductions || is_accumulated(g_, chosen);
        chooses_operands =
            chooses_operands || (is_read(g_, n.operands[1]) && is_read(g_, n.operands[2]));
        return of(chosen);
      }
    double numbers[max_operands] = {};
    bool is_known = n.op->fold != nullptr;
    for (int k = 0; k < n.operands.size(); ++k) {
      int const id = of(n.operands[k]);
      if (id < 0) return -1;
      n.operands[k] = id;
      is_known = is_known && g_[id].is<ops::literal>();
      if (is_known) numbers[k] = literal_number(g_[id].type, g_[id].bits);
    }
    if (is_known && !is_floating(n.type)) {
      double const number = n.op->fold(g_[n.operands[n.operands.size() - 1]].type, numbers);
      if (is_folded(number))
        return build::integer_literal(g_, n.type, static_cast<long long>(number));
    }
    n.dims[axis_] = unit_dim;
    return g_.intern(n);
  }
  // Along the axis it repeats an element, or has those of an axis of its operand.
  constexpr int made_of_broadcast(node const& n) {
    attribute const map = g_.attributes_of(n);
    int id = n.operands[0];
    for (int k = 0; k < map.size(); ++k) {
      if (map[k] != axis_) continue;
      id = made_along(k, position_, id);
      if (id < 0 || g_[id].rank() == 0) return id;
    }
    dim_list dims(n.dims);
    dims[axis_] = unit_dim;
    return build::broadcast(g_, id, map, dims);
  }
  // The axis of `dims` from `first` to `end` that is not of one element; -1: there are others.
  constexpr int only_axis(dim_list const& dims, int first, int end) const {
    int result = -1;
    for (int axis = first; axis < end; ++axis) {
      if (g_.dims.representative(dims[axis]) == unit_dim) continue;
      if (result >= 0) return -1;
      result = axis;
    }
    return result;
  }
  // Where axes of length 1 come or go beside the axis.
  constexpr int made_of_reshape(node const& n) {
    dim_list const from = g_.operand(n, 0).dims;
    for (axis_group const group : reshape_groups(g_.dims, from, n.dims)) {
      int const axis = only_axis(from, group.from, group.from_end);
      if (axis < 0 || only_axis(n.dims, group.to, group.to_end) != axis_) continue;
      int const one = made_along(axis, position_, n.operands[0]);
      if (one < 0 || g_[one].rank() == 0) return one;
      dim_list dims(n.dims);
      dims[axis_] = unit_dim;
      return build::reshape(g_, one, dims);
    }
    return -1;
  }
  // The elements of another node at a position along an axis of it.
  constexpr int made_along(int axis, long long position, int id) {
    elements_at there(g_, axis, position, reads_arguments_);
    int const result = there.of(id);
    chooses_reductions = chooses_reductions || there.chooses_reductions;
    chooses_operands = chooses_operands || there.chooses_operands;
    is_of_windows = is_of_windows || there.is_of_windows;
    lies_apart = lies_apart || there.lies_apart;
    lies_together = lies_together || there.lies_together;
    return result;
  }
  // Of what has one element along the axis that an index chooses from.
  constexpr int made_of_take(node const& n) {
    if (n.operands.size() != 2) return -1;
    attribute map = g_.attributes_of(n);
    node const operand = g_.operand(n, 0);
    int const index = of(n.operands[1]);
    if (index < 0 || !g_[index].is<ops::literal>() || g_[index].bits != 0) return -1;
    for (int k = 0; k < map.size(); ++k) {
      bool const is_chosen = map[k] < 0;
      if (is_chosen != (k == axis_) || (!is_chosen && map[k] != k)) return -1;
    }
    if (operand.dims[axis_] != unit_dim || operand.rank() != n.rank()) return -1;
    dim_list dims(n.dims);
    dims[axis_] = unit_dim;
    return build::broadcast_trailing(g_, n.operands[0], dims);
  }

  // Of what is read at an index along the axis, which here goes on evenly along another one.
  constexpr int made_of_windows(node n) {
    if (n.operands.size() != 2) return -1;
    for (long long const at : g_.attributes_of(n))
      if (at == axis_) return -1;
    n.operands[1] = of(n.operands[1]);
    if (n.operands[1] < 0) return -1;
    n.dims[axis_] = unit_dim;
    int const slice = slice_of_take(g_, n);
    is_of_windows = is_of_windows || slice >= 0;
    return slice;
  }
  // Of what an index chooses along another axis, the same for all elements of this one.
  constexpr int made_beside_indices(node n) {
    attribute const map = g_.attributes_of(n);
    for (int k = 1; k < n.operands.size(); ++k) {
      node const& index = g_.operand(n, k);
      if (index.rank() != 0 && index.dims[axis_] != unit_dim) return -1;
    }
    int along = -1;
    for (int k = 0; k < map.size(); ++k)
      if (map[k] == axis_) along = k;
    if (along < 0) return -1;
    n.operands[0] = made_along(along, position_, n.operands[0]);
    if (n.operands[0] < 0) return -1;
    n.dims[axis_] = unit_dim;
    return g_.intern(n);
  }
  constexpr int made_of_view(int id, node const& n) {
    if (n.is<ops::input>()) {
      bool const is_last = axis_ == n.rank() - 1;
      lies_apart = lies_apart || !is_last;
      lies_together = lies_together || (is_last && n.rank() > 1);
      attribute bounds;
      for (int k = 0; k < n.rank(); ++k)
        for (long long const bound : {k == axis_ ? position_ : 0,
                                      k == axis_ ? position_ + 1 : tenon::detail::open_bound, 1ll})
          bounds.push_back(bound);
      return build::slice(g_, id, bounds);
    }
    attribute own = g_.attributes_of(n);
    long long const first = own[3 * axis_], step = own[3 * axis_ + 2];
    if (first < 0 || step < 0) return -1;
    node result = n;
    result.operands[0] = made_along(axis_, first + position_ * step, n.operands[0]);
    if (result.operands[0] < 0) return -1;
    result.dims[axis_] = unit_dim;
    own[3 * axis_] = 0, own[3 * axis_ + 1] = tenon::detail::open_bound, own[3 * axis_ + 2] = 1;
    result.attributes = g_.intern(own);
    return g_.intern(result);
  }

  graph& g_;
  int axis_;
  long long position_;
  bool reads_arguments_;
  constexpr_vector<int> found_;
};

}  // namespace tenon::passes::detail
