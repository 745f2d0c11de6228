// SPDX-License-Identifier: Apache-2.0
#pragma once
// Pushes views towards the loads: what is sliced, reshaped, transposed or taken from is an
// argument, never something computed.
//
// A movement of a pointwise result is the same movement of its operands. Slices, reshapes and takes
// also pass through broadcasts, and through reductions along the axes that are kept; transposes and
// broadcasts of a reduction's result stay, because the iteration space expresses them. What remains
// on an argument is a chain of views that the run time turns into strides.

#include "tenon/passes/dead_nodes.hpp"
#include "tenon/passes/moved_takes.hpp"
#include "tenon/passes/raised_reshapes.hpp"
#include "tenon/passes/reshapes_by_position.hpp"
#include "tenon/passes/view_strides.hpp"

namespace tenon::passes {
namespace detail {
// "Node `id` seen through `how`", and what it was rewritten to.
struct demand {
  int id;
  movement how;
  bool passes_through = false;     // `how` is applied to the operands
  int sources[max_operands] = {};  // demands for the operands; -1: the operand as it is
  unsigned axes = 0;               // reduction: the reduced axes of the moved operand
  int map = no_attribute;          // broadcast: its map from the moved operand
  int next = -1;                   // another demand for the same node
  int result = -1;
};

class puller : moved_takes {
 public:
  constexpr puller(graph& g, bool is_reduced) : moved_takes(g, is_reduced) {}

  constexpr bool is_stuck() const { return is_stuck_; }

  // The id of `root` seen through `how`, with the movement as deep in the graph as it goes.
  constexpr int pull(int root, movement const& how) {
    first_ = constexpr_vector<int>(root + 1, -1);
    want(root, how);
    for (int i = 0; i < demands_.size(); ++i) ask(i);
    if (demands_.size() == 1) return build(demands_[0]);
    // Operands come before their users.
    for (int first : first_)
      for (int i = first; i >= 0; i = demands_[i].next) demands_[i].result = build(demands_[i]);
    return demands_[0].result;
  }

 private:
  constexpr int want(int id, movement const& how) {
    for (int i = first_[id]; i >= 0; i = demands_[i].next)
      if (demands_[i].how == how) return i;
    demand wanted{id, how};
    for (int& source : wanted.sources) source = -1;
    wanted.next = first_[id];
    demands_.push_back(wanted);
    return first_[id] = demands_.size() - 1;
  }
  // A value of one element is an operand of any shape as it is.
  constexpr int want_operand(int id, movement const& how) {
    return g_[id].rank() == 0 ? -1 : want(id, how);
  }

  constexpr void ask(int i) {
    demand d = demands_[i];
    node const n = g_[d.id];
    if (n.rank() == 0) return;
    if (d.how.op == op_id<ops::reshape> && !may_reshape(d.id, n, d.how.dims)) {
      is_stuck_ = true;
      return;
    }
    bool rearranges = !d.how.relabels();
    if (n.is(op_kind::pointwise) || (n.is(op_kind::projection) && rearranges)) {
      d.passes_through = true;
      for (int k = 0; k < n.operands.size(); ++k) d.sources[k] = want_operand(n.operands[k], d.how);
    } else if (n.is(op_kind::reduction) && rearranges) {
      d.passes_through = true;
      d.sources[0] = want(n.operands[0], d.how.takes() ? taken_around(n, d.how, d.axes)
                                                       : through_reduction(n, d.how, d.axes));
    } else if (n.is(op_kind::scan) && rearranges) {
      d.passes_through = true;
      d.axes = axes_of_moved_scan(n, d.how);
      d.sources[0] = want(n.operands[0], d.how);
    } else if (rearranges && n.is<ops::take>()) {
      d.passes_through = true;
      d.sources[0] = d.how.takes() ? -1 : want(n.operands[0], through_take(n, d.how, d.map));
      for (int k = 1; k < n.operands.size(); ++k) d.sources[k] = want_operand(n.operands[k], d.how);
    } else if (rearranges &&
               (n.is<ops::broadcast>() ||
                (n.is<ops::transpose>() &&
                 (d.how.op != op_id<ops::reshape> || !is_view_of_argument(g_, d.id))))) {
      d.passes_through = true;
      d.sources[0] =
          want_operand(n.operands[0], d.how.takes() ? through_repetition(n, d.how, d.map)
                                                    : through_broadcast(n, d.how, d.map));
    }
    demands_[i] = d;
  }

