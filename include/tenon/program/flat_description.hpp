// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the run time must know of an expression, as one constant: the final graph and how its operands lie in the space.
//
// Emitted as data rather than computed again at the first call, because compiling the passes as host code cost 4.8 s
// of g++ -O3 in every translation unit.

#include "tenon/core/config.hpp"
#include "tenon/schedule/select.hpp"

TENON_ONCE_BEGIN
namespace tenon {

// What the run time and the reports read. `traced`, the instructions and the places are filled for reports only.
struct description {
  graph traced;  // as the lambda wrote it
  graph final;   // after the passes
  iteration_space space;
  schedule plan;
};

namespace detail {

// Capacities that nearly every expression fits, and those of the largest one.
struct common_capacities {
  static constexpr int nodes = 64, attributes = 16, dims = 32, operands = 16, checks = 16;
};
struct largest_capacities {
  static constexpr int nodes = max_nodes, attributes = 256, dims = 512, operands = 256, checks = 512;
};

// Stands for every operator that a call does not ask about: naming each of them in the data would
// compile its constant folding in every translation unit.
inline constexpr op_info computed_op{.name = "computed", .kind = op_kind::pointwise};

template <class Capacities>
struct flat_description {
  static_vector<node, Capacities::nodes> nodes;
  static_vector<attribute, Capacities::attributes> attributes;
  static_vector<dim_expression, Capacities::dims> dims;
  static_vector<dim, Capacities::dims> representatives;
  static_vector<graph_input, Capacities::operands> inputs;
  static_vector<graph_output, Capacities::operands> outputs;
  static_vector<dim_check, Capacities::checks> checks;
  static_vector<dim, max_axes> axes;
  static_vector<load, Capacities::operands> loads;
  static_vector<store, Capacities::operands> stores;
  static_vector<int, Capacities::operands> scalars;
  static_vector<quantity, Capacities::operands> sizes;
  unsigned rows = 0, columns = 0, planes = 0, reversed = 0;
  bool is_complete = true;  // everything fitted

  constexpr flat_description() = default;
  constexpr flat_description(graph const& g, iteration_space const& space, schedule const& s)
      : rows(s.rows), columns(s.columns), planes(s.planes), reversed(space.reversed) {
    append(nodes, g.nodes), append(attributes, g.attributes);
    for (dim d = 0; d < g.dims.size(); ++d) append_one(dims, g.dims[d]), append_one(representatives, g.dims.representative(d));
    append(inputs, g.inputs), append(outputs, g.outputs), append(checks, g.checks);
    append(axes, space.axes), append(loads, space.loads), append(stores, space.stores);
    append(scalars, space.scalars), append(sizes, space.sizes);
    for (int id = 0; id < nodes.count; ++id)
      if (g[id].is(op_kind::pointwise) || g[id].is(op_kind::projection))
        nodes.items[id].op = &computed_op;
  }

 private:
  template <class T, int N>
  constexpr void append_one(static_vector<T, N>& to, T const& item) {
    if (to.count < N)
      to.push_back(item);
    else
      is_complete = false;
  }
  template <class T, int N>
  constexpr void append(static_vector<T, N>& to, constexpr_vector<T> const& from) {
    for (T const& item : from) append_one(to, item);
  }
};

// The description over the items of the constant. @pre the constant lives as long
template <class Flat>
[[gnu::cold]] description restored(Flat const& flat) {
  description d;
  d.final.nodes.refer_to(flat.nodes);
  d.final.attributes.refer_to(flat.attributes);
  d.final.inputs.refer_to(flat.inputs);
  d.final.outputs.refer_to(flat.outputs);
  d.final.checks.refer_to(flat.checks);
  d.final.dims.refer_to(flat.dims, flat.representatives);
  d.space.axes.refer_to(flat.axes);
  d.space.loads.refer_to(flat.loads);
  d.space.stores.refer_to(flat.stores);
  d.space.scalars.refer_to(flat.scalars);
  d.space.sizes.refer_to(flat.sizes);
  d.plan.rows = flat.rows, d.plan.columns = flat.columns, d.plan.planes = flat.planes;
  d.space.reversed = flat.reversed;
  return d;
}

}  // namespace detail
}  // namespace tenon
TENON_ONCE_END
