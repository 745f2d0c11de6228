// SPDX-License-Identifier: Apache-2.0
// Functions that have no derivative, and calls that do not say which one.
#include <tenon/tenon.hpp>

#include <tenon/grad.hpp>
namespace tn = tenon;

inline constexpr auto doubled = [](auto x) { return x * 2; };
inline constexpr auto total = [](auto x) { return tn::sum(x); };
inline constexpr auto neighbour = [](auto x) { return tn::sum(tn::nextafter(x, 0)); };
inline constexpr auto running = [](auto x) { return tn::sum(tn::cumprod(x, tn::axis<0>)); };

void use() {
  tn::tensor<float, 6> x;
  tn::tensor<float, 5> part;
  tn::tensor<int, 6> counts;

// case: gradient_of_many_numbers
// expected-error: "tenon: grad: the function's result is not one floating-point number; reduce it, as with tn::mean, or give a cotangent of its shape to tn::vjp(f)(x, cotangent)"
#ifdef TENON_CASE_gradient_of_many_numbers
  auto dx = tn::grad(doubled)(x); // error here
#endif

// case: gradient_of_integers
// expected-error: "tenon: grad: no argument is floating-point and has axes; name those to differentiate by, as in tn::grad(f, tn::wrt<0>)"
#ifdef TENON_CASE_gradient_of_integers
  auto dx = tn::grad([](auto n) { return tn::mean(tn::cast<float>(n)); })(counts); // error here
#endif

// case: gradient_by_what_is_not_there
// expected-error: "tenon: grad: tn::wrt names a position at which there is no floating-point value; count the arguments from 0"
#ifdef TENON_CASE_gradient_by_what_is_not_there
  auto dx = tn::grad(total, tn::wrt<1>)(x); // error here
#endif

// case: operator_without_derivative
// expected-error: "tenon: grad: an operator between the arguments and the result has no derivative (the note names it as Operator); leave it out, put tn::stop_gradient around it, or give its struct a derivative"
#ifdef TENON_CASE_operator_without_derivative
  auto dx = tn::grad(neighbour)(x); // error here
#endif

// case: scan_without_derivative
// expected-error: "tenon: grad: an operator between the arguments and the result has no derivative (the note names it as Operator); leave it out, put tn::stop_gradient around it, or give its struct a derivative"
#ifdef TENON_CASE_scan_without_derivative
  auto dx = tn::grad(running)(x); // error here
#endif

// case: gradient_of_several_indices_at_once
// expected-error: "tenon: grad: a read at several indices at once (gather_nd) or an update that is not added (scatter_mul, scatter_max) has no derivative yet; read along one axis at a time, and add"
#ifdef TENON_CASE_gradient_of_several_indices_at_once
  tn::tensor<float, 6, 6> square;
  tn::tensor<int, 4, 2> places;
  auto dx = tn::grad([](auto x, auto index) { return tn::sum(tn::gather_nd(x, index)); })(square, places); // error here
#endif

// case: gradient_with_too_many_arguments
// expected-error: "tenon: grad: the function does not take these arguments; give as many as it has parameters"
#ifdef TENON_CASE_gradient_with_too_many_arguments
  auto dx = tn::grad(total)(x, x); // error here
#endif

// case: gradient_of_a_capturing_lambda
// expected-error: "tenon: grad: the lambda captures something; pass it as an argument of the call instead"
#ifdef TENON_CASE_gradient_of_a_capturing_lambda
  float scale = 2;
  auto dx = tn::grad([=](auto x) { return tn::sum(x * scale); })(x); // error here
#endif

// case: vjp_without_cotangent
// expected-error: "tenon: vjp: the arguments are not those of the function and then one cotangent for each result; write tn::vjp(f)(x, y, cotangent)"
#ifdef TENON_CASE_vjp_without_cotangent
  auto dx = tn::vjp(doubled)(x); // error here
#endif

// case: vjp_with_another_shape
// expected-error: "tenon: vjp: a cotangent has another shape than its result, or one of both is not floating-point; give values of the results' shapes"
#ifdef TENON_CASE_vjp_with_another_shape
  auto dx = tn::vjp(doubled)(x, part); // error here
#endif

// case: vjp_by_what_is_not_there
// expected-error: "tenon: vjp: there is no floating-point argument with axes, or none where tn::wrt says; name those to differentiate by, counted from 0"
#ifdef TENON_CASE_vjp_by_what_is_not_there
  auto dx = tn::vjp(doubled, tn::wrt<2>)(x, x); // error here
#endif
}
