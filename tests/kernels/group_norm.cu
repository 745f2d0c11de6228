// SPDX-License-Identifier: Apache-2.0
// Groups of channels, each with a weight that its elements share: rows of two axes.
// registers: 128
// ptx: ld.global.nc.L1::no_allocate.L2::cache_hint.v4.u32
// ptx: st.global.L2::cache_hint.v4.u32

#include "compile_plan.cuh"
#include "tenon/capture/operators.hpp"
#include "tenon/nn/group_norm.hpp"

using namespace tenon;
template <dtype D> using images = tensor_argument<D, dyn, dyn, dyn, dyn>;
template <dtype D> using channels = tensor_argument<D, dyn>;

void instantiate() {
  constexpr auto norm = [](auto x, auto w, auto b) { return silu(group_norm(x, ct<32>, w, b)); };
  compile_plan<images<dtype::f32>, channels<dtype::f32>, channels<dtype::f32>>(norm);
  compile_plan<images<dtype::bf16>, channels<dtype::bf16>, channels<dtype::bf16>>(norm);
}
