// SPDX-License-Identifier: Apache-2.0
// Rows of sums of operands of half types, of masked ones, and of what costs much, which sweeps keep
// as numbers.
// registers: 112
// registers(brief_rows_kernel): 144
// registers(meeting_columns_kernel): 128
// ptx: ld.global.nc.L1::no_allocate.L2::cache_hint.v4.u32

#include "compile_plan.cuh"
#include "tenon/nn/activation.hpp"
#include "tenon/nn/normalization.hpp"
#include "tenon/nn/softmax.hpp"

using namespace tenon;
using scores = tensor_argument<dtype::bf16, dyn, dyn, dyn>;
using bias = tensor_argument<dtype::bf16, dyn, dyn>;
using mask = tensor_argument<dtype::boolean, dyn, dyn>;

void instantiate() {
  compile_plan<scores, bias>([](auto x, auto b) { return softmax(x + b, axis<-1>); });
  compile_plan<scores, bias, mask>(
      [](auto x, auto b, auto m) { return softmax(where(m, x + b, -1e9f), axis<-1>); });
  compile_plan<scores, scores>([](auto x, auto y) { return layer_norm(x + y, axis<-1>); });
  compile_plan<scores>([](auto x) { return layer_norm(gelu(x), axis<-1>); });
}
