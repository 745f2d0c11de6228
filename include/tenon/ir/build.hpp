// SPDX-License-Identifier: Apache-2.0
#pragma once
// Well-formed nodes: each function adds one operation to a graph, with its casts, broadcasts and
// result shape.

#include "tenon/ir/graph.hpp"
#include "tenon/ops/cast.hpp"
#include "tenon/ops/movement.hpp"
#include "tenon/ops/source.hpp"

namespace tenon::build {

// Narrow types are computed in float, so an operand that an operator wants in one is wanted as a
// float.
constexpr dtype arithmetic_dtype(dtype d) { return is_narrow(d) ? dtype::f32 : d; }

constexpr int literal(graph& g, dtype type, double number) {
  type = arithmetic_dtype(type);
  return g.intern(
      node{.op = op_id<ops::literal>, .type = type, .bits = literal_bits(type, number)});
}
constexpr int integer_literal(graph& g, dtype type, long long number) {
  if (is_floating(type)) return literal(g, type, static_cast<double>(number));
  return g.intern(node{.op = op_id<ops::literal>, .type = type, .bits = number});
}

constexpr int input(graph& g, int position) {
  graph_input const& in = g.inputs[position];
  return g.intern(node{.op = in.is_scalar ? op_id<ops::scalar> : op_id<ops::input>,
                       .type = in.type,
                       .dims = in.dims,
                       .bits = position});
}

// A conversion that the user wrote: to a half type it rounds, and no pass removes it.
constexpr int cast(graph& g, int id, dtype type) {
  if (g[id].type == type) return id;
  return g.intern(
      node{.op = op_id<ops::cast>, .type = type, .operands = {{id}, 1}, .dims = g[id].dims});
}
// A conversion of the arithmetic only; nothing where the arithmetic type is already right.
constexpr int convert(graph& g, int id, dtype type) {
  type = arithmetic_dtype(type);
  if (arithmetic_dtype(g[id].type) == type) return id;
  if (g[id].is<ops::literal>()) {
    if (is_floating(type) || is_floating(g[id].type))
      return literal(g, type, literal_number(g[id].type, g[id].bits));
    return integer_literal(g, type, g[id].bits);  // a double does not hold every integer
  }
  return cast(g, id, type);
}

constexpr priority priority_of(node const& n) {
  if (n.is<ops::literal>()) return priority::literal;
  return n.rank() == 0 ? priority::scalar : priority::tensor;
}

// How many elements lie along dims: so many times those along the others.
struct element_count {
  long long known = 1;
  attribute others = {};
};
constexpr element_count count_of(graph const& g, dim_list const& dims) {
  element_count result;
  for (dim d : dims) {
    d = g.dims.representative(d);
    if (g.dims.is_constant(d))
      result.known *= g.dims[d].a;
    else
      result.others.push_back(d);
  }
  return result;
}

// The same as a value of the graph.
constexpr int size(graph& g, dim_list const& dims, dtype type) {
  auto [known, counted] = count_of(g, dims);
  if (counted.empty()) return integer_literal(g, arithmetic_dtype(type), known);
  if (known != 1) counted.push_back(g.dims.constant(known));
  return g.intern(node{
      .op = op_id<ops::size>, .type = arithmetic_dtype(type), .attributes = g.intern(counted)});
}

// Operand axis k becomes result axis map[k].
// @pre map is injective; every mapped axis has the operand's dim or the operand's dim is 1.
constexpr int broadcast(graph& g, int id, attribute const& map, dim_list const& dims) {
  bool is_identity = dims.size() == g[id].rank(), is_permutation = is_identity;
  for (int k = 0; k < map.size(); ++k) {
    is_identity = is_identity && map[k] == k && dims[k] == g[id].dims[k];
    is_permutation = is_permutation && dims[static_cast<int>(map[k])] == g[id].dims[k];
  }
  if (is_identity) return id;
  return g.intern(node{.op = is_permutation ? op_id<ops::transpose> : op_id<ops::broadcast>,
                       .type = g[id].type,
                       .operands = {{id}, 1},
                       .dims = dims,
                       .attributes = g.intern(map)});
}
// NumPy's alignment: the operand's axes are the last ones of the result.
constexpr int broadcast_trailing(graph& g, int id, dim_list const& dims) {
  if (g[id].rank() == 0) return id;  // a scalar is an operand of any shape as it is
  attribute map;
  for (int k = 0; k < g[id].rank(); ++k) map.push_back(dims.size() - g[id].rank() + k);
  return broadcast(g, id, map, dims);
}

// @pre every pair of aligned dims may be equal. Unequal dims that are not 1 are required to be
// equal at run time.
constexpr dim_list broadcast_shapes(graph& g, dim_list const& a, dim_list const& b,
                                    op_info const* op) {
  dim_list const& longer = a.size() >= b.size() ? a : b;
  dim_list const& shorter = a.size() >= b.size() ? b : a;
  dim_list result = longer;
  int shift = longer.size() - shorter.size();
  for (int k = 0; k < shorter.size(); ++k) {
    dim& d = result[shift + k];
    dim other = shorter[k];
    if (other == unit_dim || d == other) continue;
    if (d != unit_dim) {
      g.checks.push_back({d, other, op->name});
      g.dims.unite(d, other);
      other = g.dims.representative(d);
    }
    d = other;
  }
  return result;
}

// @pre operands.size() == op->arity; `promoted` is what the operands become, where the operator promotes them
constexpr int pointwise(graph& g, op_info const* op, static_vector<int, max_operands> operands,
                        dtype promoted) {
  dim_list dims;
  for (int id : operands) dims = broadcast_shapes(g, dims, dim_list(g[id].dims), op);
  for (int k = 0; k < operands.size(); ++k)
    operands[k] =
        broadcast_trailing(g, convert(g, operands[k], op->rule.operand(promoted, k)), dims);
  return g.intern(
      node{.op = op, .type = op->rule.result(promoted), .operands = operands, .dims = dims});
}
constexpr int pointwise(graph& g, op_info const* op,
                        static_vector<int, max_operands> const& operands) {
  typed_operand typed[max_operands] = {};
  for (int k = 0; k < operands.size(); ++k)
    typed[k] = {g[operands[k]].type, priority_of(g[operands[k]])};
  return pointwise(g, op, operands, promote(typed + op->rule.first_promoted, typed + operands.size()));
}

// Reduces the operand axes whose bit is set; they are dropped from the shape.
constexpr int reduce(graph& g, op_info const* op, int id, unsigned axes) {
  dtype wanted = op->rule.operand(g[id].type, 0), type = op->rule.result(g[id].type);
  id = convert(g, id, wanted);
  dim_list dims;
  for (int k = 0; k < g[id].rank(); ++k)
    if (!(axes >> k & 1u)) dims.push_back(g[id].dims[k]);
  return g.intern(node{.op = op, .type = type, .operands = {{id}, 1}, .dims = dims, .axes = axes});
}

// One member of a reduction's state.
constexpr int project(graph& g, op_info const* op, int id, dtype type) {
  return g.intern(node{.op = op, .type = type, .operands = {{id}, 1}, .dims = g[id].dims});
}

constexpr int project(graph& g, op_info const* op, int id) {
  return project(g, op, id, g[id].type);
}

// @pre axis is one of the operand's; how is a combination of ops::scan_excludes and scan_reverses, or
// ops::blocks_of a length
constexpr int scan(graph& g, op_info const* op, int id, int axis, long long how) {
  dtype wanted = op->rule.operand(g[id].type, 0), type = op->rule.result(g[id].type);
  id = convert(g, id, wanted);
  return g.intern(node{.op = op,
                       .type = type,
                       .operands = {{id}, 1},
                       .dims = g[id].dims,
                       .axes = 1u << axis,
                       .bits = how});
}

// Whether the bounds numbers[3 * k...] take axis k of length d as it is.
constexpr bool takes_everything(graph const& g, dim d, attribute const& numbers, int k) {
  long long start = numbers[3 * k], stop = numbers[3 * k + 1], step = numbers[3 * k + 2];
  if (start == 0 && stop == detail::open_bound && step == 1) return true;
  d = g.dims.representative(d);
  if (!g.dims.is_constant(d)) return false;
  long long length = g.dims[d].a;
  return detail::resolve_range(length, start, stop, step) == detail::axis_range{0, 1, length};
}

// Elements side by side of an axis of known length are the same slice, from wherever their bounds
// are counted; its end is written as open.
constexpr void to_known_bounds(graph const& g, dim d, attribute& numbers, int k) {
  d = g.dims.representative(d);
  if (!g.dims.is_constant(d) || numbers[3 * k + 2] != 1) return;
  detail::axis_range const all =
      detail::resolve_range(g.dims[d].a, numbers[3 * k], numbers[3 * k + 1], 1);
  long long const stop = all.start + all.count;
  numbers[3 * k] = all.start, numbers[3 * k + 1] = stop == g.dims[d].a ? detail::open_bound : stop;
}

// numbers: start, stop and step of every axis. An axis that is taken whole is written [0::1].
constexpr int slice(graph& g, int id, attribute numbers) {
  dim_list dims;
  bool is_whole = true;
  for (int k = 0; k < g[id].rank(); ++k) {
    dim d = g[id].dims[k];
    if (takes_everything(g, d, numbers, k)) {
      numbers[3 * k] = 0, numbers[3 * k + 1] = detail::open_bound, numbers[3 * k + 2] = 1;
    } else {
      is_whole = false;
      to_known_bounds(g, d, numbers, k);
      d = g.dims.sliced(d, numbers[3 * k], numbers[3 * k + 1], numbers[3 * k + 2]);
    }
    dims.push_back(d);
  }
  if (is_whole) return id;
  return g.intern(node{.op = op_id<ops::slice>,
                       .type = g[id].type,
                       .operands = {{id}, 1},
                       .dims = dims,
                       .attributes = g.intern(numbers)});
}

constexpr int reshape(graph& g, int id, dim_list const& dims) {
  if (g[id].dims == dims) return id;
  return g.intern(
      node{.op = op_id<ops::reshape>, .type = g[id].type, .operands = {{id}, 1}, .dims = dims});
}

// The position along an axis of length d.
constexpr int index(graph& g, dim d) {
  dim_list dims;
  dims.push_back(d);
  return g.intern(node{.op = op_id<ops::index>, .type = dtype::i64, .dims = dims});
}

// The position along the axes whose bit is set, in row-major order of their dims, for every element
// of `dims`.
constexpr int position_along(graph& g, dim_list const& dims, unsigned axes) {
  dim_list counted;
  attribute map;
  dim total = unit_dim;
  for (int k = 0; k < dims.size(); ++k) {
    if (!(axes >> k & 1u)) continue;
    total = g.dims.product(total, dims[k]);
    counted.push_back(dims[k]);
    map.push_back(k);
  }
  return broadcast(g, reshape(g, index(g, total), counted), map, dims);
}

inline constexpr int max_indices = max_operands - 1;

// Whether every operand axis has a result axis of its own.
constexpr bool is_one_to_one(graph const& g, int id, attribute const& map, dim_list const& dims) {
  unsigned taken = 0;
  for (int k = 0; k < map.size(); ++k) {
    if (taken >> map[k] & 1u || map[k] >= dims.size()) return false;
    if (g[id].dims[k] != unit_dim && g[id].dims[k] != dims[static_cast<int>(map[k])]) return false;
    taken |= 1u << map[k];
  }
  return true;
}

// The operand's axes lie at the positions of the result axes map[k], or, where map[k] = -1 - j, at
// those that indices[j] gives; bit j of `checked` is set when index j is the user's.
// @pre an index has dtype i64, and the result's shape or rank 0
constexpr int take(graph& g, int id, attribute const& map,
                   static_vector<int, max_indices> const& indices, unsigned checked,
                   dim_list const& dims) {
  if (indices.empty() && is_one_to_one(g, id, map, dims)) return broadcast(g, id, map, dims);
  node n{.op = op_id<ops::take>,
         .type = g[id].type,
         .operands = {{id}, 1},
         .dims = dims,
         .axes = checked,
         .attributes = g.intern(map)};
  for (int index : indices) n.operands.push_back(index);
  return g.intern(n);
}

// What a take without indices is: operand axis k of more than one element becomes result axis map[k].
constexpr int taken_as_it_lies(graph& g, int id, attribute const& map, dim_list const& dims) {
  attribute kept;
  dim_list longer;
  for (int k = 0; k < map.size(); ++k) {
    if (g[id].dims[k] == unit_dim) continue;
    kept.push_back(map[k]);
    longer.push_back(g[id].dims[k]);
  }
  while (g[id].is<ops::reshape>()) id = g[id].operands[0];
  return broadcast(g, reshape(g, id, longer), kept, dims);
}

}  // namespace tenon::build
