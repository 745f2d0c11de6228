// SPDX-License-Identifier: Apache-2.0
// Rows of vectors that are fetched by position: of operands behind one another, rolled and padded.
// registers: 128
// ptx: ld.global.nc.L2::cache_hint.v4.u32

#include "compile_plan.cuh"
#include "tenon/capture/concat.hpp"
#include "tenon/capture/padding.hpp"
#include "tenon/capture/repeat.hpp"
#include "tenon/nn/normalization.hpp"
#include "tenon/nn/softmax.hpp"

using namespace tenon;
using f32_matrix = tensor_argument<dtype::f32, dyn, dyn>;
using f32_vector = tensor_argument<dtype::f32, dyn>;
using bf16_matrix = tensor_argument<dtype::bf16, dyn, dyn>;
using bf16_vector = tensor_argument<dtype::bf16, dyn>;

void instantiate() {
  constexpr auto normalized = [](auto a, auto b, auto weight, auto bias) {
    return layer_norm(concat(a, b, axis<1>), weight, bias);
  };
  compile_plan<f32_matrix, f32_matrix, f32_vector, f32_vector>(normalized);
  compile_plan<bf16_matrix, bf16_matrix, bf16_vector, bf16_vector>(normalized);
  compile_plan<bf16_matrix, bf16_vector>(
      [](auto x, auto weight) { return rms_norm(roll(x, axis<1>, ct<16>) + x, weight); });
  compile_plan<bf16_matrix, bf16_matrix>(
      [](auto x, auto y) { return softmax(pad(x, axis<1>, widths<16, 8>, -1) + y, axis<1>); });
}
