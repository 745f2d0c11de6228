// SPDX-License-Identifier: Apache-2.0
#pragma once
// Results that differ in the length of one axis → one after the other along it, of which each
// result is a part: query heads and key heads, of which there are fewer.
//
// Not one of the pipeline: it is for expressions that have no single kernel otherwise. What is done
// with both is done once, with what the operands are chosen from.

#include "tenon/ir/build.hpp"
#include "tenon/ops/arithmetic.hpp"
#include "tenon/ops/comparison.hpp"
#include "tenon/passes/axis_groups.hpp"
#include "tenon/passes/unify_dims.hpp"

namespace tenon::passes {
namespace detail {

// Whether two shapes are the same but for one axis; lengths of which nothing is known the call
// compares.
constexpr bool are_made_same(graph& g, dim_list const& first, dim_list const& second, int but) {
  if (first.size() != second.size()) return false;
  for (int k = 0; k < first.size(); ++k) {
    dim const a = g.dims.representative(first[k]), b = g.dims.representative(second[k]);
    if (k == but || a == b) continue;
    if (g.dims.is_constant(a) && g.dims.is_constant(b)) return false;
    g.checks.push_back({a, b, "outputs"});
    g.dims.unite(a, b);
  }
  return true;
}

// Joins two nodes along an axis of both.
class joiner {
 public:
  // First and second are the lengths along it.
  constexpr joiner(graph& g, dim first, dim second)
      : g_(g), first_(first), second_(second), both_(g.dims.sum(first, second)) {}

  // Whether lengths along other axes differ.
  constexpr bool has_failed() const { return has_failed_; }

  // Node a and behind it node b along axis `axis`. What has the same operators all along is joined
  // in its operands; else both are computed, and one of them chosen.
  constexpr int join(int a, int b, int axis) {
    for (joined const& done : done_)
      if (done.a == a && done.b == b && done.axis == axis) return done.result;
    int const alike = joined_alike(a, b, axis), result = alike >= 0 ? alike : chosen(a, b, axis);
    done_.push_back({a, b, axis, result});
    return result;
  }

 private:
  struct joined {
    int a, b, axis, result;
  };

  // -1: they are not made alike.
  constexpr int joined_alike(int a, int b, int axis) {
    node const x = g_[a], y = g_[b];
    bool const is_alike = x.op == y.op && x.type == y.type && x.bits == y.bits &&
                          x.axes == y.axes && x.attributes == y.attributes &&
                          x.operands.size() == y.operands.size() &&
                          are_made_same(g_, x.dims, y.dims, axis);
    if (!is_alike) return -1;
    node n = x;
    n.dims[axis] = both_;
    if (x.is(op_kind::pointwise)) {
      for (int k = 0; k < n.operands.size(); ++k)
        n.operands[k] = join_operand(x.operands[k], y.operands[k], n.dims, axis);
      return g_.intern(n);
    }
    if (x.is<ops::take>()) return joined_take(x, y, n, axis);
    int const under = axis_under(x, y, axis);
    if (under == repeated)
      return x.operands[0] == y.operands[0] && !x.is<ops::reshape>()
                 ? build::broadcast(g_, x.operands[0], attribute(g_.attributes_of(x)), n.dims)
                 : -1;
    if (under < 0) return -1;
    n.operands[0] = join(x.operands[0], y.operands[0], under);
    return g_.intern(n);
  }

  static constexpr int none = -1, repeated = -2;

  // The operands' axis that becomes axis `axis` of both nodes, whole and by itself; else none, or
  // that they are repeated along it.
  constexpr int axis_under(node const& x, node const& y, int axis) const {
    if (x.is(op_kind::projection)) return axis;
    if (x.is(op_kind::scan)) return x.axes >> axis & 1u ? none : axis;
    if (x.is(op_kind::reduction)) {
      int under = 0;
      for (int kept = 0; kept < axis || (x.axes >> under & 1u); ++under)
        kept += !(x.axes >> under & 1u);
      return under;
    }
    if (x.is<ops::broadcast>() || x.is<ops::transpose>()) {
      attribute const& map = g_.attributes_of(x);
      for (int k = 0; k < map.size(); ++k) {
        if (map[k] != axis) continue;
        bool const is_one = is_unit(g_.operand(x, 0).dims[k]);
        if (is_one != is_unit(g_.operand(y, 0).dims[k])) return none;
        return is_one ? repeated : k;
      }
      return repeated;
    }
    if (x.is<ops::slice>()) {
      attribute const& numbers = g_.attributes_of(x);
      bool const is_whole = numbers[3 * axis] == 0 &&
                            numbers[3 * axis + 1] == tenon::detail::open_bound &&
                            numbers[3 * axis + 2] == 1;
      return is_whole ? axis : none;
    }
    if (!x.is<ops::reshape>()) return none;
    int const under = axis_before(x, axis);
    return under == axis_before(y, axis) ? under : none;
  }
  constexpr int axis_before(node const& n, int axis) const {
    for (axis_group group : reshape_groups(g_.dims, g_.operand(n, 0).dims, n.dims))
      if (group.to == axis && group.to_end == axis + 1 && group.from_end == group.from + 1)
        return group.from;
    return none;
  }
  constexpr bool is_unit(dim d) const { return g_.dims.representative(d) == unit_dim; }

