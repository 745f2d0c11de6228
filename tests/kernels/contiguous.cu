// SPDX-License-Identifier: Apache-2.0
// Calls whose types say that every row lies in one piece: flat, in registers, read once, in memory.
// registers: 144

#include "compile_plan.cuh"
#include "tenon/nn/normalization.hpp"
#include "tenon/nn/softmax.hpp"

using namespace tenon;
using matrix = tensor_argument<dtype::f32, dyn, dyn>;
using half_rows = tensor_argument<dtype::bf16, "B", "N">;
using half_weights = tensor_argument<dtype::bf16, "N">;

void instantiate() {
  compile_contiguous_plan<matrix>([](auto x) { return softmax(x, axis<1>); });
  compile_contiguous_plan<half_rows, half_weights>(
      [](auto x, auto weight) { return rms_norm(x, weight, axis<-1>); });
  compile_contiguous_plan<matrix>([](auto x) { return sum(x * x, axis<1>); });
  compile_contiguous_plan<matrix, matrix>([](auto x, auto y) { return mean(relu(x + y)); });
}
