// SPDX-License-Identifier: Apache-2.0
// Extents that do not broadcast, in both forms.
#include <tenon/tenon.hpp>
namespace tn = tenon;

void use() {
  tn::tensor<float, 4, 5> x, z;
  tn::tensor<float, 4, 6> wide;
  tn::tensor<float, 3, 5> tall;
  tn::tensor<float, 2, 4, 5> deep_x;
  tn::tensor<float, 3, 4, 5> deep_y;
  tn::tensor<float, 2, 3, 4, 5> deepest_x;
  tn::tensor<float, 7, 3, 4, 5> deepest_y;
  tn::tensor<float, "B", "T"> tokens(2, 3), result(2, 3);
  tn::tensor<float, "T", "B"> turned(3, 2);
  tn::tensor<float, 2, "T"> fixed(3);

// case: last_axis
// expected-error: "tenon: broadcast: the extents of axis -1 (the last) differ; give both one length or one name, or build-time 1 to repeat an operand"
#ifdef TENON_CASE_last_axis
  auto f = tn::compile([](auto a, auto b) {
    auto doubled = a * 2.0f;
    return tn::exp(doubled + b); // error here
  });
  auto r = f(x, wide); // error here
#endif

// case: last_axis_statement
// expected-error: "tenon: broadcast: the extents of axis -1 (the last) differ; give both one length or one name, or build-time 1 to repeat an operand"
#ifdef TENON_CASE_last_axis_statement
  z = tn::exp(x * 2.0f + wide); // error here
#endif

// case: axis_before_the_last
// expected-error: "tenon: broadcast: the extents of axis -2 differ; give both one length or one name, or build-time 1 to repeat an operand"
#ifdef TENON_CASE_axis_before_the_last
  auto f = tn::compile([](auto a, auto b) {
    return tn::maximum(a, b); // error here
  });
  auto r = f(x, tall); // error here
#endif

// case: axis_before_the_last_statement
// expected-error: "tenon: broadcast: the extents of axis -2 differ; give both one length or one name, or build-time 1 to repeat an operand"
#ifdef TENON_CASE_axis_before_the_last_statement
  z = tn::maximum(x, tall); // error here
#endif

// case: third_axis
// expected-error: "tenon: broadcast: the extents of axis -3 differ; give both one length or one name, or build-time 1 to repeat an operand"
#ifdef TENON_CASE_third_axis
  auto f = tn::compile([](auto a, auto b) {
    return a - b; // error here
  });
  auto r = f(deep_x, deep_y);
#endif

// case: third_axis_statement
// expected-error: "tenon: broadcast: the extents of axis -3 differ; give both one length or one name, or build-time 1 to repeat an operand"
#ifdef TENON_CASE_third_axis_statement
  deep_x = deep_x - deep_y; // error here
#endif

// case: earlier_axis
// expected-error: "tenon: broadcast: the extents of an axis before axis -3 differ; give both one length or one name, or build-time 1 to repeat an operand"
#ifdef TENON_CASE_earlier_axis
  auto f = tn::compile([](auto a, auto b) {
    return a < b; // error here
  });
  auto r = f(deepest_x, deepest_y);
#endif

// case: earlier_axis_statement
// expected-error: "tenon: broadcast: the extents of an axis before axis -3 differ; give both one length or one name, or build-time 1 to repeat an operand"
#ifdef TENON_CASE_earlier_axis_statement
  auto is_less = deepest_x < deepest_y; // error here
#endif

// case: third_operand
// expected-error: "tenon: broadcast: the extents of axis -1 (the last) differ; give both one length or one name, or build-time 1 to repeat an operand"
#ifdef TENON_CASE_third_operand
  auto f = tn::compile([](auto a, auto b, auto c) {
    return tn::where(a > 0, b, c); // error here
  });
  auto r = f(x, x, wide);
#endif

// case: names_mixed_up
// expected-error: "tenon: broadcast: the extents of axis -1 (the last) differ; give both one length or one name, or build-time 1 to repeat an operand"
#ifdef TENON_CASE_names_mixed_up
  auto f = tn::compile([](auto a, auto b) {
    return a * b; // error here
  });
  auto r = f(tokens, turned);
#endif

// case: names_mixed_up_statement
// expected-error: "tenon: broadcast: the extents of axis -1 (the last) differ; give both one length or one name, or build-time 1 to repeat an operand"
#ifdef TENON_CASE_names_mixed_up_statement
  result = tokens * turned; // error here
#endif

// case: name_against_length
// expected-error: "tenon: broadcast: the extents of axis -2 differ; give both one length or one name, or build-time 1 to repeat an operand"
#ifdef TENON_CASE_name_against_length
  auto f = tn::compile([](auto a, auto b) {
    return a * b; // error here
  });
  auto r = f(tokens, fixed);
#endif

// case: inside_a_helper
// expected-error: "tenon: broadcast: the extents of axis -1 (the last) differ; give both one length or one name, or build-time 1 to repeat an operand"
#ifdef TENON_CASE_inside_a_helper
  auto helper = [](auto a, auto b) {
    return a + b; // error here
  };
  auto f = tn::compile([](auto a, auto b) {
    return decltype(helper){}(a, b); // error here
  });
  auto r = f(x, wide);
#endif

// case: inside_a_composite
// expected-error: "tenon: broadcast: the extents of axis -1 (the last) differ; give both one length or one name, or build-time 1 to repeat an operand"
#ifdef TENON_CASE_inside_a_composite
  constexpr tn::function scaled{[](auto a, auto b) {
    return tn::exp(a) * b; // error here
  }};
  z = scaled(x, wide); // error here
#endif
}
