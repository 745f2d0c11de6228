// SPDX-License-Identifier: Apache-2.0
// Rows whose results are scaled and shifted by operands of a batch, which no reduction needs.
// registers: 141
// ptx: ld.global.nc.L1::no_allocate.L2::cache_hint.v4.u32
// ptx: st.global.L2::cache_hint.v4.u32

#include "compile_plan.cuh"
#include "tenon/capture/movement.hpp"
#include "tenon/capture/operators.hpp"
#include "tenon/nn/activation.hpp"
#include "tenon/nn/normalization.hpp"

using namespace tenon;
template <dtype D> using rows = tensor_argument<D, dyn, dyn, dyn>;
template <dtype D> using batch = tensor_argument<D, dyn, dyn>;

void instantiate() {
  constexpr auto modulated = [](auto x, auto scale, auto shift) {
    auto const norm = layer_norm(cast<float>(x), axis<2>);
    return cast<bfloat16>(norm * (1 + unsqueeze(scale, axis<1>)) + unsqueeze(shift, axis<1>));
  };
  compile_plan<rows<dtype::bf16>, batch<dtype::bf16>, batch<dtype::bf16>>(modulated);
  constexpr auto gated = [](auto x, auto y, auto gate, auto scale) {
    auto const norm = rms_norm(y, axis<2>) * (1 + unsqueeze(scale, axis<1>));
    return x + unsqueeze(gate, axis<1>) * silu(norm);
  };
  compile_plan<rows<dtype::f32>, rows<dtype::f32>, batch<dtype::f32>, batch<dtype::f32>>(gated);
  compile_plan<rows<dtype::bf16>, rows<dtype::bf16>, batch<dtype::bf16>, batch<dtype::bf16>>(gated);
}
