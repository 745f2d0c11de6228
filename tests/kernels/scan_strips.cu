// SPDX-License-Identifier: Apache-2.0
// Scans of rows that are neighbours in memory: of one operand and of several, beside values of each
// row, and one scan after another.
// registers: 128

#include "compile_plan.cuh"
#include "tenon/capture/operators.hpp"
#include "tenon/capture/scan.hpp"

using namespace tenon;
using matrix = tensor_argument<dtype::f32, dyn, dyn>;
using half_matrix = tensor_argument<dtype::bf16, dyn, dyn>;

void instantiate() {
  compile_plan<half_matrix>([](auto x) { return cumsum(x, axis<0>); });
  compile_plan<matrix>([](auto x) { return cumsum(x, axis<0>); });
}
