// SPDX-License-Identifier: Apache-2.0
#pragma once
// The elements of a node at one position along an axis, or in one of several equal pieces of it,
// where they can be told without reading along it: every choice by position is decided.

#include "tenon/ops/pointwise.hpp"
#include "tenon/ops/reduction.hpp"
#include "tenon/passes/axis_groups.hpp"
#include "tenon/passes/axis_piece.hpp"
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

// The elements at one position along an axis, with extent 1 there, or in one of several pieces of
// such a length: position `position`, or piece.
class elements_at {
 public:
  // reads_arguments: those of an argument may be read along the axis, too, one by one.
  constexpr elements_at(graph& g, int axis, long long position, bool reads_arguments = false,
                        dim length = unit_dim)
      : g_(g),
        axis_(axis),
        position_(position),
        length_(g.dims.representative(length)),
        reads_arguments_(reads_arguments),
        found_(g.size(), unknown) {}

  // Whether something on the way chose what reductions have left, or one of two that are read, or
  // one that is computed, or is one element of every window, or was taken from another piece.
  bool chooses_reductions = false, chooses_operands = false, chooses_computed = false,
       is_of_windows = false, is_taken = false;
  // Whether arguments of several axes are read along one that is not their last, or is.
  bool lies_apart = false, lies_together = false;

  // -1: they are not known without reading along the axis
  constexpr int of(int id) {
    node const n = g_[id];
    if (n.rank() == 0 || n.dims[axis_] == unit_dim) return id;
    if (is_piece() && position_ == 0 && length_of(n) == length_) return id;
    if (found_[id] == unknown) found_[id] = made_of(id, n);
    return found_[id];
  }

 private:
  static constexpr int unknown = -2;

  constexpr bool is_piece() const { return length_ != unit_dim; }
  constexpr dim length_of(node const& n) const { return g_.dims.representative(n.dims[axis_]); }
  constexpr piece_positions positions() const { return {g_, {axis_, position_, length_}}; }

  constexpr int made_of(int id, node const& n) {
    if (n.is<ops::index>()) return is_piece() ? -1 : build::integer_literal(g_, n.type, position_);
    if (n.is<ops::broadcast>() || n.is<ops::transpose>()) return made_of_broadcast(n);
    if (n.is<ops::reshape>()) {
      int const one = made_of_reshape(n);
      if (one < 0 && is_piece()) return piece_of_view(id);
      return one < 0 && reads_arguments_ && is_argument(id) ? made_of_argument(id, n) : one;
    }
    if (is_piece() && n.is<ops::take>()) return taken_piece(n);
    if (is_piece() && (n.is<ops::slice>() || n.is<ops::input>())) return piece_of_view(id);
    if (n.is<ops::take>()) {
      int one = made_of_take(n);
      if (one < 0 && reads_arguments_) one = made_of_windows(n);
      return one < 0 && reads_arguments_ ? made_beside_indices(n) : one;
    }
    if (reads_arguments_ && (n.is<ops::slice>() || n.is<ops::input>())) return made_of_view(id, n);
    return n.is(op_kind::pointwise) ? made_of_pointwise(n) : -1;
  }
  // What a condition says of all of the elements: 0, 1, or -1 if that is not known.
  constexpr int decision(int condition) {
    if (is_piece()) return positions().decision(condition);
    int const one = of(condition);
    return one >= 0 && g_[one].is<ops::literal>() ? g_[one].bits != 0 : -1;
  }
  constexpr int made_of_pointwise(node n) {
    if (n.is<ops::where>())
      if (int const known = decision(n.operands[0]); known >= 0) {
        int const chosen = n.operands[known != 0 ? 1 : 2];
        chooses_reductions = chooses_reductions || is_accumulated(g_, chosen);
        chooses_operands =
            chooses_operands || (is_read(g_, n.operands[1]) && is_read(g_, n.operands[2]));
        chooses_computed =
            chooses_computed || is_computed(n.operands[1]) || is_computed(n.operands[2]);
        return rounded_alone(of(chosen));
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
    n.dims[axis_] = length_;
    return g_.intern(n);
  }
  constexpr bool is_computed(int id) const {
    return g_[id].is(op_kind::pointwise) && !g_[id].is<ops::where>() && is_read(g_, id);
  }
  // A product that was chosen was rounded before it was added to something, and still is.
  constexpr int rounded_alone(int id) {
    if (!is_piece() || id < 0 || !g_[id].is<ops::mul>() || !is_floating(g_[id].type)) return id;
    return g_.intern(node{
        .op = op_id<ops::cast>, .type = g_[id].type, .operands = {{id}, 1}, .dims = g_[id].dims});
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
    dims[axis_] = length_;
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
      dims[axis_] = length_;
      return build::reshape(g_, one, dims);
    }
    return -1;
  }
  // The elements of another node at a position along an axis of it.
  constexpr int made_along(int axis, long long position, int id) {
    elements_at there(g_, axis, position, reads_arguments_, length_);
    int const result = there.of(id);
    chooses_reductions = chooses_reductions || there.chooses_reductions;
    chooses_operands = chooses_operands || there.chooses_operands;
    chooses_computed = chooses_computed || there.chooses_computed;
    is_taken = is_taken || there.is_taken;
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

  // The piece that an index goes through.
  constexpr int taken_piece(node const& n) {
    if (n.operands.size() != 2 || n.axes != 0) return -1;
    attribute map = g_.attributes_of(n);
    int along = -1;
    for (int k = 0; k < map.size(); ++k)
      if (map[k] < 0)
        along = k;
      else if (map[k] == axis_ && g_.operand(n, 0).dims[k] != unit_dim)
        return -1;
    long long const number = positions().piece_at(positions().number_of(n.operands[1]));
    if (along < 0 || number < 0) return -1;
    int const one = made_along(along, number, n.operands[0]);
    if (one < 0 || g_.dims.representative(g_[one].dims[along]) != length_) return -1;
    is_taken = true;
    map[along] = axis_;
    dim_list dims(n.dims);
    dims[axis_] = length_;
    return build::take(g_, one, map, {}, 0, dims);
  }
  // Of an argument, in whatever shape it is seen.
  constexpr int piece_of_view(int id) {
    int argument = id;
    while (g_[argument].is(op_kind::movement) && g_[argument].operands.size() == 1)
      argument = g_[argument].operands[0];
    if (!g_[argument].is<ops::input>() || !g_.dims.is_constant(length_)) return -1;
    long long const length = g_.dims[length_].a;
    return piece_of(id, length);
  }
  constexpr int piece_of(int id, long long length) {
    attribute bounds;
    for (int k = 0; k < g_[id].rank(); ++k)
      for (long long const bound :
           {k == axis_ ? position_ * length : 0,
            k == axis_ ? (position_ + 1) * length : tenon::detail::open_bound, 1ll})
        bounds.push_back(bound);
    return build::slice(g_, id, bounds);
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
  // In whatever shape.
  constexpr bool is_argument(int id) const {
    while (g_[id].is<ops::reshape>()) id = g_[id].operands[0];
    return g_[id].is<ops::input>();
  }
  constexpr int made_of_argument(int id, node const& n) {
    bool const is_last = axis_ == n.rank() - 1;
    lies_apart = lies_apart || !is_last;
    lies_together = lies_together || (is_last && n.rank() > 1);
    return piece_of(id, 1);
  }
  constexpr int made_of_view(int id, node const& n) {
    if (n.is<ops::input>()) return made_of_argument(id, n);
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
  dim length_;
  bool reads_arguments_;
  constexpr_vector<int> found_;
};

}  // namespace tenon::passes::detail
