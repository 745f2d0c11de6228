// SPDX-License-Identifier: Apache-2.0
// Slices of one operand that overlap along an outer axis, with weights that are kept.
// registers: 128
// ptx: ld.global.nc.L2::cache_hint.v4.u32

#include "compile_plan.cuh"
#include "tenon/capture/concat.hpp"

#include "tenon/capture/pattern.hpp"
#include "tenon/nn/activation.hpp"

using namespace tenon;
using weights = tensor_argument<dtype::bf16, 4, dyn>;
using half_batch = tensor_argument<dtype::bf16, dyn, dyn, dyn>;

void instantiate() {
  compile_plan<half_batch, weights>([](auto x, auto w) {
    return silu(slice(x, axis<1>, range<0, -3>) * slice(w, axis<0>, range<0, 1>) +
                slice(x, axis<1>, range<1, -2>) * slice(w, axis<0>, range<1, 2>) +
                slice(x, axis<1>, range<2, -1>) * slice(w, axis<0>, range<2, 3>) +
                slice(x, axis<1>, range<3, end>) * slice(w, axis<0>, range<3, 4>));
  });
}
