// SPDX-License-Identifier: Apache-2.0
// Nothing is reduced; one output has a value for each row: two halves of an attention become one.
// registers: 128
// ptx: ld.global.nc.L1::no_allocate.L2::cache_hint.v4.u32

#include "compile_plan.cuh"
#include "tenon/capture/operators.hpp"
#include "tenon/capture/reshape.hpp"

using namespace tenon;
using heads = tensor_argument<dtype::bf16, dyn, dyn, dyn>;
using sums = tensor_argument<dtype::f32, dyn, dyn>;

void instantiate() {
  compile_plan<heads, sums, heads, sums>([](auto x, auto x_sum, auto y, auto y_sum) {
    auto sum = tenon::logaddexp(x_sum, y_sum);
    auto share = [&](auto of) { return unsqueeze(tenon::exp(of - sum), axis<2>); };
    return outputs(cast<bfloat16>(x * share(x_sum) + y * share(y_sum)), sum);
  });
}