  constexpr int joined_take(node const& x, node const& y, node n, int axis) {
    attribute const map = g_.attributes_of(x);
    int under = repeated;
    for (int k = 0; k < map.size(); ++k)
      if (map[k] == axis && !is_unit(g_.operand(x, 0).dims[k])) under = k;
    if (under == repeated && x.operands[0] != y.operands[0]) return -1;
    if (under >= 0 && is_unit(g_.operand(y, 0).dims[under])) return -1;
    if (under >= 0) n.operands[0] = join(x.operands[0], y.operands[0], under);
    for (int k = 1; k < n.operands.size(); ++k)
      n.operands[k] = join_operand(x.operands[k], y.operands[k], n.dims, axis);
    return g_.intern(n);
  }

  // Of a pointwise node or a take, which have `dims`.
  constexpr int join_operand(int a, int b, dim_list const& dims, int axis) {
    if (g_[a].rank() != 0 && g_[b].rank() != 0) return join(a, b, axis);
    if (a == b) return a;
    int const all[] = {is_in_first(dims, axis), a, b};
    return build::pointwise(g_, op_id<ops::where>, {{all[0], all[1], all[2]}, 3});
  }

  // The position along the axis, for every element of `dims`.
  constexpr int position(dim_list const& dims, int axis) {
    return build::position_along(g_, dims, 1u << axis);
  }
  constexpr int length_of_first() {
    dim_list counted;
    counted.push_back(first_);
    return build::size(g_, counted, dtype::i64);
  }
  constexpr int is_in_first(dim_list const& dims, int axis) {
    return build::pointwise(g_, op_id<ops::less>, {{position(dims, axis), length_of_first()}, 2});
  }
  constexpr int chosen(int a, int b, int axis) {
    if (!are_made_same(g_, g_[a].dims, g_[b].dims, axis)) has_failed_ = true;
    dim_list dims = g_[a].dims;
    dims[axis] = both_;
    int const at = position(dims, axis),
              behind = build::pointwise(g_, op_id<ops::sub>, {{at, length_of_first()}, 2});
    int const first = taken(a, at, axis, dims), second = taken(b, behind, axis, dims);
    return build::pointwise(g_, op_id<ops::where>, {{is_in_first(dims, axis), first, second}, 3});
  }
  constexpr int taken(int id, int index, int axis, dim_list const& dims) {
    attribute map;
    for (int k = 0; k < dims.size(); ++k) map.push_back(k == axis ? -1 : k);
    return build::take(g_, id, map, {{index}, 1}, 0, dims);
  }

  graph& g_;
  dim first_, second_, both_;
  bool has_failed_ = false;
  constexpr_vector<joined> done_;
};

// The one axis along which the results differ; -1 where there are several, or none. Where lengths
// are known those decide.
constexpr int differing_axis(graph const& g) {
  int known = -1, unknown = -1;
  for (graph_output const& output : g.outputs) {
    dim_list const &first = g[g.outputs[0].id].dims, &other = g[output.id].dims;
    if (other.size() != first.size() || output.window != no_attribute) return -1;
    for (int k = 0; k < first.size(); ++k) {
      dim const a = g.dims.representative(first[k]), b = g.dims.representative(other[k]);
      if (a == b) continue;
      int& found = g.dims.is_constant(a) && g.dims.is_constant(b) ? known : unknown;
      if (found >= 0 && found != k) {
        if (&found == &known) return -1;
        found = first.size();
      } else {
        found = k;
      }
    }
  }
  return known >= 0 ? known : unknown < g[g.outputs[0].id].rank() ? unknown : -1;
}

}  // namespace detail

// The same graph where the results cannot be joined.
constexpr graph joined_outputs(graph const& traced) {
  graph g = unify_dims(traced);
  int const axis = detail::differing_axis(g);
  if (axis < 0) return traced;
  node const first = g[g.outputs[0].id];
  for (graph_output const& output : g.outputs)
    if (g[output.id].type != first.type ||
        !detail::are_made_same(g, first.dims, g[output.id].dims, axis))
      return traced;
  g = unify_dims(g);  // what is now known to be equal is one node
  int all = g.outputs[0].id;
  long long start = 0;
  for (int k = 0; k < g.outputs.size(); ++k) {
    graph_output& output = g.outputs[k];
    dim const length = g.dims.representative(g[output.id].dims[axis]);
    bool const is_last = k + 1 == g.outputs.size();
    // Where a part begins is a number of the build.
    if (!is_last && !g.dims.is_constant(length)) return traced;
    long long const end = is_last ? tenon::detail::open_bound : start + g.dims[length].a;
    if (k > 0) {
      detail::joiner both(g, g[all].dims[axis], length);
      all = both.join(all, output.id, axis);
      if (both.has_failed()) return traced;
    }
    attribute numbers;
    for (int j = 0; j < first.rank(); ++j) {
      numbers.push_back(j == axis ? start : 0);
      numbers.push_back(j == axis ? end : tenon::detail::open_bound);
      numbers.push_back(1);
    }
    output.window = g.intern(numbers);
    start = end;
  }
  for (graph_output& output : g.outputs) output.id = all;
  return g;
}

}  // namespace tenon::passes
