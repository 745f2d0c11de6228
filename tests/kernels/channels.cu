// SPDX-License-Identifier: Apache-2.0
// Few channels of pixels, which are read together, as planes, and as one value of a pixel.
// registers: 96
// registers(flat_rows_kernel): 128

#include "compile_plan.cuh"
#include "tenon/tenon.hpp"

using namespace tenon;
template <dtype D, long long Channels>
using images = tensor_argument<D, dyn, dyn, dyn, extent(Channels)>;

template <dtype D, long long Channels> void instantiate_for() {
  compile_plan<images<D, Channels>>([](auto x) { return transpose(x, axis<0, 3, 1, 2>); });
}
void instantiate() {
  instantiate_for<dtype::u8, 3>();
  instantiate_for<dtype::bf16, 2>();
  instantiate_for<dtype::bf16, 3>();
  instantiate_for<dtype::f32, 3>();
  instantiate_for<dtype::f32, 4>();
  compile_plan<images<dtype::u8, 3>, tensor_argument<dtype::f32, 3>>([](auto x, auto mean) {
    auto const planes = cast<float>(transpose(x, axis<0, 3, 1, 2>));
    return cast<bfloat16>(flip(planes, axis<3>) * (1.0f / 255) - reshape(mean, shape<1, 3, 1, 1>));
  });
  compile_plan<images<dtype::u8, 3>>([](auto x) {
    auto const channel = [&](auto at) { return cast<float>(slice(x, axis<3>, at)); };
    return channel(range<0, 1>) * 0.299f + channel(range<1, 2>) * 0.587f +
           channel(range<2, 3>) * 0.114f;
  });
}
