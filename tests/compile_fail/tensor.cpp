// SPDX-License-Identifier: Apache-2.0
// Tensors and views that cannot be.
#include <tenon/tenon.hpp>

#include <complex>

namespace tn = tenon;

void use() {
  tn::tensor<float, tn::dyn, 5> x(4);

// case: element_type
// expected-error: "tenon: tensor: this element type is not supported; use bool, an integer, a float8 or half type, float or double"
#ifdef TENON_CASE_element_type
  tn::tensor<long double, 4> t; // error here
#endif

// case: complex
// expected-error: "tenon: tensor: this element type is not supported"
#ifdef TENON_CASE_complex
  tn::tensor<std::complex<float>, 4> t; // error here
#endif

// case: view_element_type
// expected-error: "tenon: view: this element type is not supported; use bool, an integer, a float8 or half type, float or double"
#ifdef TENON_CASE_view_element_type
  tn::view<long double, 4> v(nullptr); // error here
#endif

// case: constant
// expected-error: "tenon: tensor: a tensor owns what it may write; use a view of T const"
#ifdef TENON_CASE_constant
  tn::tensor<float const, 4> t; // error here
#endif

// case: number_of_extents
// expected-error: "tenon: tensor: wrong number of extents; give those that are tn::dyn or named, in order"
#ifdef TENON_CASE_number_of_extents
  tn::tensor<float, tn::dyn, 5> t(4, 5); // error here
#endif

// case: view_number_of_extents
// expected-error: "tenon: view: wrong number of extents; give those that are tn::dyn or named, in order"
#ifdef TENON_CASE_view_number_of_extents
  tn::view<float, tn::dyn, 5> v(x.data(), 4, 5); // error here
#endif

// case: negative_extent
// expected-error: "tenon: tensor: a build-time extent is negative; use tn::dyn for a run-time extent"
#ifdef TENON_CASE_negative_extent
  tn::tensor<float, -4> t; // error here
#endif

// case: long_name
// expected-error: "tenon: extent: a name has 1 to 15 characters; choose a shorter name"
#ifdef TENON_CASE_long_name
  tn::tensor<float, "number of tokens"> t(4); // error here
#endif

// case: nine_axes
// expected-error: "tenon: tensor: more than 8 axes; merge axes that are always used together"
#ifdef TENON_CASE_nine_axes
  tn::tensor<float, 1, 1, 1, 1, 1, 1, 1, 1, 1> t; // error here
#endif

// case: item
// expected-error: "tenon: item: the tensor has axes; take one element with tn::to_vector or a slice"
#ifdef TENON_CASE_item
  float v = x.item(); // error here
#endif

// case: permuted
// expected-error: "tenon: permuted: the axes are not each axis once; axes are 0 to rank-1"
#ifdef TENON_CASE_permuted
  auto v = x.view().permuted<0>(); // error here
#endif

// case: sliced
// expected-error: "tenon: sliced: axis out of range; axes are -rank to rank-1"
#ifdef TENON_CASE_sliced
  auto v = x.view().sliced<2>(0, 1); // error here
#endif

// case: indexes
// expected-error: "tenon: view: wrong number of indexes; give one for each axis"
#ifdef TENON_CASE_indexes
  tn::cpu::tensor<float, 4, 5> t;
  float v = t(1); // error here
#endif

// case: element_of_cuda_memory
// expected-error: "tenon: view: elements of cuda memory are not reachable from the host; copy with tn::to<tn::cpu>"
#ifdef TENON_CASE_element_of_cuda_memory
  tn::cuda::view<float, 4, 5> v(nullptr);
  float e = v(1, 2); // error here
#endif

// case: copy_to_constant
// expected-error: "tenon: copy: the target is a view of const elements; give a view that may be written"
#ifdef TENON_CASE_copy_to_constant
  tn::copy(tn::view<float const, tn::dyn, 5>(x.data(), 4), x); // error here
#endif

// case: copy_of_other_type
// expected-error: "tenon: copy: target and source have different element types; convert with tn::cast in an expression"
#ifdef TENON_CASE_copy_of_other_type
  tn::tensor<double, tn::dyn, 5> t(4);
  tn::copy(t, x); // error here
#endif

// case: copy_of_other_rank
// expected-error: "tenon: copy: target and source have different ranks; give views of one rank"
#ifdef TENON_CASE_copy_of_other_rank
  tn::tensor<float, 5> t;
  tn::copy(t, x); // error here
#endif
}
