// SPDX-License-Identifier: Apache-2.0
// Rotations, quantisation and orders that cannot be.
#include <tenon/tenon.hpp>
namespace tn = tenon;

void use() {
  tn::tensor<float, 4, 6> x, z;
  tn::tensor<float> point;

// case: rope_without_tables
// expected-error: "tenon: rope: the arguments are not a value, cosines and sines; write tn::rope(x, cosines, sines), with tn::interleaved if pairs are neighbours"
#ifdef TENON_CASE_rope_without_tables
  z = tn::rope(x); // error here
#endif

// case: rope_by_a_number
// expected-error: "tenon: rope: an operand has no axes; cosines and sines have half the last extent of x, and broadcast with it otherwise"
#ifdef TENON_CASE_rope_by_a_number
  z = tn::rope(x, point, point); // error here
#endif

// case: quantize_to_int
// expected-error: "tenon: quantize: the operand is not floating-point, or the type is neither int8 nor a float8; write tn::quantize<std::int8_t>(x, tn::axis<-1>)"
#ifdef TENON_CASE_quantize_to_int
  auto r = tn::compile([](auto a) { return tn::quantize<int>(a, tn::axis<1>).values; })(x); // error here
#endif

// case: quantize_by_number
// expected-error: "tenon: quantize: the arguments are not a value and axes, or the size of blocks; write tn::quantize<std::int8_t>(x, tn::axis<-1>) or (x, tn::ct<128>)"
#ifdef TENON_CASE_quantize_by_number
  auto r = tn::compile([](auto a) { return tn::quantize<std::int8_t>(a, 128).values; })(x); // error here
#endif

// case: topk_of_many
// expected-error: "tenon: topk: more than 16 elements take a sort of the axis; include <tenon/sort.hpp>"
#ifdef TENON_CASE_topk_of_many
  auto r = tn::compile([](auto a) { return tn::topk(a, tn::axis<1>, tn::ct<17>).values; })(x); // error here
#endif

// case: topk_of_none
// expected-error: "tenon: topk: the number of elements is below 1; give at least tn::ct<1>"
#ifdef TENON_CASE_topk_of_none
  auto r = tn::compile([](auto a) { return tn::topk(a, tn::axis<1>, tn::ct<0>).values; })(x); // error here
#endif

// case: topk_of_more_than_there_are
// expected-error: "tenon: topk: the axis has fewer elements than are asked for; give its length at most"
#ifdef TENON_CASE_topk_of_more_than_there_are
  auto r = tn::compile([](auto a) { return tn::topk(a, tn::axis<1>, tn::ct<7>).values; })(x); // error here
#endif

// case: topk_by_number
// expected-error: "tenon: topk: the arguments are not a value, one axis and a number; write auto [values, indices] = tn::topk(x, tn::axis<1>, tn::ct<3>)"
#ifdef TENON_CASE_topk_by_number
  auto r = tn::compile([](auto a) { return tn::topk(a, tn::axis<1>, 3).values; })(x); // error here
#endif

// case: norm_of_negative_power
// expected-error: "tenon: norm: the power is negative; give 0 or more, as in tn::norm(x, tn::ct<3>, tn::axis<1>)"
#ifdef TENON_CASE_norm_of_negative_power
  auto n = tn::compile([](auto a) { return tn::norm(a, tn::ct<-1>); })(x); // error here
#endif

// case: norm_by_number
// expected-error: "tenon: norm: the arguments are not a value and a tn::ct; write tn::norm(x, tn::ct<3>, tn::axis<1>)"
#ifdef TENON_CASE_norm_by_number
  auto n = tn::compile([](auto a) { return tn::norm(a, 3); })(x); // error here
#endif
}
