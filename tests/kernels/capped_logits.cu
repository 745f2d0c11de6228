// SPDX-License-Identifier: Apache-2.0
// A loss of labels and capped logits: much is computed of each element, and one of each row is
// fetched beside.
// registers: 224

// As in a release build: the check of an index prints, and printing takes a stack frame.
#define TENON_CHECK_INDICES 0

#include "compile_plan.cuh"
#include "tenon/nn/activation.hpp"
#include "tenon/nn/label_loss.hpp"

using namespace tenon;
template <dtype Type> using matrix_of = tensor_argument<Type, dyn, dyn>;
using indices = tensor_argument<dtype::i64, dyn>;

constexpr auto capped = [](auto x) { return 30.0f * tenon::tanh(cast<float>(x) * (1.0f / 30)); };

void instantiate() {
  constexpr auto loss = [](auto x, auto labels) { return cross_entropy(capped(x), labels); };
  compile_plan<matrix_of<dtype::bf16>, indices>(loss);
  compile_plan<matrix_of<dtype::f32>, indices>(loss);
  compile_plan<matrix_of<dtype::bf16>>([](auto x) { return logsumexp(capped(x), axis<1>); });
}
