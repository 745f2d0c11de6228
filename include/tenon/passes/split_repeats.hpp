// SPDX-License-Identifier: Apache-2.0
#pragma once
// An axis along which an argument's elements are repeated → the axis that the argument has, and one
// of the repetitions: what was taken from a quotient of the position is read as it lies.
//
// Scales of groups of columns are written like that. Who has elements side by side then has vectors
// of all of them, which are no vectors of what is taken.

#include "tenon/ops/rounding.hpp"
#include "tenon/passes/movement.hpp"

namespace tenon::passes {
namespace detail {

// What counts up along an axis by `step` from 0 on, and so many times `step` altogether.
struct counted_axis {
  int axis = -1;  // none: it does not
  long long step = 1;
  dim count = unit_dim;  // what is counted, from the first to the last
};

// Of a position along one axis, or along neighbouring axes, of which the first one counts by as
// many as the others have.
constexpr counted_axis counted_axis_of(graph const& g, int id) {
  node const& n = g[id];
  if (n.is<ops::index>()) return {0, 1, n.dims[0]};
  if (n.is<ops::broadcast>() || n.is<ops::transpose>()) {
    counted_axis result = counted_axis_of(g, n.operands[0]);
    if (result.axis >= 0) result.axis = static_cast<int>(g.attributes_of(n)[result.axis]);
    return result;
  }
  int whole = id;
  while (g[whole].is<ops::reshape>()) whole = g[whole].operands[0];
  if (!g[whole].is<ops::index>()) return {};
  counted_axis result{-1, 1, g[whole].dims[0]};
  for (int axis = 0; axis < n.rank(); ++axis) {
    dim const length = g.dims.representative(n.dims[axis]);
    if (length == unit_dim) continue;
    if (result.axis < 0)
      result.axis = axis;
    else if (g.dims.is_constant(length))
      result.step *= g.dims[length].a;
    else
      return {};
  }
  return result;
}

// That a take has each element of axis `from` of its operand `times` times along an axis of its
// own.
struct repeated_axis {
  int from = -1, axis = -1;  // none: it is something else
  long long times = 0;
};

// By index j of take n.
constexpr repeated_axis repeated_axis_of(graph& g, node const& n, int j) {
  if (n.axes >> j & 1u) return {};
  node const& index = g.operand(n, 1 + j);
  bool const is_quotient = index.is<ops::floor_divide>() && g.operand(index, 1).is<ops::literal>();
  counted_axis const at = counted_axis_of(g, is_quotient ? index.operands[0] : n.operands[1 + j]);
  long long const by = is_quotient ? g.operand(index, 1).bits : 1;
  if (at.axis < 0 || at.step < 1 || by < 1 || by % at.step != 0) return {};
  repeated_axis result{-1, at.axis, by / at.step};
  attribute const& map = g.attributes_of(n);
  for (int k = 0; k < map.size(); ++k) {
    if (map[k] == at.axis && g.operand(n, 0).dims[k] != unit_dim) return {};
    if (map[k] != -1 - j) continue;
    if (result.from >= 0) return {};
    result.from = k;
  }
  if (result.from < 0) return {};
  dim const repeated = g.dims.product(g.operand(n, 0).dims[result.from], g.dims.constant(by));
  return repeated == g.dims.representative(at.count) ? result : repeated_axis{};
}

// A take without the indices that count up: what lies along these axes is taken as it lies.
constexpr int read_as_it_lies(graph& g, node const& n) {
  if (!n.is<ops::take>()) return g.intern(n);
  attribute map = g.attributes_of(n);
  static_vector<int, build::max_indices> indices;
  unsigned checked = 0;
  for (int j = 0; j + 1 < n.operands.size(); ++j) {
    repeated_axis const all = repeated_axis_of(g, n, j);
    if (all.axis >= 0 && all.times == 1) {
      map[all.from] = all.axis;
      continue;
    }
    for (int k = 0; k < map.size(); ++k)
      if (g.attributes_of(n)[k] == -1 - j) map[k] = -1 - indices.size();
    checked |= (n.axes >> j & 1u) << indices.size();
    indices.push_back(n.operands[1 + j]);
  }
  if (indices.empty()) return build::taken_as_it_lies(g, n.operands[0], map, n.dims);
  return build::take(g, n.operands[0], map, indices, checked, n.dims);
}

// The repetition of the fewest elements, and the take that has it; null where there is none.
constexpr node const* least_repeated(graph& g, repeated_axis& least) {
  node const* result = nullptr;
  for (node const& n : g.nodes)
    for (int j = 0; n.is<ops::take>() && j + 1 < n.operands.size(); ++j) {
      repeated_axis const one = repeated_axis_of(g, n, j);
      if (one.axis < 0 || (result != nullptr && one.times >= least.times)) continue;
      result = &n, least = one;
    }
  return result;
}

// Each result with its last axis of length `whole` split; not all where one has none.
constexpr bool split_results(graph& g, dim whole, dim outer, dim inner) {
  for (graph_output& output : g.outputs) {
    dim_list const dims = g[output.id].dims;
    int at = dims.size() - 1;
    while (at >= 0 && g.dims.representative(dims[at]) != whole) --at;
    if (at < 0 || dims.size() == max_rank) return false;
    dim_list split;
    for (int axis = 0; axis < dims.size(); ++axis) {
      split.push_back(axis == at ? outer : dims[axis]);
      if (axis == at) split.push_back(inner);
    }
    output.id = build::reshape(g, output.id, split);
  }
  return true;
}

constexpr int count_indices(graph const& g) {
  int result = 0;
  for (node const& n : g.nodes)
    if (n.is<ops::take>()) result += n.operands.size() - 1;
  return result;
}

// As many repetitions have vectors of their own. H200, us, of 4096 x 11008 bytes scaled by 128, to
// bf16, taken element by element 53.5, vectors that each find their scale 38.6, so 34.3.
inline constexpr long long least_repetitions = 32;

}  // namespace detail

// Whether something is taken, and nothing is reduced.
constexpr bool may_repeat(graph const& g) {
  for (node const& n : g.nodes)
    if (n.is(op_kind::reduction) || n.is(op_kind::scan)) return false;
  for (graph_output const& output : g.outputs)
    if (output.window != no_attribute) return false;
  return detail::count_indices(g) > 0;
}

// The same graph where something is taken otherwise; if `only_long`, also where repetitions are
// few, or none is along the last axis.
// @pre may_repeat; movement has been done, and so has dead_nodes. @post nothing is taken, or it is
// as it was
constexpr graph split_repeats(graph const& whole, bool only_long) {
  int indices = detail::count_indices(whole);
  graph g = whole;
  bool is_along_last = false;
  while (indices > 0) {
    detail::repeated_axis least;
    node const* const one = detail::least_repeated(g, least);
    if (one == nullptr || (only_long && least.times < detail::least_repetitions)) return whole;
    is_along_last = is_along_last || least.axis == one->rank() - 1;
    dim const length = g.dims.representative(one->dims[least.axis]),
              outer = g.dims.representative(g.operand(*one, 0).dims[least.from]),
              inner = g.dims.constant(least.times);
    g.dims.unite(length, g.dims.product(outer, inner));
    if (!detail::split_results(g, g.dims.representative(length), outer, inner)) return whole;
    constexpr_vector<int> stuck;
    g = dead_nodes(rewrite(detail::moved_to_loads(g, stuck), [](graph& result, node const& n) {
      return detail::read_as_it_lies(result, n);
    }));
    int const left = detail::count_indices(g);
    if (!stuck.empty() || left >= indices) return whole;
    indices = left;
  }
  return is_along_last || !only_long ? g : whole;
}

}  // namespace tenon::passes
