// SPDX-License-Identifier: Apache-2.0
// Rows that are merged of pieces which lie apart, in registers: of heads and of patches, along one
// axis and two, and the gradient, whose results lie apart.
// registers: 144
// registers(grid_kernel): 168
// ptx: ld.global.nc.L1::no_allocate.L2::cache_hint.v4.u32
// ptx: st.global.L2::cache_hint.v4.u32

#include "compile_plan.cuh"
#include "tenon/capture/movement.hpp"
#include "tenon/capture/reshape.hpp"
#include "tenon/grad.hpp"
#include "tenon/nn/normalization.hpp"
#include "tenon/nn/softmax.hpp"

using namespace tenon;
template <dtype D> using image = tensor_argument<D, dyn, dyn, dyn, dyn>;
template <dtype D> using vector = tensor_argument<D, dyn>;

template <class X> constexpr auto heads(X x) {
  return flatten(transpose(x, axis<0, 2, 1, 3>), axis<2, 3>);
}
template <class X> constexpr auto patches(X x) {
  auto const halved = reshape(x, shape<-1, 28, 2, 28, 2, 96>);
  return flatten(transpose(halved, axis<0, 1, 3, 4, 2, 5>), axis<3, 5>);
}

void instantiate() {
  constexpr auto bf16 = dtype::bf16, f32 = dtype::f32;
  compile_plan<image<bf16>, vector<bf16>, vector<bf16>>(
      [](auto x, auto w, auto b) { return layer_norm(heads(x), w, b); });
  compile_plan<image<bf16>, tensor_argument<bf16, dyn, dyn, dyn>, vector<bf16>>(
      [](auto x, auto residual, auto w) { return rms_norm(heads(x) + residual, w); });
  compile_plan<image<bf16>, vector<bf16>, vector<bf16>, image<bf16>>(
      [](auto x, auto w, auto b, auto d) {
        return vjp([](auto x, auto w, auto b) { return layer_norm(patches(x), w, b); }, wrt<0>)(
            x, w, b, d);
      });
  compile_plan<image<f32>, vector<f32>, vector<f32>>(
      [](auto x, auto w, auto b) { return layer_norm(patches(x), w, b); });
  compile_plan<image<f32>>([](auto x) { return softmax(heads(x), axis<-1>); });
}
