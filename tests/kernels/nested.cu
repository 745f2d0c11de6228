// SPDX-License-Identifier: Apache-2.0
// Rows, then one value over all of them, in one launch.
// registers: 128
// ptx: ld.global.nc.L1::no_allocate.v4.u32
// ptx: atom.global.inc.u32

#include "compile_plan.cuh"
#include "tenon/capture/operators.hpp"

using namespace tenon;
using matrix = tensor_argument<dtype::f32, dyn, dyn>;

void instantiate() {
  compile_plan<matrix, matrix>(
      [](auto x, auto y) { return mean(silu(sum(relu((x + y) * 2.0f), axis<1>))); });
}
