// SPDX-License-Identifier: Apache-2.0
// Scans: one after two phases.
// registers: 128

#include "compile_plan.cuh"
#include "tenon/capture/scan.hpp"
#include "tenon/nn/softmax.hpp"

using namespace tenon;
using matrix = tensor_argument<dtype::f32, dyn, dyn>;

void instantiate() {
  compile_plan<matrix>([](auto x) { return cumsum(softmax(x, axis<1>), axis<1>); });
}
