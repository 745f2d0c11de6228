// SPDX-License-Identifier: Apache-2.0
// Layer, RMS and group normalisation that cannot be.
#include <tenon/tenon.hpp>
namespace tn = tenon;

void use() {
  tn::tensor<float, 4, 512> x, z;
  tn::tensor<float, 512> weight;
  tn::tensor<float, 256> half_weight;
  tn::tensor<int, 4, 512> counts;

// case: layer_norm_weight
// expected-error: "tenon: layer_norm: the weight or bias does not fit the operand; give both the extents of the normalised axes"
#ifdef TENON_CASE_layer_norm_weight
  auto f = tn::compile([](auto a, auto w) {
    return tn::gelu(tn::layer_norm(a, w, w, tn::axis<-1>)); // error here
  });
  auto r = f(x, half_weight); // error here
#endif

// case: layer_norm_weight_statement
// expected-error: "tenon: layer_norm: the weight or bias does not fit the operand"
#ifdef TENON_CASE_layer_norm_weight_statement
  z = tn::layer_norm(x, weight, half_weight); // error here
#endif

// case: layer_norm_of_integers
// expected-error: "tenon: layer_norm: the operand is not floating-point; cast it first, as in tn::cast<float>(x)"
#ifdef TENON_CASE_layer_norm_of_integers
  z = tn::layer_norm(counts); // error here
#endif

// case: layer_norm_form
// expected-error: "tenon: layer_norm: it has no form for these arguments; write (x), (x, tn::axis<-1>), (x, weight, bias) or (x, weight, bias, tn::axis<-1>), an epsilon last"
#ifdef TENON_CASE_layer_norm_form
  auto f = tn::compile([](auto a) {
    return tn::layer_norm(a, 512); // error here
  });
  auto r = f(x);
#endif

// case: layer_norm_axis
// expected-error: "tenon: axis: an axis is out of range; axes are -rank to rank-1"
#ifdef TENON_CASE_layer_norm_axis
  auto f = tn::compile([](auto a) {
    return tn::layer_norm(a, tn::axis<2>); // error here
  });
  auto r = f(x);
#endif

// case: rms_norm_weight
// expected-error: "tenon: rms_norm: the weight does not fit the operand; give it the extents of the normalised axes"
#ifdef TENON_CASE_rms_norm_weight
  auto f = tn::compile([](auto a, auto w) {
    return tn::rms_norm(a, w); // error here
  });
  auto r = f(x, half_weight);
#endif

// case: rms_norm_of_integers
// expected-error: "tenon: rms_norm: the operand is not floating-point; cast it first, as in tn::cast<float>(x)"
#ifdef TENON_CASE_rms_norm_of_integers
  z = tn::rms_norm(counts); // error here
#endif

// case: rms_norm_form
// expected-error: "tenon: rms_norm: it has no form for these arguments; write (x), (x, tn::axis<-1>), (x, weight) or (x, weight, tn::axis<-1>), an epsilon last"
#ifdef TENON_CASE_rms_norm_form
  z = tn::rms_norm(x, weight, weight); // error here
#endif

// case: group_norm_groups
// expected-error: "tenon: group_norm: the channels are not a multiple of the groups; use a divisor of their number"
#ifdef TENON_CASE_group_norm_groups
  auto normalized = tn::group_norm(tn::tensor<float, 2, 6, 8>(), tn::ct<4>); // error here
#endif
}
