// SPDX-License-Identifier: Apache-2.0
#pragma once
// Derivative rules on the graph: a node as the quantity that the rules of ops/ compute with.

#include "tenon/ir/build.hpp"
#include "tenon/ops/derivative.hpp"
#include "tenon/ops/tables.hpp"  // all that rules may name

namespace tenon::detail {

struct term : ops::derivation::quantity {
  graph* owner = nullptr;
  int id = -1;

  constexpr term(graph& g, int node) : owner(&g), id(node) {}
  constexpr node const& operator*() const { return (*owner)[id]; }
};

constexpr graph* owner_of(term x) { return x.owner; }
constexpr graph* owner_of(double) { return nullptr; }
constexpr dtype floating_dtype(term x) { return is_floating((*x).type) ? (*x).type : dtype::boolean; }
constexpr dtype floating_dtype(double) { return dtype::boolean; }
constexpr int as_node(graph&, dtype, term x) { return x.id; }
constexpr int as_node(graph& g, dtype type, double x) { return build::literal(g, type, x); }

constexpr bool is_constant(graph const& g, int id) { return g[id].is<ops::literal>(); }
constexpr bool is_constant(graph const& g, int id, double number) {
  return is_constant(g, id) && literal_number(g[id].type, g[id].bits) == number;
}

// A condition on literals is known, and so is what it chooses: rules for any exponent cost a constant one nothing.
constexpr int folded_choice(graph& g, op_info const* op, static_vector<int, max_operands> const& x) {
  if (op == &op_info_of<ops::where>)
    return is_constant(g, x[0]) ? x[g[x[0]].bits != 0 ? 1 : 2] : -1;
  if (op->rule.result(dtype::f32) != dtype::boolean || !op->fold) return -1;
  double numbers[max_operands] = {};
  for (int k = 0; k < x.size(); ++k) {
    if (!is_constant(g, x[k])) return -1;
    numbers[k] = literal_number(g[x[k]].type, g[x[k]].bits);
  }
  return build::integer_literal(g, dtype::boolean, op->fold(dtype::f64, numbers) != 0);
}

// Numbers have the dtype of the first floating operand.
template <class Op, class... Operands>
constexpr term apply_operator(type_box<Op>, Operands... operands) {
  graph* owner = nullptr;
  dtype type = dtype::boolean;
  ((owner = owner ? owner : owner_of(operands)), ...);
  ((type = type != dtype::boolean ? type : floating_dtype(operands)), ...);
  if (type == dtype::boolean) type = default_float;
  static_vector<int, max_operands> ids;
  (ids.push_back(as_node(*owner, type, operands)), ...);
  int const folded = folded_choice(*owner, op_id<Op>, ids);
  return {*owner, folded >= 0 ? folded : build::pointwise(*owner, op_id<Op>, ids)};
}

constexpr term constant_like(term x, double number) {
  return {*x.owner, build::literal(*x.owner, floating_dtype(x) == dtype::boolean ? default_float : (*x).type, number)};
}

}  // namespace tenon::detail
