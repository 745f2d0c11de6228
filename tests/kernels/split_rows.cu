// SPDX-License-Identifier: Apache-2.0
// Rows in runs of memory at a stride: batch norm, with two states in one sweep; sums, products and
// moments, which pass once.
// registers: 136
// ptx: cp.async.cg.shared.global
// ptx: st.global.L2::cache_hint.v4.u32
// ptx: red.release.gpu.global.add.u32

#include "compile_plan.cuh"
#include "tenon/capture/operators.hpp"

using namespace tenon;
using images = tensor_argument<dtype::f32, dyn, dyn, dyn, dyn>;
using halves = tensor_argument<dtype::bf16, dyn, dyn, dyn, dyn>;

void instantiate() {
  compile_plan<images>([](auto x) {
    constexpr auto along = axis<0, 2, 3>;
    auto centre = mean(x, along, keepdim);
    return outputs((x - centre) * tenon::rsqrt(var(x, along, keepdim) + 1e-5f), mean(x, along));
  });
  compile_plan<images>([](auto x) { return sum(x, axis<0, 2>); });
  compile_plan<halves>(
      [](auto x) { return outputs(mean(x, axis<0, 2, 3>), var(x, axis<0, 2, 3>)); });
  compile_plan<halves, halves>([](auto x, auto y) { return sum(x * y, axis<0, 2, 3>); });
}
