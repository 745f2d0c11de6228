// SPDX-License-Identifier: Apache-2.0
// Rows that lie anywhere, and what is moved element by element: neighbours, steps, halves, reversed
// rows, biases of short rows, borders and concatenations, pairs that are read and written together,
// pairs that are scaled by groups.
// registers: 96
// ptx: ld.global.nc.L2::cache_hint.v4.u32
// ptx: ld.global.nc.L2::cache_hint.u16

#include "compile_plan.cuh"
#include "tenon/capture/concat.hpp"
#include "tenon/capture/operators.hpp"
#include "tenon/capture/padding.hpp"
#include "tenon/capture/repeat.hpp"
#include "tenon/nn/activation.hpp"

using namespace tenon;
using matrix = tensor_argument<dtype::f32, dyn, dyn>;
using half_matrix = tensor_argument<dtype::bf16, dyn, dyn>;
using half_vector = tensor_argument<dtype::bf16, dyn>;
using bytes = tensor_argument<dtype::u8, dyn, dyn>;
using half_images = tensor_argument<dtype::bf16, dyn, dyn, dyn, dyn>;

inline constexpr auto second_difference = [](auto x) {
  return slice(x, axis<1>, range<0, -2>) - 2.0f * slice(x, axis<1>, range<1, -1>) +
         slice(x, axis<1>, range<2, end>);
};

inline constexpr auto unpacked = [](auto x, auto scales, auto zeros) {
  auto const each = [](auto of) { return repeat_interleave(of, axis<1>, ct<64>); };
  auto const w = flatten(stack(x & 15, x >> 4, axis<-1>), axis<1, 2>);
  return (cast<float>(w) - cast<float>(each(zeros))) * cast<float>(each(scales));
};

void instantiate() {
  compile_plan<matrix>(second_difference);
  compile_plan<half_matrix>(second_difference);
  compile_plan<half_matrix>([](auto x) {
    return slice(x, axis<1>, range<0, end, 2>) * gelu(slice(x, axis<1>, range<1, end, 2>));
  });
  compile_plan<half_matrix, matrix>([](auto x, auto y) { return flip(x, axis<1>) * y; });
  compile_plan<half_images, half_vector>(
      [](auto x, auto bias) { return relu(x + unsqueeze(unsqueeze(bias, axis<-1>), axis<-1>)); });
  compile_plan<half_images>([](auto x) {
    return pad(pad(x, axis<2>, widths<1, 1>, 0), axis<3>, widths<1, 1>, 0);
  });
  compile_plan<half_matrix, half_matrix>([](auto x, auto y) {
    return stack(slice(x, axis<1>, range<0, end, 2>) * y, slice(x, axis<1>, range<1, end, 2>) * y,
                 axis<-1>);
  });
  compile_plan<bytes, matrix, bytes>(unpacked);
  compile_plan<bytes, half_matrix, bytes>(
      [](auto x, auto scales, auto zeros) { return cast<bfloat16>(unpacked(x, scales, zeros)); });
  compile_plan<tensor_argument<dtype::f32, dyn, 4>>([](auto x) {
    auto const part = [&](auto range) { return slice(x, axis<1>, range); };
    auto const y = part(range<0, 1>), z = part(range<1, 2>), v = part(range<2, 3>);
    auto const w = part(range<3, 4>);
    return concat(y - v, z - w, y + v, z + w, axis<1>);
  });
  compile_plan<matrix, matrix>(
      [](auto x, auto y) { return relu(concat(flip(x, axis<1>), y, axis<1>)); });
}
