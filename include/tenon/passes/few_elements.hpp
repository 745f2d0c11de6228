// SPDX-License-Identifier: Apache-2.0
#pragma once
// A short axis of numbers that reductions have left and an expression has joined: the first few of
// an order and their softmax, a mean and a variance beside each other. Each element is a number of
// its row, and so is what a reduction combines them to.

#include "tenon/ops/moments.hpp"
#include "tenon/ops/scatter.hpp"
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

inline constexpr long long most_joined_elements = 16, most_stored_together = 4;

// The elements of node `id` along an axis, one by one, each with extent 1 there; none where they
// are many, or one of them is not what is_wanted says of how it is found.
template <class IsWanted>
constexpr constexpr_vector<int> joined_elements(graph& g, int id, int axis, IsWanted is_wanted,
                                                bool reads_arguments = false,
                                                long long most = most_joined_elements) {
  constexpr_vector<int> result, none;
  dim_list dims(g[id].dims);
  dim const length = g.dims.representative(dims[axis]);
  long long const count = g.dims.is_constant(length) ? g.dims[length].a : 0;
  if (count < 2 || count > most) return none;
  dims[axis] = unit_dim;
  for (long long k = 0; k < count; ++k) {
    elements_at here(g, axis, k, reads_arguments);
    int const one = here.of(id);
    if (one < 0 || !is_wanted(here)) return none;
    result.push_back(build::broadcast_trailing(g, one, dims));
  }
  return result;
}

// Combines neighbours pairwise. @pre there are some
constexpr int combined(graph& g, op_info const* combine, constexpr_vector<int>& ids) {
  for (int count = ids.size(); count > 1; count = (count + 1) / 2)
    for (int k = 0; k < count; k += 2)
      ids[k / 2] = k + 1 < count ? build::pointwise(g, combine, {{ids[k], ids[k + 1]}, 2}) : ids[k];
  return ids[0];
}

// The elements of a few that lie apart from each other, windows of an image, as slices of all; none
// where the reduced axes are neighbours, not few or not known, or where a reduction or a scan comes
// before.
constexpr constexpr_vector<int> elements_apart(graph& g, node const& n) {
  constexpr_vector<int> result, none;
  node const operand = g.operand(n, 0);
  long long count = 1;
  int last = -1;  // reduced axis
  bool are_apart = false, is_kept_between = false;
  for (int k = 0; k < operand.rank(); ++k) {
    dim const length = g.dims.representative(operand.dims[k]);
    if (length == unit_dim) continue;
    if (!(n.axes >> k & 1u)) {
      is_kept_between = last >= 0;
      continue;
    }
    if (!g.dims.is_constant(length)) return none;
    are_apart = are_apart || is_kept_between;
    count *= g.dims[length].a, last = k;
    if (count > most_joined_elements) return none;
  }
  if (!are_apart || count < 2 || is_accumulated(g, n.operands[0])) return none;
  for (long long position = 0; position < count; ++position) {
    attribute bounds;
    long long rest = position;
    for (int k = 0; k < operand.rank(); ++k) {
      bool const is_whole = !(n.axes >> k & 1u) || operand.dims[k] == unit_dim;
      long long const length = is_whole ? 1 : g.dims[g.dims.representative(operand.dims[k])].a,
                      at = rest % length;
      rest /= length;
      for (long long number :
           {is_whole ? 0 : at, is_whole ? tenon::detail::open_bound : at + 1, 1ll})
        bounds.push_back(number);
    }
    result.push_back(build::slice(g, n.operands[0], bounds));
  }
  return result;
}

// Of a node, axes that something which is read for it is to vary along.
struct spanning_axes {
  int id = -1;
  unsigned axes = 0;
  constexpr bool operator==(spanning_axes const&) const = default;
};

