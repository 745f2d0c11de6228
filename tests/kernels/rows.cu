// SPDX-License-Identifier: Apache-2.0
// Rows that are finished one by one: one phase with a state of several numbers, and two phases.
// registers: 128
// ptx: ld.global.nc.L1::no_allocate.L2::cache_hint.v4.u32
// ptx: st.global.L2::cache_hint.v4.u32

#include "compile_plan.cuh"
#include "tenon/nn/normalization.hpp"
#include "tenon/nn/softmax.hpp"

using namespace tenon;
using matrix = tensor_argument<dtype::f32, dyn, dyn>;
using half_rows = tensor_argument<dtype::bf16, "B", "N">;
using half_weights = tensor_argument<dtype::bf16, "N">;

void instantiate() {
  compile_plan<matrix>([](auto x) { return softmax(x, axis<1>); });
  compile_plan<half_rows, half_weights, half_weights>([](auto x, auto weight, auto bias) {
    return gelu(layer_norm(x, weight, bias, axis<-1>)) * 1.2f + 0.1f;
  });
}
