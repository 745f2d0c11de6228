// SPDX-License-Identifier: Apache-2.0
// Labels that a loss cannot take.
#include <tenon/tenon.hpp>
namespace tn = tenon;

void use() {
  tn::tensor<float, 4, 6> x;
  tn::tensor<float> z;
  tn::tensor<int, 4, 1> labels;

// case: labels_of_another_rank
// expected-error: "tenon: cross_entropy: the labels are not integers of the operand's shape without the axis of classes; give one class number for each element, as in [B] for [B, C]"
#ifdef TENON_CASE_labels_of_another_rank
  z = tn::cross_entropy(x, labels); // error here
#endif

// case: no_labels
// expected-error: "tenon: cross_entropy: the arguments are not a value and labels; write tn::cross_entropy(x, labels), with the axis of classes if it is not the second"
#ifdef TENON_CASE_no_labels
  z = tn::cross_entropy(x); // error here
#endif
}
