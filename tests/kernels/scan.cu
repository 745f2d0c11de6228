// SPDX-License-Identifier: Apache-2.0
// Scans of rows in registers, tile after tile, and by all blocks together; from their ends; of
// several operands; divided by what their row has.
// registers: 128

#include "compile_plan.cuh"
#include "tenon/capture/functions.hpp"
#include "tenon/capture/operators.hpp"
#include "tenon/capture/scan.hpp"

using namespace tenon;
using vector = tensor_argument<dtype::f32, dyn>;
using half_matrix = tensor_argument<dtype::bf16, dyn, dyn>;

void instantiate() {
  compile_plan<vector>([](auto x) { return cumsum(x, axis<0>); });
  compile_plan<half_matrix>([](auto x) { return cumsum(x, axis<1>); });
  compile_plan<half_matrix>([](auto x) { return cumsum(x, axis<1>, reversed); });
  compile_plan<half_matrix, half_matrix>(
      [](auto x, auto y) { return logcumsumexp(x * y, axis<1>); });
  compile_plan<tensor_argument<dtype::f32, dyn, dyn>>(
      [](auto x) { return cumsum(x, axis<1>) / tenon::max(x, axis<1>, keepdim); });
}
