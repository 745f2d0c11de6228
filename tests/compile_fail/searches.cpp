// SPDX-License-Identifier: Apache-2.0
// Searches that cannot be.
#include <tenon/tenon.hpp>
namespace tn = tenon;

void use() {
  tn::tensor<float, 4, 6> x;
  tn::tensor<float, 6> sequence, values;
  tn::tensor<float, 3, 2> others;
  tn::tensor<float> scalar;
  tn::tensor<long long, 6> z;
  tn::tensor<long long, 4, 6> y;

// case: search_with_bool
// expected-error: "tenon: searchsorted: an option is none that searches have; give tn::right or none"
#ifdef TENON_CASE_search_with_bool
  z = tn::searchsorted(sequence, values, true); // error here
#endif

// case: search_of_an_axis
// expected-error: "tenon: searchsorted: the values are neither a value of the expression nor a number; write tn::searchsorted(sequence, values)"
#ifdef TENON_CASE_search_of_an_axis
  z = tn::searchsorted(sequence, tn::axis<0>); // error here
#endif

// case: searched_has_no_axis
// expected-error: "tenon: searchsorted: the sequence has no axis; give it at least one, of which the last is sorted"
#ifdef TENON_CASE_searched_has_no_axis
  z = tn::searchsorted(scalar, values); // error here
#endif

// case: sequences_for_other_rows
// expected-error: "tenon: searchsorted: the sequences do not fit the values; give one of rank 1, or one for each of the values' leading positions"
#ifdef TENON_CASE_sequences_for_other_rows
  y = tn::searchsorted(x, others); // error here
#endif

// case: search_in_a_number
// expected-error: "tenon: searchsorted: the arguments are not a sequence and values; write tn::searchsorted(sequence, values), with tn::right or without"
#ifdef TENON_CASE_search_in_a_number
  z = tn::searchsorted(3, values); // error here
#endif

// case: searched_is_computed
// expected-error: "tenon: searchsorted: the sequence is computed, or seen by position (flip, roll, concat); store it by an expression of its own and pass the result"
#ifdef TENON_CASE_searched_is_computed
  z = tn::searchsorted(tn::cumsum(sequence, tn::axis<0>), values); // error here
#endif

// case: boundaries_for_each_row
// expected-error: "tenon: bucketize: the boundaries are not a value of rank 1; write tn::bucketize(x, boundaries), or tn::searchsorted for a sequence per row"
#ifdef TENON_CASE_boundaries_for_each_row
  y = tn::bucketize(x, x); // error here
#endif
}
