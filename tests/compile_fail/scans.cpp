// SPDX-License-Identifier: Apache-2.0
// Scans that cannot be.
#include <tenon/tenon.hpp>
namespace tn = tenon;

void use() {
  tn::tensor<float, 4, 6> x, z;
  tn::tensor<float, 4, 3> part;

// case: scan_with_another_option
// expected-error: "tenon: scan: an option is none that scans have; give tn::exclusive or tn::reversed"
#ifdef TENON_CASE_scan_with_another_option
  z = tn::cumsum(x, tn::axis<1>, tn::keepdim); // error here
#endif

// case: scan_without_axis
// expected-error: "tenon: scan: the arguments are not a value and one axis; write tn::cumsum(x, tn::axis<1>), with tn::exclusive or tn::reversed"
#ifdef TENON_CASE_scan_without_axis
  z = tn::cumsum(x); // error here
#endif

// case: scans_along_two_axes
// expected-error: "tenon: compile: the scans are along different axes, or along one axis in both directions, which one kernel cannot do; write one expression per direction"
#ifdef TENON_CASE_scans_along_two_axes
  z = tn::cumsum(tn::cumsum(x, tn::axis<0>), tn::axis<1>); // error here
#endif

// case: scan_in_both_directions
// expected-error: "tenon: compile: the scans are along different axes, or along one axis in both directions, which one kernel cannot do; write one expression per direction"
#ifdef TENON_CASE_scan_in_both_directions
  z = tn::cumsum(x, tn::axis<0>) + tn::cumsum(x, tn::axis<0>, tn::reversed); // error here
#endif

// case: block_of_another_length
// expected-error: "tenon: block: the length is not a power of two from 2 to 128; give one, as in tn::block_max(x, tn::axis<-1>, tn::ct<32>), or reshape and reduce the last axis"
#ifdef TENON_CASE_block_of_another_length
  z = tn::block_max(x, tn::axis<1>, tn::ct<3>); // error here
#endif

// case: block_without_length
// expected-error: "tenon: block: the arguments are not a value, one axis and a length; write tn::block_max(x, tn::axis<-1>, tn::ct<32>)"
#ifdef TENON_CASE_block_without_length
  z = tn::block_sum(x, tn::axis<1>); // error here
#endif

// case: slice_of_a_scan
// expected-error: "tenon: scan: its result is sliced, reshaped or taken from along the scanned axis; do that in an expression of its own, or before the scan"
#ifdef TENON_CASE_slice_of_a_scan
  part = tn::cumsum(tn::slice(tn::cumsum(x, tn::axis<1>), tn::axis<1>, tn::range<1, 4>), tn::axis<1>); // error here
#endif
}
