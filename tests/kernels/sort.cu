// SPDX-License-Identifier: Apache-2.0
// Sorts: by 4-byte keys between a phase and a scan, and by 8-byte keys.
// registers: 128

#include "compile_plan.cuh"
#include "tenon/capture/scan.hpp"
#include "tenon/nn/softmax.hpp"
#include "tenon/sort.hpp"

using namespace tenon;
using matrix = tensor_argument<dtype::f32, dyn, dyn>;
using double_matrix = tensor_argument<dtype::f64, dyn, dyn>;

void instantiate() {
  compile_plan<matrix>(
      [](auto x) { return cumsum(sort(softmax(x, axis<1>), axis<1>, descending), axis<1>); });
  compile_plan<double_matrix>([](auto x) { return argsort(x, axis<1>); });
}
