// SPDX-License-Identifier: Apache-2.0
// Operands that an operator does not take.
#include <tenon/tenon.hpp>

#include <string>

namespace tn = tenon;

void use() {
  tn::tensor<float, 4, 5> x, z;
  std::string const text = "text";

// case: too_few
// expected-error: "tenon: operator: wrong number of operands; give as many as the operator has, one for exp(x), two for maximum(x, y)"
#ifdef TENON_CASE_too_few
  auto f = tn::compile([](auto a) {
    return tn::maximum(a); // error here
  });
  auto r = f(x);
#endif

// case: too_few_statement
// expected-error: "tenon: operator: wrong number of operands"
#ifdef TENON_CASE_too_few_statement
  z = tn::maximum(x); // error here
#endif

// case: too_many
// expected-error: "tenon: operator: wrong number of operands"
#ifdef TENON_CASE_too_many
  auto f = tn::compile([](auto a) {
    return tn::exp(a, a); // error here
  });
  auto r = f(x);
#endif

// case: foreign
// expected-error: "tenon: operator: an operand is neither a value of the expression nor a number; pass tensors as arguments of the compiled function"
#ifdef TENON_CASE_foreign
  auto f = tn::compile([](auto a) {
    return a + std::string(); // error here
  });
  auto r = f(x);
#endif

// case: foreign_statement
// expected-error: "tenon: operator: an operand is neither a value of the expression nor a number"
#ifdef TENON_CASE_foreign_statement
  z = x + text; // error here
#endif

// case: pointer
// expected-error: "tenon: operator: an operand is neither a value of the expression nor a number"
#ifdef TENON_CASE_pointer
  z = tn::add(x, x.data()); // error here
#endif

// case: only_numbers
// expected-error: "tenon: operator: all operands are plain numbers; use std:: functions on numbers, or pass one as an argument of the call"
#ifdef TENON_CASE_only_numbers
  auto f = tn::compile([](auto a) {
    return a * tn::exp(2.0f); // error here
  });
  auto r = f(x);
#endif

// case: tensor_from_outside
// expected-error: "tenon: compile: the lambda uses a tensor from outside of it; pass it as an argument of the call instead"
#ifdef TENON_CASE_tensor_from_outside
  static tn::tensor<float, 5> weight;
  auto f = tn::compile([](auto a) {
    return a * weight; // error here
  });
  auto r = f(x);
#endif

// case: condition_is_not_boolean
// expected-error: "tenon: where: the condition is not boolean; compare it, as in tn::where(x != 0, a, b)"
#ifdef TENON_CASE_condition_is_not_boolean
  auto f = tn::compile([](auto a) {
    return tn::where(a, a, 0.0f); // error here
  });
  auto r = f(x);
#endif

// case: condition_is_not_boolean_statement
// expected-error: "tenon: where: the condition is not boolean"
#ifdef TENON_CASE_condition_is_not_boolean_statement
  z = tn::where(x, x, 0.0f); // error here
#endif

// case: bit_cast_to_another_size
// expected-error: "tenon: bit_cast: the type is bool or has not the size of the operand's; give an element type of its size, as in tn::bit_cast<int>(x) of floats"
#ifdef TENON_CASE_bit_cast_to_another_size
  auto f = tn::compile([](auto a) {
    return tn::bit_cast<short>(a); // error here
  });
  auto r = f(x);
#endif

// case: cast_to_no_element_type
// expected-error: "tenon: cast: the type is not an element type; cast to bool, an integer, a float8 or half type, float or double"
#ifdef TENON_CASE_cast_to_no_element_type
  auto f = tn::compile([](auto a) {
    return tn::cast<long double>(a); // error here
  });
  auto r = f(x);
#endif

// case: composite_form
// expected-error: "tenon: call: the function has no form for these arguments; see its declaration for the forms"
#ifdef TENON_CASE_composite_form
  constexpr tn::function twice{[](auto a) { return a + a; }};
  z = twice(x, x); // error here
#endif

// case: composite_captures
// expected-error: "tenon: function: the lambda captures something; pass it as an argument of the call instead"
#ifdef TENON_CASE_composite_captures
  float scale = 2;
  auto scaled = tn::function{[=](auto a) { return a * scale; }}; // error here
  z = scaled(x);
#endif

// case: remainder_by_symbol
// expected-error: "tenon: %: C++ gives it the sign of the dividend, Python that of the divisor; write tn::fmod(x, y) or tn::remainder(x, y)"
#ifdef TENON_CASE_remainder_by_symbol
  auto f = tn::compile([](auto a) {
    return a % 2; // error here
  });
  auto r = f(x);
#endif
}
