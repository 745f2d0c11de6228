// SPDX-License-Identifier: Apache-2.0
// Results joined from equal pieces of what is computed: rotations by halves with tables that heads
// share, of one type and of two, in either spelling, gradients of halves, and pieces of rows.
// registers: 104
// registers(flat_rows_kernel): 136
// ptx: ld.global.nc.L2::cache_hint.v4.u32

#include "compile_plan.cuh"
#include "tenon/capture/concat.hpp"
#include "tenon/grad.hpp"
#include "tenon/nn/activation.hpp"

using namespace tenon;
using matrix = tensor_argument<dtype::f32, dyn, dyn>;
using vector = tensor_argument<dtype::f32, dyn>;
using bfloat_matrix = tensor_argument<dtype::bf16, dyn, dyn>;
using heads = tensor_argument<dtype::bf16, dyn, dyn, dyn, 128>;
using float_heads = tensor_argument<dtype::f32, dyn, dyn, dyn, 128>;
using whole_table = tensor_argument<dtype::f32, dyn, 128>;

template <class X> constexpr auto first_half(X x) { return slice(x, axis<-1>, range<0, 64>); }
template <class X> constexpr auto second_half(X x) { return slice(x, axis<-1>, range<64, 128>); }

void instantiate() {
  constexpr auto turned = [](auto x, auto cosines, auto sines) {
    auto a = first_half(x), b = second_half(x);
    auto c = unsqueeze(cosines, axis<1>), s = unsqueeze(sines, axis<1>);
    return concat(a * c - b * s, b * c + a * s, axis<3>);
  };
  compile_plan<float_heads, matrix, matrix>(turned);
  compile_plan<heads, bfloat_matrix, bfloat_matrix>(turned);
  compile_plan<heads, matrix, matrix>([](auto x, auto cosines, auto sines) {
    auto a = first_half(x), b = second_half(x);
    auto c = unsqueeze(cosines, axis<1>), s = unsqueeze(sines, axis<1>);
    return cast<bfloat16>(concat(a * c - b * s, b * c + a * s, axis<3>));
  });
  compile_plan<heads, whole_table, whole_table>([](auto x, auto cosines, auto sines) {
    auto c = unsqueeze(cosines, axis<1>), s = unsqueeze(sines, axis<1>);
    return cast<bfloat16>(x * c + concat(-second_half(x), first_half(x), axis<3>) * s);
  });
  compile_plan<tensor_argument<dtype::bf16, dyn, 128>, tensor_argument<dtype::bf16, dyn, 64>>(
      [](auto x, auto d) {
        return vjp([](auto x) { return silu(first_half(x)) * second_half(x); })(x, d);
      });
  compile_plan<vector, vector>([](auto t, auto f) {
    auto angle = unsqueeze(t, axis<1>) * f;
    return concat(tenon::sin(angle), tenon::cos(angle), axis<1>);
  });
  compile_plan<bfloat_matrix, bfloat_matrix, bfloat_matrix>(
      [](auto x, auto y, auto z) { return concat(x * y, y + z, x - z, axis<1>); });
}
