// SPDX-License-Identifier: Apache-2.0
#pragma once
// What must hold of every graph, after every pass.

#include "tenon/ir/build.hpp"

namespace tenon {
namespace detail {

constexpr bool is_same_length(graph const& g, dim a, dim b) {
  return g.dims.representative(a) == g.dims.representative(b);
}
constexpr bool is_same_shape(graph const& g, dim_list const& a, dim_list const& b) {
  if (a.size() != b.size()) return false;
  for (int k = 0; k < a.size(); ++k)
    if (!is_same_length(g, a[k], b[k])) return false;
  return true;
}

constexpr char const* verify_pointwise(graph const& g, node const& n) {
  int first = n.op->rule.first_promoted;
  dtype promoted = g.operand(n, first).type;
  for (int k = 0; k < n.operands.size(); ++k) {
    node const& operand = g.operand(n, k);
    if (operand.op->has_state)
      return "a reduction's state is read by something else than a projection";
    if (operand.rank() != 0 && !is_same_shape(g, operand.dims, n.dims))
      return "a pointwise operand has neither the result's shape nor rank 0";
    if (n.is<ops::cast>()) continue;
    if (build::arithmetic_dtype(operand.type) !=
        build::arithmetic_dtype(n.op->rule.operand(promoted, k)))
      return "a pointwise operand has not the dtype that the operator computes in";
  }
  if (!n.is<ops::cast>() &&
      build::arithmetic_dtype(n.type) != build::arithmetic_dtype(n.op->rule.result(promoted)))
    return "a pointwise result has not the dtype that follows from its operands";
  return nullptr;
}

constexpr char const* verify_reduction(graph const& g, node const& n) {
  node const& operand = g.operand(n, 0);
  if (n.axes >> operand.rank()) return "a reduction names an axis that its operand does not have";
  dim_list kept;
  for (int k = 0; k < operand.rank(); ++k)
    if (!(n.axes >> k & 1u)) kept.push_back(operand.dims[k]);
  return is_same_shape(g, kept, n.dims) ? nullptr : "a reduction's shape is not the axes it keeps";
}

constexpr char const* verify_map(graph const& g, node const& n) {
  if (n.attributes == no_attribute) return "a map is missing";
  attribute const& map = g.attributes_of(n);
  node const& operand = g.operand(n, 0);
  if (map.size() != operand.rank()) return "a map does not cover the operand's axes";
  unsigned taken = 0;
  for (int k = 0; k < map.size(); ++k) {
    int axis = static_cast<int>(map[k]);
    if (axis < 0 || axis >= n.rank() || (taken >> axis & 1u)) return "a map is not one to one";
    taken |= 1u << axis;
    if (!is_same_length(g, operand.dims[k], unit_dim) &&
        !is_same_length(g, operand.dims[k], n.dims[axis]))
      return "a map leads an axis to one of another length";
  }
  return nullptr;
}

constexpr char const* verify_take(graph const& g, node const& n) {
  if (n.attributes == no_attribute) return "a map is missing";
  attribute const& map = g.attributes_of(n);
  node const& operand = g.operand(n, 0);
  if (map.size() != operand.rank()) return "a map does not cover the operand's axes";
  for (int k = 0; k < map.size(); ++k) {
    if (map[k] < 1 - n.operands.size()) return "a take reads an index that it does not have";
    if (map[k] < 0 || is_same_length(g, operand.dims[k], unit_dim)) continue;
    if (map[k] >= n.rank() || !is_same_length(g, operand.dims[k], n.dims[static_cast<int>(map[k])]))
      return "a map leads an axis to one of another length";
  }
  for (int k = 1; k < n.operands.size(); ++k) {
    node const& index = g.operand(n, k);
    if (index.type != dtype::i64) return "an index is not an i64";
    if (index.rank() != 0 && !is_same_shape(g, index.dims, n.dims))
      return "an index has neither the result's shape nor rank 0";
  }
  return nullptr;
}

constexpr char const* verify_movement(graph const& g, node const& n) {
  if (g.operand(n, 0).type != n.type) return "a view has another dtype than its operand";
  if (n.is<ops::broadcast>() || n.is<ops::transpose>()) return verify_map(g, n);
  if (n.is<ops::take>()) return verify_take(g, n);
  if (!n.is<ops::slice>()) return nullptr;
  if (n.attributes == no_attribute || n.rank() != g.operand(n, 0).rank() ||
      g.attributes_of(n).size() != 3 * n.rank())
    return "a slice does not cover every axis";
  return nullptr;
}

constexpr char const* verify_node(graph const& g, int id) {
  node const& n = g[id];
  if (!n.op) return "a node has no operator";
  if (n.is<ops::take>() ? n.operands.empty() : n.operands.size() != n.op->arity)
    return "the number of operands differs from the operator's arity";
  for (int operand : n.operands)
    if (operand < 0 || operand >= id) return "an operand does not come before its user";
  for (dim d : n.dims)
    if (d < 0 || d >= g.dims.size()) return "a dim is not in the table";
  if (n.attributes < no_attribute || n.attributes >= g.attributes.size())
    return "an attribute is not in the table";
  switch (n.op->kind) {
    case op_kind::pointwise:
      return verify_pointwise(g, n);
    case op_kind::reduction:
      return verify_reduction(g, n);
    case op_kind::scan:
      return is_same_shape(g, g.operand(n, 0).dims, n.dims) && n.axes >> n.rank() == 0
                 ? nullptr
                 : "a scan has not its operand's shape, or another axis";
    case op_kind::movement:
      return verify_movement(g, n);
    case op_kind::projection:
      return g.operand(n, 0).op->has_state ? nullptr : "a projection does not read a state";
    case op_kind::source:
      return !n.is<ops::input>() || (n.bits >= 0 && n.bits < g.inputs.size())
                 ? nullptr
                 : "an input is not an argument";
  }
  return nullptr;
}

constexpr bool are_distinct(graph const& g) {
  constexpr_vector<unsigned> hashes;
  for (int id = 0; id < g.size(); ++id) {
    hashes.push_back(g[id].hash());
    for (int other = 0; other < id; ++other)
      if (hashes[other] == hashes[id] && g[other] == g[id]) return false;
  }
  return true;
}

}  // namespace detail

// Returns null when the graph is well formed, otherwise what is wrong with it.
// @post nodes are in dependence order and distinct; arity, shapes and dtypes agree with the
// operator
constexpr char const* verify(graph const& g) {
  for (int id = 0; id < g.size(); ++id)
    if (char const* fault = detail::verify_node(g, id)) return fault;
  if (!detail::are_distinct(g)) return "two nodes are equal";
  if (g.outputs.empty()) return "there is no output";
  for (graph_output const& output : g.outputs)
    if (output.id < 0 || output.id >= g.size() || g[output.id].op->has_state)
      return "an output is not a value";
  for (dim_check const& c : g.checks)
    if (c.a < 0 || c.a >= g.dims.size() || c.b < 0 || c.b >= g.dims.size())
      return "a check is of a dim that is not in the table";
  return nullptr;
}

}  // namespace tenon
