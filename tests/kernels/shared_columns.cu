// SPDX-License-Identifier: Apache-2.0
// Rows beside each other that share operands: weights and softmaxes of scores, masks from lengths,
// with large states, with a total, and results of every element.
// registers: 128
// registers(columns_kernel): 255
// registers(meeting_columns_kernel): 160
// ptx: ld.global.nc.L1::no_allocate.v4.u32

#include "compile_columns.cuh"
#include "tenon/capture/indexing.hpp"
#include "tenon/capture/operators.hpp"
#include "tenon/nn/softmax.hpp"

using namespace tenon;
using matrix = tensor_argument<dtype::f32, dyn, dyn>;
using lengths = tensor_argument<dtype::i32, dyn>;
using tokens = tensor_argument<dtype::f32, dyn, dyn, dyn>;
using double_tokens = tensor_argument<dtype::f64, dyn, dyn, dyn>;
using half_tokens = tensor_argument<dtype::bf16, dyn, dyn, dyn>;

void instantiate() {
  auto const pooled = [](auto scores, auto x) {
    return sum(unsqueeze(softmax(scores, axis<1>), axis<2>) * cast<float>(x), axis<1>);
  };
  compile_columns<matrix, tokens>(pooled);
  compile_columns<matrix, half_tokens>(pooled);
  compile_columns<matrix, double_tokens>([](auto scores, auto x) {
    return sum(unsqueeze(softmax(scores, axis<1>), axis<2>) * x, axis<1>);
  });
  compile_columns<matrix, half_tokens, half_tokens>([](auto w, auto x, auto y) {
    return var(unsqueeze(w, axis<2>) * cast<float>(x) + cast<float>(y), axis<1>);
  });
  compile_columns<lengths, half_tokens>([](auto l, auto x) {
    auto const is_inside = iota(x, axis<1>) < unsqueeze(unsqueeze(l, axis<1>), axis<2>);
    return outputs(sum(where(is_inside, cast<float>(x), 0.0f), axis<1>),
                   tenon::max(where(is_inside, cast<float>(x), -9.0f), axis<1>));
  });
  compile_columns<matrix, half_tokens>([](auto w, auto x) {
    return tenon::max(sum(unsqueeze(w, axis<2>) * cast<float>(x), axis<1>) /
                      sum(w, axis<1>, keepdim));
  });
  compile_columns<matrix, tokens>(
      [](auto scores, auto x) { return unsqueeze(softmax(scores, axis<1>), axis<2>) * x; });
}
