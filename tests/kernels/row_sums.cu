// SPDX-License-Identifier: Apache-2.0
// One plain sum of each row, which reads and does little else; three of two operands, and a
// variance of their products.
// registers: 128
// ptx: ld.global.nc.L1::no_allocate.v4.u32

#include "compile_plan.cuh"
#include "tenon/capture/functions.hpp"
#include "tenon/nn/loss.hpp"

using namespace tenon;

void instantiate() {
  compile_plan<tensor_argument<dtype::f32, dyn, dyn>>(
      [](auto x) { return tenon::sum(x, axis<1>); });
  compile_plan<tensor_argument<dtype::bf16, dyn, dyn>>(
      [](auto x) { return tenon::sum(x, axis<1>); });
  using matrix = tensor_argument<dtype::f32, "B", "N">;
  using half_matrix = tensor_argument<dtype::bf16, "B", "N">;
  constexpr auto similarity = [](auto x, auto y) { return cosine_similarity(x, y, axis<1>); };
  compile_plan<matrix, matrix>(similarity);
  compile_plan<half_matrix, half_matrix>(similarity);
  compile_plan<half_matrix, half_matrix>([](auto x, auto y) { return var(x * y, axis<1>); });
}
