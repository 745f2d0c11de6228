// SPDX-License-Identifier: Apache-2.0
#pragma once
// Pushes views towards the loads: what is sliced, reshaped or transposed is an argument, never
// something computed.
//
// A movement of a pointwise result is the same movement of its operands. Slices and reshapes also
// pass through broadcasts, and through reductions along the axes that are kept; transposes and
// broadcasts of a reduction's result stay, because the iteration space expresses them. What remains
// on an argument is a chain of views that the run time turns into strides.

#include "tenon/ir/build.hpp"
#include "tenon/passes/axis_groups.hpp"
#include "tenon/passes/dead_nodes.hpp"

namespace tenon::passes {
namespace detail {

struct movement {
  op_info const* op = nullptr;
  int attributes = no_attribute;
  dim_list dims = {};
  constexpr bool operator==(movement const&) const = default;
  constexpr bool relabels() const {
    return op == op_id<ops::broadcast> || op == op_id<ops::transpose>;
  }
};

// "Node `id` seen through `how`", and what it was rewritten to.
struct demand {
  int id;
  movement how;
  bool passes_through = false;  // `how` is applied to the operands
  int sources[max_operands] = {-1, -1, -1,
                               -1};  // demands for the operands; -1: the operand as it is
  unsigned axes = 0;                 // reduction: the reduced axes of the moved operand
  int map = no_attribute;            // broadcast: its map from the moved operand
  int next = -1;                     // another demand for the same node
  int result = -1;
};

class puller {
 public:
  constexpr explicit puller(graph& g) : g_(g) {}

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
    wanted.next = first_[id];
    demands_.push_back(wanted);
    return first_[id] = demands_.size() - 1;
  }
  // A value of one element is an operand of any shape as it is.
  constexpr int want_operand(int id, movement const& how) {
    return g_[id].rank() == 0 ? -1 : want(id, how);
  }

  constexpr bool is_view_of_argument(int id) const {
    while (g_[id].is(op_kind::movement)) id = g_[id].operands[0];
    return g_[id].is<ops::input>();
  }

  constexpr void ask(int i) {
    demand d = demands_[i];
    node const n = g_[d.id];
    if (n.rank() == 0) return;
    bool rearranges = !d.how.relabels();
    if (n.is(op_kind::pointwise) || (n.is(op_kind::projection) && rearranges)) {
      d.passes_through = true;
      for (int k = 0; k < n.operands.size(); ++k) d.sources[k] = want_operand(n.operands[k], d.how);
    } else if (n.is(op_kind::reduction) && rearranges) {
      d.passes_through = true;
      d.sources[0] = want(n.operands[0], through_reduction(n, d.how, d.axes));
    } else if (rearranges &&
               (n.is<ops::broadcast>() || (n.is<ops::transpose>() && !is_view_of_argument(d.id)))) {
      d.passes_through = true;
      d.sources[0] = want_operand(n.operands[0], through_broadcast(n, d.how, d.map));
    }
    demands_[i] = d;
  }

  constexpr int build(demand const& d) {
    node n = g_[d.id];
    if (d.passes_through) {
      for (int k = 0; k < n.operands.size(); ++k)
        if (d.sources[k] >= 0) n.operands[k] = demands_[d.sources[k]].result;
      if (n.is(op_kind::movement))
        return build::broadcast(g_, n.operands[0], attribute(g_.attributes[d.map]), d.how.dims);
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
    if (is_whole(n, d.how)) return d.id;
    return g_.intern(node{.op = d.how.op,
                          .type = n.type,
                          .operands = {{d.id}, 1},
                          .dims = d.how.dims,
                          .attributes = d.how.attributes});
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
          g_.refused = refusal::reshape_across_reduction;
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
  // Start, stop and step of axis `axis` of a slice; everything for -1.
  constexpr void push_bounds(attribute& numbers, int axis, movement const& how) const {
    long long const whole[] = {0, tenon::detail::open_bound, 1};
    for (int j = 0; j < 3; ++j)
      numbers.push_back(axis < 0 ? whole[j] : g_.attributes[how.attributes][3 * axis + j]);
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
          g_.refused = refusal::reshape_across_broadcast;
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

  graph& g_;
  constexpr_vector<demand> demands_;
  constexpr_vector<int> first_;  // demand of each node; -1: none
};

}  // namespace detail

// @post slices and reshapes stand on arguments only; a result that is a reshape is computed before
// it and presented so
constexpr graph movement(graph g) {
  for (graph_output& output : g.outputs)
    while (g[output.id].is<ops::reshape>()) output.id = g[output.id].operands[0];  // `dims` stays
  g = dead_nodes(g);  // such a reshape need not be possible anywhere deeper
  graph result = g.without_nodes();
  constexpr_vector<int> moved;
  for (node n : g.nodes) {
    for (int& operand : n.operands) operand = moved[operand];
    if (n.is(op_kind::movement))
      moved.push_back(detail::puller(result).pull(n.operands[0], {n.op, n.attributes, n.dims}));
    else
      moved.push_back(result.intern(n));
  }
  for (graph_output output : g.outputs) {
    output.id = moved[output.id];
    result.outputs.push_back(output);
  }
  return result;
}

}  // namespace tenon::passes
