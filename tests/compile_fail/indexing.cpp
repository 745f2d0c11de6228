// SPDX-License-Identifier: Apache-2.0
// Indices that cannot be.
#include <tenon/tenon.hpp>
namespace tn = tenon;

void use() {
  tn::tensor<float, 4, 6> x, z;
  tn::tensor<int, 4, 2> index;
  tn::tensor<int, 3, 2> shorter;
  tn::tensor<int, 4> labels;
  tn::tensor<int, 5, tn::dyn> positions(2);
  tn::tensor<int, 1, 1, 1, 1, 1, 1, 1, 4> eight;

// case: index_is_floating
// expected-error: "tenon: take: the index is not an integer; cast it, as in tn::cast<int>(index)"
#ifdef TENON_CASE_index_is_floating
  z = tn::take(x, x, tn::axis<0>); // error here
#endif

// case: taken_result_has_nine_axes
// expected-error: "tenon: take: the result has more than 8 axes; reshape to fewer first"
#ifdef TENON_CASE_taken_result_has_nine_axes
  z = tn::take(x, eight, tn::axis<0>); // error here
#endif

// case: take_without_axis
// expected-error: "tenon: take: the arguments are not a value, an index and one axis; write tn::take(x, index, tn::axis<0>)"
#ifdef TENON_CASE_take_without_axis
  z = tn::take(x, index); // error here
#endif

// case: index_of_another_rank
// expected-error: "tenon: take_along_axis: the index has another rank than the operand; give it one axis for each of the operand's, of build-time extent 1 where it repeats"
#ifdef TENON_CASE_index_of_another_rank
  z = tn::take_along_axis(x, labels, tn::axis<1>); // error here
#endif

// case: index_of_other_extents
// expected-error: "tenon: take_along_axis: the extents of the operand and the index differ along another axis; give both one length or one name, or build-time 1 to repeat"
#ifdef TENON_CASE_index_of_other_extents
  z = tn::take_along_axis(x, shorter, tn::axis<1>); // error here
#endif

// case: take_along_axis_by_number
// expected-error: "tenon: take_along_axis: the arguments are not a value, an index and one axis; write tn::take_along_axis(x, index, tn::axis<1>)"
#ifdef TENON_CASE_take_along_axis_by_number
  z = tn::take_along_axis(x, index, 1); // error here
#endif

// case: positions_of_unknown_length
// expected-error: "tenon: gather_nd: the last extent of the index is not a build-time number from 1 to 8 within the operand's rank; give it one, as in tn::reshape(index, tn::shape<-1, 2>)"
#ifdef TENON_CASE_positions_of_unknown_length
  z = tn::gather_nd(x, positions); // error here
#endif

// case: gather_nd_with_axis
// expected-error: "tenon: gather_nd: the arguments are not a value and an index; write tn::gather_nd(x, index)"
#ifdef TENON_CASE_gather_nd_with_axis
  z = tn::gather_nd(x, index, tn::axis<0>); // error here
#endif

// case: iota_of_a_number
// expected-error: "tenon: iota: the arguments are not a value and one axis; write tn::iota(x, tn::axis<0>)"
#ifdef TENON_CASE_iota_of_a_number
  z = tn::iota(x, 0); // error here
#endif
}