// The same of what a movement moves; of no node where it repeats that along one of them.
constexpr spanning_axes under_movement(graph const& g, node const& n, unsigned axes) {
  node const& operand = g.operand(n, 0);
  unsigned inner = 0, mapped = 0;
  if (n.is<ops::reshape>()) {
    for (axis_group const group : reshape_groups(g.dims, operand.dims, n.dims))
      for (int axis = group.to; axis < group.to_end; ++axis)
        if (axes >> axis & 1u)
          for (int from = group.from; from < group.from_end; ++from) inner |= 1u << from;
    return {n.operands[0], inner};
  }
  attribute const map = g.attributes_of(n);
  for (int k = 0; k < map.size(); ++k) {
    if (operand.dims[k] == unit_dim) continue;
    mapped |= 1u << map[k];
    if (axes >> map[k] & 1u) inner |= 1u << k;
  }
  return (axes & ~mapped) == 0 ? spanning_axes{n.operands[0], inner} : spanning_axes{};
}

// Whether one thing that is read for node `id` varies along all of the axes.
constexpr bool is_spanned(graph const& g, int id, unsigned axes) {
  constexpr_vector<spanning_axes> open(1, {id, axes}), seen;
  while (!open.empty()) {
    spanning_axes const one = open.back();
    open.pop_back();
    bool is_new = one.id >= 0;
    for (spanning_axes const& other : seen) is_new = is_new && !(other == one);
    if (!is_new) continue;
    seen.push_back(one);
    node const& n = g[one.id];
    if (n.is<ops::broadcast>() || n.is<ops::transpose>() || n.is<ops::reshape>()) {
      open.push_back(under_movement(g, n, one.axes));
    } else if (n.is(op_kind::pointwise)) {
      for (int operand : n.operands) open.push_back({operand, one.axes});
    } else if (!n.is<ops::index>()) {
      unsigned left = one.axes;
      for (int axis = 0; axis < n.rank(); ++axis)
        if (n.dims[axis] != unit_dim) left &= ~(1u << axis);
      if (left == 0) return true;
    }
  }
  return false;
}

constexpr unsigned varying_axes(graph const& g, int id) {
  unsigned result = 0;
  for (int axis = 0; axis < g[id].rank(); ++axis)
    if (g.dims.representative(g[id].dims[axis]) != unit_dim) result |= 1u << axis;
  return result;
}

// The elements of node `id` along the axes, one by one, at most so many positions of each; none
// where one of them is not known. Tells whether they are of windows.
constexpr constexpr_vector<int> elements_along(graph& g, int id, unsigned axes, long long most,
                                               bool& are_of_windows) {
  constexpr_vector<int> result(1, id), none;
  dim_list const dims = g[id].dims;
  for (int axis = dims.size() - 1; axis >= 0; --axis) {
    if (!(axes >> axis & 1u)) continue;
    long long const count = g.dims[g.dims.representative(dims[axis])].a;
    constexpr_vector<int> elements;
    for (long long k = 0; k < count && k < most; ++k) {
      elements_at here(g, axis, k, true);
      for (int of_others : result) {
        int const one = here.of(of_others);
        if (one < 0) return none;
        elements.push_back(one);
      }
      are_of_windows = are_of_windows || here.is_of_windows;
    }
    result = elements;
  }
  return result;
}

// Whether a node reduces two elements or more, as many as are known and few, none of which a
// reduction or a scan comes before.
constexpr bool is_of_few(graph const& g, node const& n) {
  int const id = n.operands[0];
  long long all = 1;
  for (int axis = 0; axis < g[id].rank(); ++axis) {
    dim const length = g.dims.representative(g[id].dims[axis]);
    if (!(n.axes >> axis & 1u)) continue;
    if (!g.dims.is_constant(length) || g.dims[length].a < 1) return false;
    all *= g.dims[length].a;
    if (all > most_joined_elements) return false;
  }
  return all > 1 && !is_accumulated(g, id);
}

// The same of elements that do not lie together: what is reduced is read as rows are.
constexpr bool is_of_few_rows(graph const& g, node const& n) {
  return is_of_few(g, n) && !(n.axes >> (g.operand(n, 0).rank() - 1) & 1u);
}

