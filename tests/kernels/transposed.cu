// SPDX-License-Identifier: Apache-2.0
// Square tiles: a transposed operand beside a plain one.
// registers: 96
// ptx: ld.global.nc.L1::no_allocate.v4.u32
// ptx: st.global.cs.v4.u32

#include "compile_plan.cuh"
#include "tenon/capture/movement.hpp"
#include "tenon/capture/operators.hpp"

using namespace tenon;
using matrix = tensor_argument<dtype::f32, dyn, dyn>;
using half_matrix = tensor_argument<dtype::bf16, dyn, dyn>;

void instantiate() {
  compile_plan<matrix, matrix>([](auto x, auto y) { return tenon::tanh(x) + transpose(y); });
  compile_plan<half_matrix, half_matrix>(
      [](auto x, auto y) { return tenon::tanh(x) + transpose(y); });
}
