// SPDX-License-Identifier: Apache-2.0
// One sweep over all elements, without and with reductions.
// registers: 80
// registers(flat_rows_kernel): 96
// ptx: ld.global.nc.L1::no_allocate.L2::cache_hint.v4.u32
// ptx: st.global.L2::cache_hint.v4.u32

#include "compile_plan.cuh"
#include "tenon/tenon.hpp"

using namespace tenon;
using matrix = tensor_argument<dtype::f32, dyn, dyn>;
using half_matrix = tensor_argument<dtype::bf16, dyn, dyn>;
using half_vector = tensor_argument<dtype::bf16, dyn>;
using vector = tensor_argument<dtype::f32, dyn>;

void instantiate() {
  compile_plan<matrix, matrix>([](auto x, auto y) { return relu((x + y) * 2.0f); });
  compile_plan<half_matrix, half_vector>([](auto x, auto bias) { return x + bias; });
  // What is there more than once is wider than the rest.
  compile_plan<half_matrix, vector, vector>([](auto x, auto scale, auto weight) {
    return cast<bfloat16>(x * unsqueeze(scale, axis<1>) * weight);
  });
  // Neighbouring rows share columns' statistics, and what much is computed of.
  compile_plan<half_matrix, vector, vector>([](auto x, auto mean, auto spread) {
    return cast<bfloat16>((x - mean) * tenon::rsqrt(spread));
  });
  compile_plan<half_matrix, vector, vector>(
      [](auto x, auto weight, auto bias) { return cast<bfloat16>(gelu(x * weight + bias)); });
  compile_plan<half_matrix, half_vector>([](auto x, auto bias) { return gelu(x + bias); });
  compile_plan<matrix, vector>([](auto x, auto bias) { return gelu(x + bias); });
  compile_plan<matrix>([](auto x) { return gelu(x); });
  compile_plan<half_matrix>([](auto x) { return tenon::sin(x) + tenon::cos(x); });
  compile_plan<tensor_argument<dtype::i8, dyn, dyn>, vector>([](auto x, auto scale) {
    return cast<bfloat16>(cast<float>(x) * unsqueeze(scale, axis<1>));
  });
  compile_plan<half_matrix, tensor_argument<dtype::i64, dyn>>([](auto x, auto lengths) {
    return where(iota(x, axis<1>) < unsqueeze(lengths, axis<1>), x, 0);
  });
  compile_plan<matrix, matrix>(
      [](auto x, auto y) { return mean(sum(relu((x + y) * 2.0f), axis<1>)); });
}
