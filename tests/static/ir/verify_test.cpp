// SPDX-License-Identifier: Apache-2.0
// verify names the fault of each kind of broken graph.
#include "static/support.hpp"

namespace tenon::test {
namespace {

// A well-formed graph with a node of each kind, broken by `damage`.
constexpr auto expression = [](auto x, auto y) {
  return outputs(slice(exp(x) + y, axis<0>, range<1>), transpose(x), max(x, axis<1>),
                 var(x, axis<0>));
};
template <class Op> constexpr node& find(graph& g) {
  int id = 0;
  while (!g.nodes[id].is<Op>()) ++id;
  return g.nodes[id];
}
template <class Damage> constexpr bool is_fault(text_view expected, Damage damage) {
  graph g = graph_of<f32<8, 4>, f32<4>>(expression);
  if (verify(g) != nullptr) return false;
  damage(g);
  char const* fault = verify(g);
  return fault && expected == fault;
}

static_assert(is_fault("a node has no operator", [](graph& g) { g.nodes[2].op = nullptr; }));
static_assert(is_fault("the number of operands differs from the operator's arity",
                       [](graph& g) { find<ops::add>(g).operands.count = 1; }));
static_assert(is_fault("an operand does not come before its user",
                       [](graph& g) { find<ops::exp>(g).operands[0] = g.size() - 1; }));
static_assert(is_fault("an operand does not come before its user",
                       [](graph& g) { find<ops::exp>(g).operands[0] = -1; }));
static_assert(is_fault("a dim is not in the table",
                       [](graph& g) { find<ops::exp>(g).dims[0] = 1000; }));
static_assert(is_fault("an attribute is not in the table",
                       [](graph& g) { find<ops::transpose>(g).attributes = 1000; }));
static_assert(is_fault("an input is not an argument", [](graph& g) { g.nodes[0].bits = 2; }));
static_assert(is_fault("a pointwise operand has neither the result's shape nor rank 0",
                       [](graph& g) { find<ops::exp>(g).dims[0] = unit_dim; }));
static_assert(is_fault("a pointwise operand has not the dtype that the operator computes in",
                       [](graph& g) {
                         g.nodes[1].type = dtype::i32;
                         find<ops::broadcast>(g).type = dtype::i32;
                       }));
static_assert(is_fault("a pointwise result has not the dtype that follows from its operands",
                       [](graph& g) { find<ops::exp>(g).type = dtype::f64; }));
static_assert(is_fault("a reduction names an axis that its operand does not have",
                       [](graph& g) { find<ops::maximum_of>(g).axes = 4; }));
static_assert(is_fault("a reduction's shape is not the axes it keeps",
                       [](graph& g) { find<ops::maximum_of>(g).axes = 1; }));
static_assert(is_fault("a reduction's shape is not the axes it keeps",
                       [](graph& g) { find<ops::maximum_of>(g).dims.push_back(unit_dim); }));
static_assert(is_fault("a reduction's state is read by something else than a projection",
                       [](graph& g) { find<ops::m2_of>(g).op = op_id<ops::exp>; }));
static_assert(is_fault("a projection does not read a state",
                       [](graph& g) { find<ops::moments>(g).op = op_id<ops::sum>; }));
static_assert(is_fault("a map is missing",
                       [](graph& g) { find<ops::transpose>(g).attributes = no_attribute; }));
static_assert(is_fault("a map does not cover the operand's axes", [](graph& g) {
  g.attributes[find<ops::transpose>(g).attributes].count = 1;
}));
static_assert(is_fault("a map is not one to one",
                       [](graph& g) { g.attributes[find<ops::transpose>(g).attributes][1] = 1; }));
static_assert(is_fault("a map leads an axis to one of another length",
                       [](graph& g) { find<ops::transpose>(g).dims[0] = unit_dim; }));
static_assert(is_fault("a view has another dtype than its operand",
                       [](graph& g) { find<ops::transpose>(g).type = dtype::f64; }));
static_assert(is_fault("a slice does not cover every axis",
                       [](graph& g) { g.attributes[find<ops::slice>(g).attributes].count = 3; }));
static_assert(is_fault("two nodes are equal",
                       [](graph& g) { g.nodes.push_back(node(g.nodes[2])); }));
static_assert(is_fault("there is no output", [](graph& g) { g.outputs.clear(); }));
static_assert(is_fault("an output is not a value", [](graph& g) { g.outputs[0].id = g.size(); }));
static_assert(is_fault("an output is not a value", [](graph& g) {
  for (int id = 0; id < g.size(); ++id)
    if (g[id].op->has_state) g.outputs[0].id = id;
}));
static_assert(is_fault("a check is of a dim that is not in the table", [](graph& g) {
  g.checks.push_back(dim_check{0, 1000, "add"});
}));

}  // namespace
}  // namespace tenon::test
