// SPDX-License-Identifier: Apache-2.0
// A normalised row in blocks, each with a scale that is stored once.
// registers: 168
// ptx: ld.global.nc.v4.u32

#include "compile_plan.cuh"
#include "tenon/capture/block_reduction.hpp"
#include "tenon/capture/movement.hpp"
#include "tenon/nn/normalization.hpp"

using namespace tenon;
using matrix = tensor_argument<dtype::bf16, dyn, dyn>;
using vector = tensor_argument<dtype::bf16, dyn>;

void instantiate() {
  compile_plan<matrix, vector>([](auto x, auto w) {
    auto y = cast<float>(cast<bfloat16>(rms_norm(cast<float>(x), w)));
    auto scale = 127.0f / maximum(block_max(tenon::abs(y), axis<-1>, ct<32>), 1e-12f);
    return outputs(cast<bfloat16>(y * scale),
                   slice(1.0f / scale, axis<-1>, range<0, tenon::end, 32>));
  });
}
