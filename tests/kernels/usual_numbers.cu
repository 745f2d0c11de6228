// SPDX-License-Identifier: Apache-2.0
// Quotients and logarithms of elements, which are computed as of usual numbers: in rows that pass
// once, pointwise, and below a total.
// registers: 128

#include "compile_plan.cuh"
#include "tenon/tenon.hpp"

using namespace tenon;
template <dtype Type> using matrix_of = tensor_argument<Type, dyn, dyn>;
using matrix = matrix_of<dtype::f32>;
using half_matrix = matrix_of<dtype::bf16>;

constexpr auto divergence = [](auto p, auto q) {
  auto m = (cast<float>(p) + cast<float>(q)) * 0.5f;
  return 0.5f * sum(p * tenon::log(p / m) + q * tenon::log(q / m), axis<1>);
};

void instantiate() {
  compile_plan<matrix, matrix>(divergence);
  compile_plan<half_matrix, half_matrix>(divergence);
  compile_plan<matrix, matrix>([](auto x, auto t) {
    auto s = sigmoid(x);
    auto loss = mean(maximum(x, 0.0f) - x * t + tenon::log1p(tenon::exp(-tenon::abs(x))), axis<1>);
    auto together = sum(s * t, axis<1>), all = sum(s, axis<1>) + sum(t, axis<1>);
    return loss + 1.0f - (2.0f * together + 1.0f) / (all + 1.0f);
  });
  compile_plan<matrix, matrix>([](auto x, auto y) {
    return outputs(x / y, tenon::log(y), tenon::log1p(x), reciprocal(x + y));
  });
  compile_plan<matrix, matrix>([](auto x, auto y) { return mean(x * tenon::log(x / y)); });
}
