// SPDX-License-Identifier: Apache-2.0
// Lambdas that cannot be compiled, and calls that do not fit them.
#include <tenon/tenon.hpp>
namespace tn = tenon;

void use() {
  tn::tensor<float, 4, 5> x;
  tn::cpu::tensor<float, 4, 5> here;
  tn::cuda::view<float, 4, 5> there(nullptr);
  float scale = 2;

// case: captures_a_number
// expected-error: "tenon: compile: the lambda captures something; pass it as an argument of the call instead"
#ifdef TENON_CASE_captures_a_number
  auto f = tn::compile([=](auto a) { return a * scale; }); // error here
  tn::tensor<float, 4, 5> r = f(x);
  float* p = f(x).data();
#endif

// case: captures_a_tensor
// expected-error: "tenon: compile: the lambda captures something; pass it as an argument of the call instead"
#ifdef TENON_CASE_captures_a_tensor
  auto f = tn::compile([&](auto a) { return a + x; }); // error here
  static_assert(tn::launches(f, x) == 1);
  f.on({}).into(x)(x);
  x = tn::exp(f(x));
#endif

// case: too_many_arguments
// expected-error: "tenon: call: the lambda does not take these arguments; give as many arguments as it has parameters, declared auto"
#ifdef TENON_CASE_too_many_arguments
  auto f = tn::compile([](auto a) { return tn::exp(a); });
  tn::tensor<float, 4, 5> r = f(x, x); // error here
#endif

// case: too_few_arguments
// expected-error: "tenon: call: the lambda does not take these arguments; give as many arguments as it has parameters, declared auto"
#ifdef TENON_CASE_too_few_arguments
  auto f = tn::compile([](auto a, auto b) { return a + b; });
  auto r = f(x); // error here
#endif

// case: typed_parameter
// expected-error: "tenon: call: the lambda does not take these arguments; give as many arguments as it has parameters, declared auto"
#ifdef TENON_CASE_typed_parameter
  auto f = tn::compile([](tn::tensor<float, 4, 5> const& a) { return a + 1.0f; });
  auto r = f(x); // error here
#endif

// case: foreign_argument
// expected-error: "tenon: call: an argument is not a tensor, a view, a number or tn::ct; pass tensors, views and numbers"
#ifdef TENON_CASE_foreign_argument
  auto f = tn::compile([](auto a, auto b) { return a + b; });
  auto r = f(x, x.data()); // error here
#endif

// case: returns_nothing
// expected-error: "tenon: compile: the lambda returns nothing; return a value or tn::outputs(...)"
#ifdef TENON_CASE_returns_nothing
  auto f = tn::compile([](auto a) { tn::exp(a); });
  auto r = f(x); // error here
#endif

// case: returns_a_number
// expected-error: "tenon: compile: the lambda returns something that is not a value of the expression; return a value or tn::outputs(...)"
#ifdef TENON_CASE_returns_a_number
  auto f = tn::compile([](auto) { return 1.0f; });
  auto r = f(x); // error here
#endif

// case: returns_a_tensor
// expected-error: "tenon: compile: the lambda returns something that is not a value of the expression; return a value or tn::outputs(...)"
#ifdef TENON_CASE_returns_a_tensor
  auto f = tn::compile([](auto) { return tn::tensor<float, 4>(); });
  auto r = f(x); // error here
#endif

// case: outputs_hold_a_number
// expected-error: "tenon: compile: the lambda returns something that is not a value of the expression; return a value or tn::outputs(...)"
#ifdef TENON_CASE_outputs_hold_a_number
  auto f = tn::compile([](auto a) { return tn::outputs(a, 1.0f); });
  auto r = f(x); // error here
#endif

// case: spaces
// expected-error: "tenon: call: the operands are in different memory spaces; copy with tn::to<tn::cuda> or tn::to<tn::cpu> first"
#ifdef TENON_CASE_spaces
  auto f = tn::compile([](auto a, auto b) { return a + b; });
  auto r = f(here, there); // error here
#endif

// case: spaces_statement
// expected-error: "tenon: call: the operands are in different memory spaces; copy with tn::to<tn::cuda> or tn::to<tn::cpu> first"
#ifdef TENON_CASE_spaces_statement
  here = here + there; // error here
#endif

// case: launches_of_a_mistake
// expected-error: "tenon: axis: an axis is out of range; axes are -rank to rank-1"
#ifdef TENON_CASE_launches_of_a_mistake
  auto f = tn::compile([](auto a) {
    return tn::sum(a, tn::axis<2>); // error here
  });
  static_assert(tn::launches(f, x) == 1); // error here
#endif

// case: two_results_of_a_mistake
// expected-error: "tenon: axis: an axis is out of range; axes are -rank to rank-1"
#ifdef TENON_CASE_two_results_of_a_mistake
  auto f = tn::compile([](auto a) {
    auto total = tn::sum(a, tn::axis<2>); // error here
    return tn::outputs(total, tn::exp(total));
  });
  auto [s, e] = f(x);
#endif

// case: one_of_nothing
// expected-error: "tenon: one_of: it lists no constants; write tn::one_of<true, false>(value)"
#ifdef TENON_CASE_one_of_nothing
  auto f = tn::compile([](auto a, auto) { return a; });
  auto r = f(x, tn::one_of<>(scale > 1)); // error here
#endif

// case: one_of_other_type
// expected-error: "tenon: one_of: the value and the constants are of different types; list constants of the value's type"
#ifdef TENON_CASE_one_of_other_type
  auto f = tn::compile([](auto a, auto) { return a; });
  auto r = f(x, tn::one_of<1, 2>("two")); // error here
#endif

// case: one_of_two_results
// expected-error: "tenon: one_of: the result's type depends on the constant; let every constant give the same dtype and extents"
#ifdef TENON_CASE_one_of_two_results
  auto f = tn::compile([](auto a, auto is_mean) {
    if constexpr (is_mean)
      return tn::mean(a);
    else
      return tn::mean(a, tn::axis<1>);
  });
  auto r = f(x, tn::one_of<true, false>(scale > 1)); // error here
#endif
}
