// SPDX-License-Identifier: Apache-2.0
// Writing at indices that cannot be.
#include <tenon/tenon.hpp>
namespace tn = tenon;

void use() {
  tn::tensor<float, 4, 6> x, z;
  tn::tensor<float, 2, 6> rows;
  tn::tensor<double, 2, 6> wide;
  tn::tensor<int, 2> index;
  tn::tensor<int, 3> longer;
  tn::tensor<float, 2> fractions;
  tn::tensor<float, 1, 1, 1, 1, 1, 1, 1, 4> many;
  tn::tensor<float> total;
  tn::tensor<int, 2, 2> places;
  tn::tensor<int, 2, tn::dyn> uncounted(2);
  tn::tensor<float, 2> numbers;
  tn::tensor<float, 3> more;

// case: scatter_at_a_fraction
// expected-error: "tenon: scatter: the index is not an integer; cast it, as in tn::cast<int>(index)"
#ifdef TENON_CASE_scatter_at_a_fraction
  z = tn::scatter(x, tn::axis<0>, fractions, rows); // error here
#endif

// case: scatter_of_another_type
// expected-error: "tenon: scatter: the updates have another type than the base; cast them, as in tn::cast<float>(updates)"
#ifdef TENON_CASE_scatter_of_another_type
  z = tn::scatter_add(x, tn::axis<0>, index, wide); // error here
#endif

// case: scatter_of_another_length
// expected-error: "tenon: scatter: the index or the updates do not fit the base; give the index one axis, or one for each of the base's, and the updates as many elements along the axis as the index, along the others as the base"
#ifdef TENON_CASE_scatter_of_another_length
  z = tn::scatter_add(x, tn::axis<0>, longer, rows); // error here
#endif

// case: scatter_along_the_other_axis
// expected-error: "tenon: scatter: the index or the updates do not fit the base; give the index one axis, or one for each of the base's, and the updates as many elements along the axis as the index, along the others as the base"
#ifdef TENON_CASE_scatter_along_the_other_axis
  z = tn::scatter_add(x, tn::axis<1>, index, rows); // error here
#endif

// case: scatter_into_eight_axes
// expected-error: "tenon: scatter: the base has more than 7 axes; reshape it to fewer"
#ifdef TENON_CASE_scatter_into_eight_axes
  many = tn::scatter(many, tn::axis<7>, index, 1.0f); // error here
#endif

// case: scatter_without_axis
// expected-error: "tenon: scatter: the arguments are not a base, one axis, an index and updates; write tn::scatter_add(base, tn::axis<0>, index, updates)"
#ifdef TENON_CASE_scatter_without_axis
  z = tn::scatter(x, index, rows); // error here
#endif

// case: sum_of_a_scatter
// expected-error: "tenon: scatter: its result is reduced, scanned or read at positions, or another scatter stands beside it; store it, and do that in an expression of its own"
#ifdef TENON_CASE_sum_of_a_scatter
  total = tn::sum(tn::scatter_add(x, tn::axis<0>, index, rows)); // error here
#endif

// case: scatter_nd_at_unknown_positions
// expected-error: "tenon: scatter_nd: the last extent of the index is not a build-time number from 1 to the base's rank; give it one, as in tn::reshape(index, tn::shape<-1, 2>)"
#ifdef TENON_CASE_scatter_nd_at_unknown_positions
  z = tn::scatter_nd(x, uncounted, numbers); // error here
#endif

// case: scatter_nd_of_another_length
// expected-error: "tenon: scatter_nd: the updates do not fit; give them the axes of the index but its last, and then those of the base that it does not name"
#ifdef TENON_CASE_scatter_nd_of_another_length
  z = tn::scatter_nd_add(x, places, more); // error here
#endif

// case: scatter_nd_along_an_axis
// expected-error: "tenon: scatter_nd: the arguments are not a base, an index and updates; write tn::scatter_nd(base, index, updates)"
#ifdef TENON_CASE_scatter_nd_along_an_axis
  z = tn::scatter_nd(x, tn::axis<0>, places, numbers); // error here
#endif
}
