// SPDX-License-Identifier: Apache-2.0
// What planes of rows come to goes back to their rows and elements: rows that are neighbours in
// memory, by blocks of which those of a plane meet, and any others.
// registers: 168
// registers(meeting_columns_kernel): 160
// ptx: cp.async.cg.shared.global
// ptx: red.release.gpu.global.add.u32

#include "compile_plan.cuh"
#include "tenon/capture/operators.hpp"
#include "tenon/nn/softmax.hpp"

namespace tn = tenon;
using cube = tn::tensor_argument<tn::dtype::f32, tn::dyn, tn::dyn, tn::dyn>;
using half_cube = tn::tensor_argument<tn::dtype::bf16, tn::dyn, tn::dyn, tn::dyn>;
using weights = tn::tensor_argument<tn::dtype::f32, tn::dyn>;
using half_weights = tn::tensor_argument<tn::dtype::bf16, tn::dyn>;

void instantiate() {
  auto const response_normalised = [](auto x, auto gamma, auto beta) {
    auto g = tn::sqrt(tn::sum(x * x, tn::axis<1>, tn::keepdim));
    auto n = g / (tn::mean(g, tn::axis<2>, tn::keepdim) + 1e-6f);
    return gamma * (x * n) + beta + x;
  };
  tn::compile_plan<cube, weights, weights>(response_normalised);
  tn::compile_plan<half_cube, half_weights, half_weights>(response_normalised);
  tn::compile_plan<cube>([](auto x) {
    auto m = tn::mean(tn::mean(x, tn::axis<1>, tn::keepdim), tn::axis<2>, tn::keepdim);
    auto d = tn::var(x - m, tn::axis<1>, tn::keepdim);
    return (x - m) / (tn::mean(d, tn::axis<2>, tn::keepdim) + d);
  });
  tn::compile_plan<half_cube>([](auto x) {
    auto g = tn::max(x, tn::axis<1>, tn::keepdim);
    return g - tn::mean(g, tn::axis<2>, tn::keepdim);
  });
}
