// SPDX-License-Identifier: Apache-2.0
// Rows whose kernels are bound to few registers, by length: one operand and two, of two, four and
// eight bytes.
// registers: 160
// ptx: cp.async.cg.shared.global.L2::128B

#include "compile_plan.cuh"
#include "tenon/nn/normalization.hpp"
#include "tenon/nn/softmax.hpp"

using namespace tenon;
template <dtype Type> using matrix_of = tensor_argument<Type, dyn, dyn>;

void instantiate() {
  compile_plan<matrix_of<dtype::bf16>>([](auto x) { return softmax(x, axis<1>); });
  compile_plan<matrix_of<dtype::f64>>([](auto x) { return softmax(x, axis<1>); });
  compile_plan<matrix_of<dtype::f32>, tensor_argument<dtype::f32, dyn>>(
      [](auto x, auto weight) { return rms_norm(x, weight, axis<1>); });
  compile_plan<matrix_of<dtype::f32>, matrix_of<dtype::f32>>([](auto y, auto gradient) {
    return y * (gradient - sum(gradient * y, axis<1>, keepdim));
  });
}
