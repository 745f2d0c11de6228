// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rewrite rules that hold for every IEEE value: 0*x, x-x, x/x and x+0 stay as they are.

#include "tenon/ops/gradient_control.hpp"
#include "tenon/ops/tables.hpp"
#include "tenon/passes/axis_groups.hpp"
#include "tenon/passes/capped_logits.hpp"
#include "tenon/passes/few_elements.hpp"
#include "tenon/passes/log_of_softmax.hpp"
#include "tenon/passes/rewrite.hpp"
#include "tenon/passes/rounded_choices.hpp"

namespace tenon::passes {
namespace detail {

constexpr bool is_power_of_two(double x) {
  if (x < 0) x = -x;
  if (!(x > 1e-30 && x < 1e30)) return false;
  while (x > 1) x /= 2;
  while (x < 1) x *= 2;
  return x == 1;
}

// What a rule sees: the graph built so far and one node.
struct match {
  graph& g;
  node const& n;

  constexpr int id(int k) const { return n.operands[k]; }
  constexpr node const& at(int k) const { return g.operand(n, k); }
  // Of the same sign, too: -0 is no 0.
  constexpr bool is_literal(int k, double number) const {
    if (!at(k).is<ops::literal>()) return false;
    double actual = literal_number(at(k).type, at(k).bits);
    return __builtin_bit_cast(long long, actual) == __builtin_bit_cast(long long, number);
  }
  template <class Op> constexpr bool is(int k) const { return at(k).is<Op>(); }
  constexpr bool is_power_of_two(int k) const {
    return is<ops::literal>(k) && detail::is_power_of_two(literal_number(at(k).type, at(k).bits));
  }
  constexpr bool is_integer() const { return !is_floating(n.type); }
  // The operand computes in the result's arithmetic and shape, so it can stand for the result.
  constexpr bool is_alike(int k) const { return at(k).dims == n.dims; }
  constexpr int operand_of_operand() const { return at(0).operands[0]; }
  template <class Op> constexpr int apply(int operand) const {
    return build::pointwise(g, op_id<Op>, {{operand}, 1});
  }
};

constexpr int multiply_by_reciprocal(match m) {
  double number = literal_number(m.at(1).type, m.at(1).bits);
  int reciprocal = build::literal(m.g, m.at(1).type, 1 / number);
  return build::pointwise(m.g, op_id<ops::mul>, {{m.id(0), reciprocal}, 2});
}

// The id that one of the rules replaces the node by, or -1. No table of lambdas: each one is a class, a conversion and a
// function to both of nvcc's front ends and to g++.
constexpr int replacement_by_rule(match m) {
  op_info const* const op = m.n.op;
  // x * 1, x / 1, x - 0, x + -0 and x^1 are x; x + 0 is not for x = -0, but for integers.
  if (op == op_id<ops::mul> && m.is_literal(1, 1) && m.is_alike(0)) return m.id(0);
  if (op == op_id<ops::div> && m.is_literal(1, 1) && m.is_alike(0)) return m.id(0);
  if (op == op_id<ops::sub> && m.is_literal(1, 0) && m.is_alike(0)) return m.id(0);
  if (op == op_id<ops::add> && m.is_literal(1, -0.0) && m.is_alike(0)) return m.id(0);
  if (op == op_id<ops::pow> && m.is_literal(1, 1) && m.is_alike(0)) return m.id(0);
  if (op == op_id<ops::add> && m.is_integer() && m.is_literal(1, 0) && m.is_alike(0)) return m.id(0);
  // x / 2^k is x * 2^-k, exactly.
  if (op == op_id<ops::div> && m.is_power_of_two(1)) return multiply_by_reciprocal(m);
  // x^2 is x * x; x^-1 is 1 / x, but an integer stays one.
  if (op == op_id<ops::pow> && m.is_literal(1, 2)) return m.apply<ops::square>(m.id(0));
  if (op == op_id<ops::pow> && m.is_literal(1, -1) && !m.is_integer()) return m.apply<ops::reciprocal>(m.id(0));
  // -(-x) is x, !!x is x, ||x|| and |-x| are |x|, relu(relu(x)) is relu(x).
  if (op == op_id<ops::neg> && m.is<ops::neg>(0)) return m.operand_of_operand();
  if (op == op_id<ops::logical_not> && m.is<ops::logical_not>(0)) return m.operand_of_operand();
  if (op == op_id<ops::abs> && m.is<ops::abs>(0)) return m.id(0);
  // Not of unsigned numbers, where -x is another positive number.
  if (op == op_id<ops::abs> && m.is<ops::neg>(0) && !is_unsigned(m.n.type)) return m.apply<ops::abs>(m.operand_of_operand());
  if (op == op_id<ops::relu> && m.is<ops::relu>(0)) return m.id(0);
  // What it is for has happened.
  if (op == op_id<ops::stop_gradient>) return m.id(0);
  if (op == op_id<ops::with_gradient_of> && m.is_alike(0)) return m.id(0);
  return -1;
}

// Literals last and otherwise the earlier node first, so that a + b and b + a are one node.
constexpr node ordered(graph const& g, node n) {
  if (!n.op->is_commutative || n.operands.size() != 2) return n;
  bool left = g.operand(n, 0).is<ops::literal>(), right = g.operand(n, 1).is<ops::literal>();
  if (left != right ? left : n.operands[0] > n.operands[1]) {
    int first = n.operands[0];
    n.operands[0] = n.operands[1];
    n.operands[1] = first;
  }
  return n;
}

// A reduction whose reduced axes all have extent 1 is its operand without them, where an element is
// a state: the sum of one element, not the sum of its square.
constexpr int reduction_of_one(graph& g, node const& n) {
  if (!n.is(op_kind::reduction) || !n.op->merges_with_itself) return -1;
  node const& operand = g.operand(n, 0);
  for (int k = 0; k < operand.rank(); ++k)
    if ((n.axes >> k & 1u) && operand.dims[k] != unit_dim) return -1;
  return build::reshape(g, n.operands[0], n.dims);
}

// A reduction of a reshape reduces what the reshape was made of, when it reduces all or none of
// each group of axes. `of_states`: also where a reshape of its state is left.
constexpr int reduction_of_reshape(graph& g, node const& n, bool of_states = false) {
  if (!n.is(op_kind::reduction) || !g.operand(n, 0).is<ops::reshape>()) return -1;
  if (n.op->has_state && !of_states) return -1;
  node const& reshaped = g.operand(n, 0);
  node const& source = g.operand(reshaped, 0);
  node moved = n;
  moved.operands[0] = reshaped.operands[0];
  moved.axes = 0;
  moved.dims = {};
  for (axis_group group : reshape_groups(g.dims, source.dims, reshaped.dims)) {
    int reduced = 0;
    for (int axis = group.to; axis < group.to_end; ++axis) reduced += n.axes >> axis & 1u;
    if (reduced != 0 && reduced != group.to_end - group.to) return -1;
    for (int axis = group.from; axis < group.from_end; ++axis)
      if (reduced)
        moved.axes |= 1u << axis;
      else
        moved.dims.push_back(source.dims[axis]);
  }
  return build::reshape(g, g.intern(moved), n.dims);
}

// The id that one matching rule replaces n by, or -1.
constexpr int replacement(graph& g, node const& n) {
  if (int id = replacement_by_rule({g, n}); id >= 0) return id;
  if (int id = reduction_of_one(g, n); id >= 0) return id;
  if (int id = reduction_of_few(g, n); id >= 0) return id;
  if (int id = moments_of_few(g, n); id >= 0) return id;
  return reduction_of_reshape(g, n);
}

}  // namespace detail

// @pre all dims are representatives. @post no rule matches; equal nodes are one node
constexpr graph simplify(graph const& g) {
  return rewrite(g, [&](graph& result, node n, int source) {
    n = detail::ordered(result, n);
    int id = detail::log_of_softmax(result, n, g, source);
    if (id < 0) id = detail::rounded_choice(result, n, g, source);
    if (id < 0) id = detail::of_capped_logits(result, n, g, source);
    if (id < 0) id = detail::replacement(result, n);
    if (id < 0) return result.intern(n);
    // What replaces it may match a rule, too: |-(|x|)| = ||x|| = |x|.
    for (int next = id; next >= 0; next = detail::replacement(result, node(result[id]))) id = next;
    return id;
  });
}

}  // namespace tenon::passes
