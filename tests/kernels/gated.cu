// SPDX-License-Identifier: Apache-2.0
// Rows of a half type gated by others, to fp8 with a scale for each: the product is kept from the
// sweep that finds the scale to the one that stores.
// registers: 128

#include "compile_plan.cuh"
#include "tenon/capture/functions.hpp"
#include "tenon/capture/operators.hpp"
#include "tenon/nn/normalization.hpp"
#include "tenon/nn/quantize.hpp"

using namespace tenon;
using matrix = tensor_argument<dtype::bf16, dyn, dyn>;

void instantiate() {
  compile_plan<matrix, matrix>([](auto x, auto y) {
    auto [values, scales] = quantize<float8_e4m3>(silu(cast<float>(x)) * cast<float>(y), axis<-1>);
    return outputs(values, scales);
  });
  compile_plan<matrix, matrix>([](auto x, auto y) { return rms_norm(x * silu(y), axis<-1>); });
}
