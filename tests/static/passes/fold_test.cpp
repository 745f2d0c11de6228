// SPDX-License-Identifier: Apache-2.0
// Operators on literals become literals; what cannot be computed exactly while building stays.
#include "static/support.hpp"

namespace tenon::test {
namespace {

template <class... Arguments, class Function> constexpr text folded(Function f) {
  return print(passes::dead_nodes(passes::fold(before<Arguments...>("fold", f))));
}

// The divisor of an unbiased variance over a known axis: max(8 - 1, 0).
static_assert(is(folded<f32<dyn, 8>>([](auto x) { return var(x, axis<1>); }), R"(
%0 = input 0 : f32[x0.0, 8]
%1 = moments %0 axes 1 : f32[x0.0]
%2 = m2_of %1 : f32[x0.0]
%3 = literal 7 : f32[]
%4 = div %2 %3 : f32[x0.0]
return %4:f32
)"));
// A variance of one element divides by 0 at run time.
static_assert(is(folded<f32<dyn, 1>>([](auto x) { return var(x, axis<1>); }), R"(
%0 = input 0 : f32[x0.0, 1]
%1 = moments %0 axes 1 : f32[x0.0]
%2 = m2_of %1 : f32[x0.0]
%3 = literal 0 : f32[]
%4 = div %2 %3 : f32[x0.0]
return %4:f32
)"));

// Literals that only meet in the graph.
constexpr graph literals(op_info const* op, double x, double y, dtype type = dtype::f32) {
  graph g;
  int left = build::literal(g, type, x), right = build::literal(g, type, y);
  g.outputs.push_back(graph_output{build::pointwise(g, op, {{left, right}, 2}), type, {}});
  return g;
}
constexpr text result(op_info const* op, double x, double y, dtype type = dtype::f32) {
  return print(passes::dead_nodes(passes::fold(literals(op, x, y, type))));
}
constexpr bool is_kept(op_info const* op, double x, double y) {
  return print(passes::fold(literals(op, x, y))) == print(literals(op, x, y));
}
static_assert(is(result(op_id<ops::add>, 16777216, 1), R"(
%0 = literal 1.6777216e7 : f32[]
return %0:f32
)"));
static_assert(is(result(op_id<ops::add>, 16777216, 1, dtype::f64), R"(
%0 = literal 1.6777217e7 : f64[]
return %0:f64
)"));
static_assert(is(result(op_id<ops::mul>, 0.1, 10), R"(
%0 = literal 1 : f32[]
return %0:f32
)"));
static_assert(is_kept(op_id<ops::div>, 1, 0));
static_assert(is_kept(op_id<ops::div>, 0, 0));
static_assert(is_kept(op_id<ops::mul>, 1e38, 10));
static_assert(is_kept(op_id<ops::pow>, 2, 0.5), "not constexpr");

}  // namespace
}  // namespace tenon::test