// The elements of a few along reduced axes, one by one, if some of these are of windows, as slices
// of what the windows are of, or are products of what varies along different axes, as of points and
// a small matrix, or if the graph says so of few rows; none where they are not few or not known, or
// updates of a scatter, which reads each once, or where a reduction or a scan comes before.
constexpr constexpr_vector<int> elements_one_by_one(graph& g, node const& n) {
  constexpr_vector<int> const none;
  int const id = n.operands[0];
  dim_list ones(g[id].dims);
  for (int axis = 0; axis < ones.size(); ++axis)
    if (n.axes >> axis & 1u) ones[axis] = unit_dim;
  bool const is_scatter =
      is_computed_from(g, id, [](node const& one) { return one.is<ops::is_target>(); });
  if (is_scatter || !is_of_few(g, n)) return none;
  bool is_wanted = (g.writes_out_few_rows && is_of_few_rows(g, n)) ||
                   (!is_spanned(g, id, varying_axes(g, id)) && is_read(g, id));
  if (!is_wanted) {  // the first one tells, before all of them are made
    if (!is_computed_from(g, id, [](node const& one) { return one.is<ops::take>(); })) return none;
    if (elements_along(g, id, n.axes, 1, is_wanted).empty() || !is_wanted) return none;
  }
  constexpr_vector<int> result = elements_along(g, id, n.axes, most_joined_elements, is_wanted);
  for (int& one : result) one = build::broadcast_trailing(g, one, ones);
  return result;
}

// The id of what stands for reduction n, or -1.
constexpr int reduction_of_few(graph& g, node const& n) {
  op_info const* const combine = pairwise(n.op);
  if (combine == nullptr) return -1;
  int axis = 0;
  while (!(n.axes >> axis & 1u)) ++axis;
  constexpr_vector<int> all;
  if (n.axes == 1u << axis)
    all = joined_elements(g, n.operands[0], axis,
                          [](elements_at const& here) { return here.chooses_reductions; });
  else
    all = elements_apart(g, n);
  if (all.empty()) all = elements_one_by_one(g, n);
  if (all.empty()) return -1;
  return build::reshape(g, build::convert(g, combined(g, combine, all), n.type), n.dims);
}

// What stands for a member of the moments of such a few, or -1. Differences from the first
// element keep what all have in common out of the sums.
constexpr int moments_of_few(graph& g, node const& n) {
  bool const is_mean = n.is<ops::mean_of>();
  if ((!is_mean && !n.is<ops::m2_of>()) || !g.operand(n, 0).is<ops::moments>()) return -1;
  constexpr_vector<int> all = elements_one_by_one(g, node(g.operand(n, 0)));
  if (all.empty()) return -1;
  auto const apply = [&](op_info const* op, int x, int y) {
    return build::pointwise(g, op, {{x, y}, 2});
  };
  int const first = all[0];
  for (int& one : all) one = apply(op_id<ops::sub>, one, first);
  constexpr_vector<int> terms = all;
  int const offset = apply(op_id<ops::mul>, combined(g, op_id<ops::add>, terms),
                           build::literal(g, n.type, 1.0 / all.size()));
  int result = apply(op_id<ops::add>, first, offset);
  if (!is_mean) {
    for (int& one : all) {
      one = apply(op_id<ops::sub>, one, offset);
      one = apply(op_id<ops::mul>, one, one);
    }
    result = combined(g, op_id<ops::add>, all);
  }
  return build::reshape(g, build::convert(g, result, n.type), n.dims);
}

}  // namespace tenon::passes::detail

namespace tenon::passes {

// Whether there is a reduction that may be written out.
constexpr bool has_few_rows(graph const& g) {
  for (node const& n : g.nodes)
    if (n.is(op_kind::reduction) && detail::is_of_few_rows(g, n)) return true;
  return false;
}

}  // namespace tenon::passes
