// SPDX-License-Identifier: Apache-2.0
// Axes and options of reductions and of the softmax family.
#include <tenon/tenon.hpp>
namespace tn = tenon;

void use() {
  tn::tensor<float, 4, 5> x, z;
  tn::tensor<float, 4> rows;
  tn::tensor<int, 4, 5> counts;

// case: out_of_range
// expected-error: "tenon: axis: an axis is out of range; axes are -rank to rank-1"
#ifdef TENON_CASE_out_of_range
  auto f = tn::compile([](auto a) {
    return tn::sum(a, tn::axis<2>); // error here
  });
  tn::tensor<float, 4> r = f(x);
#endif

// case: out_of_range_statement
// expected-error: "tenon: axis: an axis is out of range; axes are -rank to rank-1"
#ifdef TENON_CASE_out_of_range_statement
  rows = tn::sum(x, tn::axis<-3>); // error here
#endif

// case: of_a_scalar
// expected-error: "tenon: axis: an axis is out of range; axes are -rank to rank-1"
#ifdef TENON_CASE_of_a_scalar
  auto f = tn::compile([](auto a) {
    auto total = tn::sum(a);
    return tn::max(total, tn::axis<0>); // error here
  });
  auto r = f(x).item();
#endif

// case: twice
// expected-error: "tenon: axis: an axis is named twice; name each axis once"
#ifdef TENON_CASE_twice
  auto f = tn::compile([](auto a) {
    return tn::mean(a, tn::axis<1, -1>); // error here
  });
  auto r = f(x);
#endif

// case: twice_statement
// expected-error: "tenon: axis: an axis is named twice; name each axis once"
#ifdef TENON_CASE_twice_statement
  rows = tn::mean(x, tn::axis<1, -1>); // error here
#endif

// case: two_lists
// expected-error: "tenon: reduction: tn::axis is given twice; name all axes in one, as in tn::axis<0, 2>"
#ifdef TENON_CASE_two_lists
  rows = tn::sum(x, tn::axis<0>, tn::axis<1>); // error here
#endif

// case: number
// expected-error: "tenon: reduction: an axis is given as a number; write tn::axis<1>"
#ifdef TENON_CASE_number
  auto f = tn::compile([](auto a) {
    return tn::sum(a, 1); // error here
  });
  auto r = f(x);
#endif

// case: number_statement
// expected-error: "tenon: reduction: an axis is given as a number; write tn::axis<1>"
#ifdef TENON_CASE_number_statement
  rows = tn::sum(x, 1); // error here
#endif

// case: keepdim_is_a_bool
// expected-error: "tenon: reduction: keepdim is given as a bool; write tn::keepdim"
#ifdef TENON_CASE_keepdim_is_a_bool
  auto f = tn::compile([](auto a) {
    return a / tn::sum(a, tn::axis<1>, true); // error here
  });
  auto r = f(x);
#endif

// case: unknown_option
// expected-error: "tenon: reduction: an option is none that reductions have; give tn::axis<...>, tn::keepdim, or tn::correction<n> for var"
#ifdef TENON_CASE_unknown_option
  rows = tn::sum(x, tn::shape<4>); // error here
#endif

// case: operand_is_a_number
// expected-error: "tenon: reduction: the operand is not a value of the expression; pass it as an argument of the compiled function"
#ifdef TENON_CASE_operand_is_a_number
  auto f = tn::compile([](auto a) {
    return a - tn::max(1.0f); // error here
  });
  auto r = f(x);
#endif

// case: two_operands
// expected-error: "tenon: reduction: a second operand is given; combine both first, or write tn::maximum(x, y), tn::minimum(x, y) for the extreme of two"
#ifdef TENON_CASE_two_operands
  auto f = tn::compile([](auto a) {
    return tn::max(a, -a); // error here
  });
  auto r = f(x);
#endif

// case: limit_is_a_number
// expected-error: "tenon: reduction: a second operand is given; combine both first, or write tn::maximum(x, y), tn::minimum(x, y) for the extreme of two"
#ifdef TENON_CASE_limit_is_a_number
  auto f = tn::compile([](auto a) {
    return tn::max(a, 0.0f); // error here
  });
  auto r = f(x);
#endif

// case: mean_of_integers
// expected-error: "tenon: mean: the operand is not floating-point; cast it first, as in tn::mean(tn::cast<float>(x))"
#ifdef TENON_CASE_mean_of_integers
  auto f = tn::compile([](auto a) {
    return tn::mean(a, tn::axis<1>); // error here
  });
  auto r = f(counts);
#endif

// case: mean_of_integers_statement
// expected-error: "tenon: mean: the operand is not floating-point"
#ifdef TENON_CASE_mean_of_integers_statement
  rows = tn::mean(counts, tn::axis<1>); // error here
#endif

// case: variance_of_integers
// expected-error: "tenon: var: the operand is not floating-point; cast it first, as in tn::var(tn::cast<float>(x))"
#ifdef TENON_CASE_variance_of_integers
  rows = tn::var(counts, tn::axis<1>); // error here
#endif

// case: logsumexp_of_integers
// expected-error: "tenon: logsumexp: the operand is not floating-point; cast it first, as in tn::logsumexp(tn::cast<float>(x))"
#ifdef TENON_CASE_logsumexp_of_integers
  rows = tn::logsumexp(counts, tn::axis<1>); // error here
#endif

// case: softmax_without_axis
// expected-error: "tenon: softmax: the arguments are not a value and an axis; write tn::softmax(x, tn::axis<-1>)"
#ifdef TENON_CASE_softmax_without_axis
  auto f = tn::compile([](auto a) {
    return tn::softmax(a); // error here
  });
  auto r = f(x);
#endif

// case: softmax_without_axis_statement
// expected-error: "tenon: softmax: the arguments are not a value and an axis"
#ifdef TENON_CASE_softmax_without_axis_statement
  z = tn::softmax(x, 1); // error here
#endif

// case: softmax_out_of_range
// expected-error: "tenon: axis: an axis is out of range; axes are -rank to rank-1"
#ifdef TENON_CASE_softmax_out_of_range
  auto f = tn::compile([](auto a) {
    return tn::softmax(a, tn::axis<2>); // error here
  });
  auto r = f(x);
#endif

// case: log_softmax_without_axis
// expected-error: "tenon: log_softmax: the arguments are not a value and an axis; write tn::log_softmax(x, tn::axis<-1>)"
#ifdef TENON_CASE_log_softmax_without_axis
  z = tn::log_softmax(x); // error here
#endif
}