  // What is no view of an argument and cannot be passed through is itself a reshape that is left.
  constexpr bool may_reshape(int id, node const& n, dim_list const& dims) const {
    if (is_view_of_argument(g_, id)) return view_strides(g_).may_become(id, dims);
    return !n.is<ops::slice>() && !n.is<ops::reshape>();
  }

  constexpr int build(demand const& d) {
    node n = g_[d.id];
    if (d.passes_through) {
      for (int k = 0; k < n.operands.size(); ++k)
        if (d.sources[k] >= 0) n.operands[k] = demands_[d.sources[k]].result;
      if (n.is<ops::take>())
        return d.how.takes() ? taken_twice(node(g_[d.id]), n, d.how) : moved_take(n, d);
      if (n.is(op_kind::movement) && d.how.takes())
        return build::broadcast(g_, n.operands[0],
                                d.sources[0] >= 0 ? attribute(g_.attributes[d.map]) : attribute(),
                                d.how.dims);
      if (n.is(op_kind::movement))
        return build::broadcast(g_, n.operands[0], attribute(g_.attributes[d.map]), d.how.dims);
      if (n.is(op_kind::scan)) n.bits = bits_of_moved_scan(n, d.how);
      n.dims = d.how.dims;
      n.axes = d.axes;
      return g_.intern(n);
    }
    bool is_relabelled = n.is<ops::broadcast>() || n.is<ops::transpose>();
    if (is_relabelled && d.how.relabels())
      return build::broadcast(g_, n.operands[0],
                              composed(g_.attributes_of(n), g_.attributes[d.how.attributes]),
                              d.how.dims);
    if (n.rank() == 0) return build::broadcast(g_, d.id, {}, d.how.dims);
    if (d.how.op == op_id<ops::reshape>) return build::reshape(g_, d.id, d.how.dims);
    if (int const position = position_taken(n, d.how); position >= 0) return position;
    if (d.how.takes()) return taken_from(d.id, d.how);
    if (is_whole(n, d.how)) return d.id;
    return g_.intern(node{.op = d.how.op,
                          .type = n.type,
                          .operands = {{d.id}, 1},
                          .dims = d.how.dims,
                          .attributes = d.how.attributes});
  }

  // What a take of positions is, where an index says at which: that index. -1: it is something
  // else.
  constexpr int position_taken(node const& n, movement const& how) {
    if (!n.is<ops::index>() || !how.takes() || how.checked != 0) return -1;
    long long const at = g_.attributes[how.attributes][0];
    if (at >= 0) return -1;
    int const index = how.indices[static_cast<int>(-1 - at)];
    return g_[index].rank() == 0 ? build::broadcast(g_, index, {}, how.dims) : index;
  }

  // A slice that takes everything.
  constexpr bool is_whole(node const& n, movement const& how) const {
    if (how.op != op_id<ops::slice> || !(n.dims == how.dims)) return false;
    attribute const& numbers = g_.attributes[how.attributes];
    for (int k = 0; k < n.rank(); ++k)
      if (numbers[3 * k] != 0 || numbers[3 * k + 1] != tenon::detail::open_bound ||
          numbers[3 * k + 2] != 1)
        return false;
    return true;
  }
  static constexpr attribute composed(attribute const& first, attribute const& second) {
    attribute result;
    for (int k = 0; k < first.size(); ++k) result.push_back(second[static_cast<int>(first[k])]);
    return result;
  }
  // Where the operand is repeated it is read at its one position. Along axes that neither it nor an
  // index varies along the result is repeated, by `map`, instead of computed.
  constexpr movement through_repetition(node const& n, movement const& how, int& map) {
    node const operand = g_.operand(n, 0);
    attribute const axes = g_.attributes_of(n);
    attribute const positions = g_.attributes[how.attributes];
    index_list used;
    attribute moved, kept;
    unsigned varying = 0;
    for (int k = 0; k < axes.size(); ++k) {
      int axis = static_cast<int>(axes[k]);
      bool is_repeated = operand.dims[k] == unit_dim && n.dims[axis] != unit_dim;
      moved.push_back(is_repeated ? 0 : use(used, positions[axis], how));
      if (!is_repeated && moved[k] >= 0) varying |= 1u << moved[k];
    }
    for (int index : used.indices) varying |= varying_axes(index);
    movement result{how.op, no_attribute, {}, {}, used.checked};
    attribute place;  // of each axis of how.dims among those that are kept
    for (int axis = 0; axis < how.dims.size(); ++axis) {
      place.push_back(kept.size());
      if (!(varying >> axis & 1u)) continue;
      kept.push_back(axis);
      result.dims.push_back(how.dims[axis]);
    }
    for (long long& at : moved)
      if (at >= 0) at = varying >> at & 1u ? place[static_cast<int>(at)] : 0;
    for (int index : used.indices) result.indices.push_back(narrowed(index, place, result.dims));
    result.attributes = g_.intern(moved);
    map = g_.intern(kept);
    return result;
  }

