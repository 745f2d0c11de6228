// SPDX-License-Identifier: Apache-2.0
// Expressions that cannot be one kernel, each with its reason.
#include <tenon/tenon.hpp>
namespace tn = tenon;

void use() {
  tn::tensor<float, 32, 64> x;
  tn::tensor<float, 64, 32> y;
  tn::tensor<float, 8, 8, 64> cube;
  tn::tensor<int, 32> classes;
  using eight_axes = tn::view<float, tn::dyn, tn::dyn, tn::dyn, tn::dyn, tn::dyn, tn::dyn, tn::dyn, tn::dyn>;
  eight_axes a(nullptr, 0, 0, 0, 0, 0, 0, 0, 0);

// case: axis_sets
// expected-error: "tenon: compile: the reductions are over axes that are neither the same nor nested, which one kernel cannot do yet; write one expression per axis set"
#ifdef TENON_CASE_axis_sets
  auto f = tn::compile([](auto x) { return tn::outputs(tn::sum(x, tn::axis<0>), tn::max(x, tn::axis<1>)); });
  tn::tensor<float, 4, 8, 16> box;
  auto [s, m] = f(box); // error here
#endif

// case: column_values
// expected-error: "tenon: compile: values for each column of rows that are reduced, too, are reduced again, which one kernel cannot do yet; give these values as results, and reduce them in an expression of its own"
#ifdef TENON_CASE_column_values
  auto f = tn::compile([](auto x) { return tn::sum(tn::mean(x * tn::var(x, tn::axis<1, 2>, tn::keepdim), tn::axis<0>), tn::axis<0>); });
  auto loss = f(cube); // error here
#endif

// case: positions_beside_columns
// expected-error: "tenon: compile: elements read at indices (tn::take, tn::embedding) stand beside values for each column of rows that are reduced, too, which one kernel cannot do yet; store them by an expression of its own, and pass them"
#ifdef TENON_CASE_positions_beside_columns
  auto f = tn::compile([](auto x, auto classes) {
    return tn::sum(tn::softmax(x + tn::take(x, classes, tn::axis<0>), tn::axis<1>), tn::axis<0>);
  });
  auto p = f(x, classes); // error here
#endif

// case: levels
// expected-error: "tenon: compile: what is reduced over some of the rows is reduced again, stands beside what all rows or columns come to, is stored in part, or is one of several such axis sets, which one kernel cannot do yet; store it, and go on in an expression of its own"
#ifdef TENON_CASE_levels
  auto f = tn::compile([](auto x) {
    auto planes = tn::sum(tn::sum(x, tn::axis<-1>, tn::keepdim), tn::axis<-2>, tn::keepdim);
    return tn::outputs(x / planes, tn::sum(planes));
  });
  auto [r, s] = f(cube);  // error here
#endif

// case: contraction
// expected-error: "tenon: compile: no operand spans all axes of the expression, so it is not one sweep (a matrix product, outputs over unrelated axes, or lengths of which the types do not say that they are equal); write one expression per sweep, or name the lengths"
#ifdef TENON_CASE_contraction
  auto f = tn::compile([](auto x, auto y) { return tn::sum(tn::unsqueeze(x, tn::axis<2>) * tn::unsqueeze(y, tn::axis<0>), tn::axis<1>); });
  auto r = f(x, y); // error here
#endif

// case: too_many_axes
// expected-error: "tenon: compile: the expression has more than 16 axes; reshape operands to fewer axes"
#ifdef TENON_CASE_too_many_axes
  auto f = tn::compile([](auto a, auto b, auto c) { return tn::sum(a) + tn::sum(b) + tn::sum(c); });
  auto r = f(a, a, a); // error here
#endif

// case: too_many_nodes
// expected-error: "tenon: compile: the expression has more than tenon::max_nodes nodes; split it into several expressions"
#ifdef TENON_CASE_too_many_nodes
  auto f = tn::compile([](auto x) {
    auto sum = x * 0.0f;
    for (int k = 1; k < 600; ++k) sum = sum + x * static_cast<float>(k);
    return sum;
  });
  auto r = f(x); // error here
#endif
}
