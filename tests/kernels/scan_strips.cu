// SPDX-License-Identifier: Apache-2.0
// Scans of rows that are neighbours in memory: of one operand and of several, beside values of rows
// and of positions, and one scan behind another. The launch bounds hold the strips to 96; the kernels of
// rows of any layout that are compiled beside them have the budget of scan.cu.
// registers: 128
// ptx: cp.async.cg.shared.global.L2::128B

#include "compile_plan.cuh"
#include "tenon/capture/operators.hpp"
#include "tenon/capture/scan.hpp"

using namespace tenon;
using matrix = tensor_argument<dtype::f32, dyn, dyn>;
using half_matrix = tensor_argument<dtype::bf16, dyn, dyn>;
using vector = tensor_argument<dtype::f32, dyn>;

void instantiate() {
  compile_plan<half_matrix>([](auto x) { return cumsum(x, axis<0>); });
  compile_plan<half_matrix>([](auto x) { return cummax(x, axis<0>); });
  compile_plan<half_matrix, half_matrix>(
      [](auto x, auto y) { return logcumsumexp(x * y, axis<0>); });
  compile_plan<matrix, vector>(
      [](auto x, auto w) { return tenon::exp(cumsum(tenon::log(x) * w, axis<0>)); });
  compile_plan<matrix>([](auto x) { return cumsum(cumsum(x, axis<0>) * x, axis<0>); });
  compile_plan<matrix>([](auto x) {
    auto [values, indices] = cummax_with_index(x, axis<0>);
    return outputs(values, indices);
  });
}
