// SPDX-License-Identifier: Apache-2.0
// Values and gradients in one sweep: what derivative rules give is what one would write by hand.
// registers: 128
// registers(sm_80): 142

// The check of an index calls printf, whose arguments lie on the stack.
#define TENON_CHECK_INDICES 0

#include "compile_plan.cuh"
#include "tenon/capture/gradient/product.hpp"
#include "tenon/nn/label_loss.hpp"
#include "tenon/nn/loss.hpp"
#include "tenon/nn/normalization.hpp"
#include "tenon/nn/softmax.hpp"

using namespace tenon;
using matrix = tensor_argument<dtype::f32, dyn, dyn>;
using half_matrix = tensor_argument<dtype::bf16, dyn, dyn>;
using vector = tensor_argument<dtype::f32, dyn>;
using labels = tensor_argument<dtype::i32, dyn>;

constexpr auto mse = [](auto x, auto y) { return mse_loss(x, y); };
constexpr auto entropy = [](auto x, auto t) { return cross_entropy(x, t); };
constexpr auto sum_of_entropy = [](auto x, auto t) { return cross_entropy(x, t, sum) * 0.125; };
constexpr auto probabilities = [](auto x) { return softmax(x, axis<1>); };
constexpr auto normalized = [](auto x, auto w, auto b) { return layer_norm(x, w, b, axis<1>); };

template <class Function, class By = wrt_t<>> constexpr auto value_and_gradient(Function, By = {}) {
  return detail::gradient_body<Function, By, true>{};
}
template <class Function> constexpr auto product(Function) {
  return detail::product_body<Function, wrt_t<>>{};
}

void instantiate() {
  compile_plan<matrix, matrix>(value_and_gradient(mse, wrt<0>));
  compile_plan<matrix, labels>(value_and_gradient(entropy));
  compile_plan<matrix, labels>(value_and_gradient(sum_of_entropy));
  compile_plan<matrix, matrix>(product(probabilities));
  compile_plan<half_matrix, half_matrix>(product(probabilities));
  compile_plan<matrix, vector, vector, matrix>(product(normalized));
}