  // The index over `dims`, which are those axes that it varies along, and maybe others.
  constexpr int narrowed(int id, attribute const& place, dim_list const& dims) {
    if (g_[id].rank() == 0 || g_[id].dims == dims) return id;
    unsigned const varying = varying_axes(id);
    attribute map;
    for (int k = 0; k < g_[id].rank(); ++k) map.push_back(varying >> k & 1u ? place[k] : 0);
    return puller(g_, is_reduced_).pull(id, {op_id<ops::take>, g_.intern(map), dims});
  }
  constexpr int moved_take(node const& n, demand const& d) {
    node moved = n;
    moved.dims = d.how.dims;
    moved.attributes = d.map;
    return g_.intern(moved);
  }
  constexpr_vector<demand> demands_;
  constexpr_vector<int> first_;  // demand of each node; -1: none
};

// Every movement pulled towards the loads; refused where one cannot be. `stuck` is told the
// reshapes that cannot be, which stay where they are.
constexpr graph moved_to_loads(graph const& g, constexpr_vector<int>& stuck) {
  graph result = g.without_nodes();
  constexpr_vector<int> moved;
  bool is_reduced = false;
  for (node const& n : g.nodes) is_reduced = is_reduced || n.is(op_kind::reduction);
  for (node n : g.nodes) {
    for (int& operand : n.operands) operand = moved[operand];
    puller views(result, is_reduced);
    int id = n.is(op_kind::movement) ? views.pull(n.operands[0], movement_of(n)) : result.intern(n);
    if (views.is_stuck()) {
      stuck.push_back(moved.size());
      id = result.intern(n);
    }
    moved.push_back(id);
  }
  for (graph_output output : g.outputs) {
    output.id = moved[output.id];
    result.outputs.push_back(output);
  }
  return result;
}
// Without the reshapes that are results, which need not be possible anywhere deeper.
constexpr graph without_last_reshapes(graph g) {
  for (graph_output& output : g.outputs)
    while (g[output.id].is<ops::reshape>()) output.id = g[output.id].operands[0];  // `dims` stays
  return dead_nodes(g);
}

// The stuck ones by position, and what then is stuck.
constexpr graph moved_by_position(graph const& g, constexpr_vector<int> const& stuck) {
  graph const taken = reshapes_by_position(g, stuck);
  constexpr_vector<int> left;
  graph result = moved_to_loads(taken, left);
  if (left.empty()) return result;
  return moved_by_position(taken, left);
}

}  // namespace detail

// @post slices, reshapes and takes stand on arguments only; a result that is a reshape is computed
// before it and presented so
constexpr graph movement(graph const& g) {
  graph const as_it_is = detail::without_last_reshapes(g);
  constexpr_vector<int> stuck;
  graph result = detail::moved_to_loads(as_it_is, stuck);
  if (stuck.empty()) return result;
  if (!g.takes_reshapes_by_position) {
    constexpr_vector<int> left;
    graph raised = detail::moved_to_loads(
        detail::without_last_reshapes(raised_reshapes(as_it_is, stuck)), left);
    if (left.empty()) return raised;
  }
  return detail::moved_by_position(as_it_is, stuck);
}

}  // namespace tenon::passes
