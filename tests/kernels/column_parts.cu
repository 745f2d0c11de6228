// SPDX-License-Identifier: Apache-2.0
// Rows of which neighbouring columns are stored, by the kernels for any layout; with random numbers,
// of which four elements share a call of Philox, beside one in a loop for those whose positions do
// not follow each other.
// registers: 128
// ptx-most(3528531795): 40

#include "compile_plan.cuh"
#include "tenon/capture/movement.hpp"
#include "tenon/capture/random.hpp"
#include "tenon/nn/softmax.hpp"

using namespace tenon;
using matrix = tensor_argument<dtype::f32, dyn, dyn>;
using half_matrix = tensor_argument<dtype::bf16, dyn, dyn>;

void instantiate() {
  compile_plan<matrix>([](auto x) {
    return slice(dropout(softmax(x, axis<1>), 0.1f, 17), axis<1>, range<1, end>);
  });
  compile_plan<half_matrix>(
      [](auto x) { return slice(softmax(x, axis<1>), axis<1>, range<0, -1>); });
}
