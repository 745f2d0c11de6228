// SPDX-License-Identifier: Apache-2.0
// One sweep over all elements, without and with reductions.
// registers: 80
// ptx: ld.global.nc.L1::no_allocate.L2::cache_hint.v4.u32
// ptx: st.global.L2::cache_hint.v4.u32

#include "compile_plan.cuh"
#include "tenon/capture/operators.hpp"

using namespace tenon;
using matrix = tensor_argument<dtype::f32, dyn, dyn>;
using half_matrix = tensor_argument<dtype::bf16, dyn, dyn>;
using half_vector = tensor_argument<dtype::bf16, dyn>;

void instantiate() {
  compile_plan<matrix, matrix>([](auto x, auto y) { return relu((x + y) * 2.0f); });
  compile_plan<half_matrix, half_vector>([](auto x, auto bias) { return x + bias; });
  compile_plan<matrix, matrix>(
      [](auto x, auto y) { return mean(sum(relu((x + y) * 2.0f), axis<1>)); });
}
