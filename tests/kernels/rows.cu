// SPDX-License-Identifier: Apache-2.0
// Rows that are finished one by one: one phase with a state of several numbers, and two phases.
// registers: 128
// ptx: ld.global.nc.L1::no_allocate.L2::cache_hint.v4.u32
// ptx: st.global.L2::cache_hint.v4.u32

#include "compile_plan.cuh"
#include "tenon/capture/operators.hpp"
#include "tenon/nn/activation.hpp"
#include "tenon/nn/normalization.hpp"
#include "tenon/nn/softmax.hpp"

using namespace tenon;
using matrix = tensor_argument<dtype::f32, dyn, dyn>;
using half_rows = tensor_argument<dtype::bf16, "B", "N">;
using half_weights = tensor_argument<dtype::bf16, "N">;
using weights = tensor_argument<dtype::f32, "N">;

void instantiate() {
  compile_plan<matrix>([](auto x) { return softmax(x, axis<1>); });
  compile_plan<half_rows, half_weights, half_weights>([](auto x, auto weight, auto bias) {
    return gelu(layer_norm(x, weight, bias, axis<-1>)) * 1.2f + 0.1f;
  });
  // A sum beside a state of several numbers.
  compile_plan<half_rows, weights, weights>([](auto x, auto weight, auto bias) {
    auto const values = cast<float>(x);
    auto const scale = tenon::rsqrt(var(values, axis<0>, correction<0>) + 1e-5f);
    return cast<bfloat16>(relu((values - mean(values, axis<0>)) * scale * weight + bias));
  });
}
