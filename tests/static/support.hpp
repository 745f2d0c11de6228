// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the static tests share: graphs of lambdas, their texts, and schedules as one line.

#include "tenon/capture/movement.hpp"
#include "tenon/capture/operators.hpp"
#include "tenon/capture/trace.hpp"
#include "tenon/ir/print.hpp"
#include "tenon/ir/verify.hpp"
#include "tenon/nn/normalization.hpp"
#include "tenon/nn/softmax.hpp"
#include "tenon/passes/pipeline.hpp"
#include "tenon/schedule/select.hpp"

namespace tenon::test {

// Arguments by rank; lengths are known at run time.
using scalar = scalar_argument<dtype::f32>;
using point = tensor_argument<dtype::f32>;
using vector = tensor_argument<dtype::f32, dyn>;
using matrix = tensor_argument<dtype::f32, dyn, dyn>;
using cube = tensor_argument<dtype::f32, dyn, dyn, dyn>;
using tesseract = tensor_argument<dtype::f32, dyn, dyn, dyn, dyn>;
template <extent... E>
using f32 = tensor_argument<dtype::f32, E...>;

// Whether the text is `expected`, whose first line break only serves the layout of the test.
constexpr bool is(text const& actual, text_view expected) {
  if (!expected.empty() && expected[0] == '\n') expected = {expected.data() + 1, expected.size() - 1};
  return actual == expected;
}

template <class... Arguments, class Function>
constexpr graph graph_of(Function) {
  return trace<Function, Arguments...>();
}
template <class... Arguments, class Function>
constexpr graph optimized(Function) {
  return passes::run(trace<Function, Arguments...>());
}
// The graph that pass `name` is given.
template <class... Arguments, class Function>
constexpr graph before(text_view name, Function) {
  graph g = trace<Function, Arguments...>();
  for (passes::pass const& p : passes::pipeline) {
    if (p.name == name) break;
    g = p.run(g);
  }
  return g;
}

// The graph after movement, without what it left behind.
template <class... Arguments, class Function>
constexpr text moved(Function f) {
  return print(passes::dead_nodes(passes::movement(before<Arguments...>("movement", f))));
}

// Whether the graph is well formed as traced and after every pass.
template <class... Arguments, class Function>
constexpr bool stays_well_formed(Function) {
  graph g = trace<Function, Arguments...>();
  bool result = verify(g) == nullptr;
  passes::run(g, [&](text_view, graph const& after) {
    result = result && (after.refused != refusal::none || verify(after) == nullptr);
  });
  return result;
}

constexpr text_view name(place p) {
  constexpr text_view names[] = {"launch", "element", "row", "total", "column", "plane"};
  return names[static_cast<int>(p)];
}
constexpr text_view name(refusal r) {
  constexpr text_view names[] = {"none", "too_many_nodes", "several_spaces",
                                        "several_axis_groups", "column_values_are_reduced", "positions_beside_columns",
                                        "several_levels", "too_many_axes",
                                        "scans_along_two_axes", "scan_is_moved",
                                        "scatter_is_used_elsewhere", "searched_is_computed",
                                        "derivative_of_indices"};
  return names[static_cast<int>(r)];
}

constexpr void print_axes(text& out, graph const& g, iteration_space const& space, unsigned mask) {
  out << '[';
  bool is_first = true;
  for (int axis = 0; axis < space.axes.size(); ++axis) {
    if (!(mask >> axis & 1u)) continue;
    if (!is_first) out << ' ';
    is_first = false;
    g.dims.print(out, space.axes[axis]);
  }
  out << ']';
}

// "rows [x0.0] x [x0.1], 2 phases, stores element": family, rows x columns, row phases, and where the outputs are
// stored; or "refused: " and the reason.
template <class... Arguments, class Function>
constexpr text schedule_of(Function f) {
  graph g = optimized<Arguments...>(f);
  text out;
  if (g.refused != refusal::none) return out << "refused: " << name(g.refused);
  iteration_space space = make_iteration_space(g);
  schedule s = select(space);
  if (!s.chosen) return out << "refused: " << name(s.refused);
  out << s.chosen->name << ' ';
  print_axes(out, g, space, s.rows);
  out << " x ";
  print_axes(out, g, space, s.columns);
  out << ", " << s.row_phases << (s.row_phases == 1 ? " phase" : " phases");
  if (s.has_total) out << ", total";
  out << ", stores";
  for (place p : s.store_places) out << ' ' << name(p);
  return out;
}

// Every instruction with the iteration axes it varies over, its place and its phase.
template <class... Arguments, class Function>
constexpr text instructions_of(Function f) {
  graph g = optimized<Arguments...>(f);
  iteration_space space = make_iteration_space(g);
  schedule s = select(space);
  text out;
  for (int k = 0; k < space.instructions.size(); ++k) {
    instruction const& i = space.instructions[k];
    out << '%' << k << " = " << i.op->name;
    for (int operand : i.operands) out << " %" << operand;
    if (i.op->kind == op_kind::reduction) out << " over ", print_axes(out, g, space, i.reduced);
    out << " : " << tenon::name(i.type);
    print_axes(out, g, space, i.axes);
    if (s.chosen) out << ' ' << name(s.places[k]) << ' ' << s.phases[k];
    out << '\n';
  }
  return out;
}

}  // namespace tenon::test
