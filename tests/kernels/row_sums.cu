// SPDX-License-Identifier: Apache-2.0
// One plain sum of each row, which reads and does little else; three of two operands, a variance of
// their products, and entropies.
// registers: 128
// ptx: ld.global.nc.L1::no_allocate.v4.u32

#include "compile_plan.cuh"
#include "tenon/capture/functions.hpp"
#include "tenon/nn/loss.hpp"
#include "tenon/nn/softmax.hpp"

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
  constexpr auto entropy = [](auto x) {
    auto l = log_softmax(x, axis<1>);
    return -tenon::sum(tenon::exp(l) * l, axis<1>);
  };
  compile_plan<matrix>(entropy);
  compile_plan<half_matrix>(entropy);
}
