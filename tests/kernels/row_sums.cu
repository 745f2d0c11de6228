// SPDX-License-Identifier: Apache-2.0
// One plain sum of each row, which reads and does little else.
// registers: 128
// ptx: ld.global.nc.L1::no_allocate.v4.u32

#include "compile_plan.cuh"
#include "tenon/capture/functions.hpp"

using namespace tenon;

void instantiate() {
  compile_plan<tensor_argument<dtype::f32, dyn, dyn>>(
      [](auto x) { return tenon::sum(x, axis<1>); });
  compile_plan<tensor_argument<dtype::bf16, dyn, dyn>>(
      [](auto x) { return tenon::sum(x, axis<1>); });
}
