// SPDX-License-Identifier: Apache-2.0
// Views that cannot be.
#include <tenon/tenon.hpp>
namespace tn = tenon;

void use() {
  tn::tensor<float, 4, 6> x, z;
  tn::tensor<float, 1, 1, 1, 1, 1, 1, 1, 4> eight;

// case: transpose_is_incomplete
// expected-error: "tenon: transpose: the order does not name every axis; name each axis once"
#ifdef TENON_CASE_transpose_is_incomplete
  auto f = tn::compile([](auto a) {
    return tn::transpose(a, tn::axis<1>); // error here
  });
  auto r = f(x);
#endif

// case: transpose_names_an_axis_twice
// expected-error: "tenon: axis: an axis is named twice; name each axis once"
#ifdef TENON_CASE_transpose_names_an_axis_twice
  z = tn::transpose(x, tn::axis<1, 1>); // error here
#endif

// case: transpose_by_numbers
// expected-error: "tenon: transpose: the arguments are not a value and an order; write tn::transpose(x) or tn::transpose(x, tn::axis<1, 0>)"
#ifdef TENON_CASE_transpose_by_numbers
  z = tn::transpose(x, 1, 0); // error here
#endif

// case: slice_step
// expected-error: "tenon: slice: the step is zero; use a positive or negative step"
#ifdef TENON_CASE_slice_step
  auto f = tn::compile([](auto a) {
    return tn::slice(a, tn::axis<0>, tn::range<0, 4, 0>); // error here
  });
  auto r = f(x);
#endif

// case: slice_axis
// expected-error: "tenon: axis: an axis is out of range; axes are -rank to rank-1"
#ifdef TENON_CASE_slice_axis
  z = tn::slice(x, tn::axis<2>, tn::range<0, 4>); // error here
#endif

// case: slice_by_numbers
// expected-error: "tenon: slice: the arguments are not a value, one axis and a range; write tn::slice(x, tn::axis<0>, tn::range<0, 4>)"
#ifdef TENON_CASE_slice_by_numbers
  auto f = tn::compile([](auto a) {
    return tn::slice(a, 0, 0, 4); // error here
  });
  auto r = f(x);
#endif

// case: reshape_count
// expected-error: "tenon: reshape: the number of elements differs; choose extents with the operand's number of elements"
#ifdef TENON_CASE_reshape_count
  auto f = tn::compile([](auto a) {
    return tn::reshape(a, tn::shape<5, 5>); // error here
  });
  auto r = f(x);
#endif

// case: reshape_count_statement
// expected-error: "tenon: reshape: the number of elements differs"
#ifdef TENON_CASE_reshape_count_statement
  z = tn::reshape(x, tn::shape<5, -1>); // error here
#endif

// case: reshape_two_inferred
// expected-error: "tenon: reshape: the shape has a negative extent, more than one -1 or more than 8 axes; give at most 8 extents, at most one of them -1"
#ifdef TENON_CASE_reshape_two_inferred
  z = tn::reshape(x, tn::shape<-1, -1>); // error here
#endif

// case: reshape_nine_axes
// expected-error: "tenon: reshape: the shape has a negative extent, more than one -1 or more than 8 axes"
#ifdef TENON_CASE_reshape_nine_axes
  z = tn::reshape(x, tn::shape<1, 1, 1, 1, 1, 1, 1, 4, 6>); // error here
#endif

// case: reshape_by_numbers
// expected-error: "tenon: reshape: the arguments are not a value and a shape; write tn::reshape(x, tn::shape<4, -1>)"
#ifdef TENON_CASE_reshape_by_numbers
  z = tn::reshape(x, 6, 4); // error here
#endif

// case: flatten_order
// expected-error: "tenon: flatten: the first axis comes after the last; write tn::axis<first, last>"
#ifdef TENON_CASE_flatten_order
  auto flat = tn::flatten(x, tn::axis<1, 0>); // error here
#endif

// case: flatten_by_numbers
// expected-error: "tenon: flatten: the arguments are not a value and two axes; write tn::flatten(x) or tn::flatten(x, tn::axis<0, 1>)"
#ifdef TENON_CASE_flatten_by_numbers
  auto flat = tn::flatten(x, 0, 1); // error here
#endif

// case: squeeze_of_a_long_axis
// expected-error: "tenon: squeeze: an axis has an extent other than build-time 1; squeeze axes of extent 1"
#ifdef TENON_CASE_squeeze_of_a_long_axis
  auto f = tn::compile([](auto a) {
    return tn::squeeze(a, tn::axis<0>); // error here
  });
  auto r = f(x);
#endif

// case: squeeze_by_number
// expected-error: "tenon: squeeze: the arguments are not a value and axes; write tn::squeeze(x, tn::axis<0>)"
#ifdef TENON_CASE_squeeze_by_number
  auto s = tn::squeeze(eight, 0); // error here
#endif

// case: unsqueeze_axis
// expected-error: "tenon: axis: an axis is out of range; axes are -rank to rank-1"
#ifdef TENON_CASE_unsqueeze_axis
  auto u = tn::unsqueeze(x, tn::axis<3>); // error here
#endif

// case: unsqueeze_nine_axes
// expected-error: "tenon: unsqueeze: the result has more than 8 axes; merge axes first"
#ifdef TENON_CASE_unsqueeze_nine_axes
  auto f = tn::compile([](auto a) {
    return tn::unsqueeze(a, tn::axis<0>); // error here
  });
  auto r = f(eight);
#endif

// case: unsqueeze_by_number
// expected-error: "tenon: unsqueeze: the arguments are not a value and one axis; write tn::unsqueeze(x, tn::axis<0>)"
#ifdef TENON_CASE_unsqueeze_by_number
  auto u = tn::unsqueeze(x, 0); // error here
#endif

// case: broadcast_to_shape
// expected-error: "tenon: broadcast_to: the operand does not broadcast to the shape; give each axis the length of the operand's, or -1; only build-time 1 is repeated, to at most 8 axes"
#ifdef TENON_CASE_broadcast_to_shape
  auto f = tn::compile([](auto a) {
    return tn::broadcast_to(a, tn::shape<3, 5, 6>); // error here
  });
  auto r = f(x);
#endif

// case: broadcast_to_numbers
// expected-error: "tenon: broadcast_to: the arguments are not a value and a shape; write tn::broadcast_to(x, tn::shape<4, -1>)"
#ifdef TENON_CASE_broadcast_to_numbers
  auto b = tn::broadcast_to(x, 4, 6); // error here
#endif
}
