// SPDX-License-Identifier: Apache-2.0
// Sorts that cannot be.
#include <tenon/tenon.hpp>
#include <tenon/sort.hpp>
namespace tn = tenon;

void use() {
  tn::tensor<float, 4, 6> x, z;

// case: sort_with_another_option
// expected-error: "tenon: sort: an option is none that sorts have; give tn::descending or none"
#ifdef TENON_CASE_sort_with_another_option
  z = tn::sort(x, tn::axis<1>, tn::reversed); // error here
#endif

// case: sort_without_axis
// expected-error: "tenon: sort: the arguments are not a value and one axis; write tn::sort(x, tn::axis<1>), with tn::descending where it is meant"
#ifdef TENON_CASE_sort_without_axis
  z = tn::sort(x); // error here
#endif

// case: median_without_axis
// expected-error: "tenon: median: the arguments are not a value and one axis; write tn::median(x, tn::axis<1>), with tn::keepdim where it is meant"
#ifdef TENON_CASE_median_without_axis
  z = tn::median(x); // error here
#endif

// case: quantile_without_fraction
// expected-error: "tenon: quantile: the arguments are not a value, a number and one axis; write tn::quantile(x, 0.5, tn::axis<1>), with tn::keepdim where it is meant"
#ifdef TENON_CASE_quantile_without_fraction
  z = tn::quantile(x, tn::axis<1>); // error here
#endif

// case: quantile_of_integers
// expected-error: "tenon: quantile: the operand is not floating-point; cast it first, as in tn::quantile(tn::cast<float>(x), 0.5, tn::axis<1>)"
#ifdef TENON_CASE_quantile_of_integers
  tn::tensor<int, 4, 6> n;
  z = tn::quantile(n, 0.5, tn::axis<1>); // error here
#endif

// case: sorts_along_two_axes
// expected-error: "tenon: compile: the scans are along different axes, or along one axis in both directions, which one kernel cannot do; write one expression per direction"
#ifdef TENON_CASE_sorts_along_two_axes
  z = tn::sort(tn::sort(x, tn::axis<0>), tn::axis<1>); // error here
#endif
}
