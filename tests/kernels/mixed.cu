// SPDX-License-Identifier: Apache-2.0
// Values per row and per column in one sweep.
// registers: 128
// ptx: cp.async.cg.shared.global

#include "compile_plan.cuh"
#include "tenon/capture/movement.hpp"
#include "tenon/capture/operators.hpp"
#include "tenon/capture/pattern.hpp"
#include "tenon/nn/norms.hpp"
#include "tenon/nn/softmax.hpp"

using namespace tenon;
using matrix = tensor_argument<dtype::f32, dyn, dyn>;
using half_matrix = tensor_argument<dtype::bf16, dyn, dyn>;
using byte_matrix = tensor_argument<dtype::i8, dyn, dyn>;
using vector = tensor_argument<dtype::f32, dyn>;
using half_vector = tensor_argument<dtype::bf16, dyn>;

// In two sweeps before that of the stores, or in one, where it is seen that the mean comes with the
// variance.
template <bool IsOneSweep>
constexpr auto layer_norm_backward = [](auto x, auto w, auto dy) {
  auto [variance, centre] = var_mean(x, axis<1>, keepdim, correction<0>);
  auto scale = tenon::rsqrt(variance + 1e-5f);
  auto normal = [&] {
    if constexpr (IsOneSweep)
      return (x - centre) * scale;
    else
      return (x - mean(x, axis<1>, keepdim)) * scale;
  }();
  auto h = dy * w;
  auto dx = (h - mean(h, axis<1>, keepdim) - normal * mean(h * normal, axis<1>, keepdim)) * scale;
  return outputs(dx, sum(dy * normal, axis<0>), sum(dy, axis<0>));
};

void instantiate() {
  compile_plan<matrix>([](auto x) { return outputs(sum(x, axis<0>), sum(x, axis<1>)); });
  compile_plan<matrix>([](auto x) {
    return outputs(tenon::max(x, axis<0>), tenon::max(x, axis<1>), tenon::max(x));
  });
  compile_plan<half_matrix>([](auto x) { return outputs(sum(x, axis<0>), sum(x, axis<1>)); });
  compile_plan<matrix, vector, vector>([](auto x, auto w, auto s) {
    auto y = x * w * unsqueeze(s, axis<1>);
    return outputs(sum(y * y, axis<0>), var(y, axis<1>));
  });
  compile_plan<byte_matrix>([](auto x) { return outputs(sum(x, axis<0>), sum(x, axis<1>)); });
  compile_plan<half_matrix>([](auto x) { return sum(softmax(x, axis<1>), axis<0>); });
  compile_plan<matrix, vector, matrix>(layer_norm_backward<false>);
  compile_plan<matrix, vector, matrix>(layer_norm_backward<true>);
  compile_plan<half_matrix, half_vector, half_matrix>(layer_norm_backward<false>);
  compile_plan<half_matrix, half_vector, half_matrix>(layer_norm_backward<true>);
  // Values of columns that come to one number, over rows that do, too.
  compile_plan<matrix>([](auto x) {
    return mean(logsumexp(x, axis<1>)) + mean(logsumexp(x, axis<0>)) -
           mean(diagonal(x, axis<0, 1>));
  });
  compile_plan<matrix>([](auto x) { return sum(square(mean(softmax(x, axis<1>), axis<0>))); });
}
