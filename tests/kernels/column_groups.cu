// SPDX-License-Identifier: Apache-2.0
// Groups of neighbouring columns: group norm where the channels are the last axis, by hand and by
// moments, of f32 and bf16; a mean beside the elements; sums alone.
// registers: 128
// registers(grid_kernel): 184
// ptx: cp.async.cg.shared.global
// ptx: st.global.L2::cache_hint.v4.u32

#include "compile_plan.cuh"
#include "tenon/capture/operators.hpp"

using namespace tenon;
template <dtype D> using grouped = tensor_argument<D, dyn, dyn, dyn, dyn>;
template <dtype D> using channels = tensor_argument<D, dyn, dyn>;

void instantiate() {
  compile_plan<grouped<dtype::bf16>, channels<dtype::bf16>, channels<dtype::bf16>>(
      [](auto x, auto w, auto b) {
        auto values = cast<float>(x);
        auto centre = mean(values, axis<1, 3>, keepdim);
        auto variance = var(values, axis<1, 3>, correction<0>, keepdim);
        return cast<bfloat16>(silu((values - centre) * tenon::rsqrt(variance + 1e-5f) * w + b));
      });
  compile_plan<grouped<dtype::f32>, channels<dtype::f32>, channels<dtype::f32>>(
      [](auto x, auto w, auto b) {
        auto d = x - mean(x, axis<1, 3>, keepdim);
        return silu(d * tenon::rsqrt(mean(d * d, axis<1, 3>, keepdim) + 1e-5f) * w + b);
      });
  compile_plan<grouped<dtype::f32>>([](auto x) {
    auto centre = mean(x, axis<1, 3>, keepdim);
    return (x - centre) * tenon::rsqrt(var(x, axis<1, 3>, keepdim) + 1e-5f);
  });
  compile_plan<grouped<dtype::f32>>([](auto x) {
    auto centre = mean(x, axis<1, 3>, keepdim);
    return outputs(x - centre, centre);
  });
  compile_plan<grouped<dtype::bf16>>([](auto x) { return sum(x, axis<1, 3>); });
}
