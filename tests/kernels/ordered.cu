// SPDX-License-Identifier: Apache-2.0
// Scans, and operands that are positions: a scan after two phases, an index reduction, elements at indices.
// registers: 128

// As in a release build: the check of an index prints, and printing takes a stack frame.
#define TENON_CHECK_INDICES 0

#include "compile_plan.cuh"
#include "tenon/capture/arg_reduction.hpp"
#include "tenon/capture/indexing.hpp"
#include "tenon/capture/scan.hpp"
#include "tenon/nn/softmax.hpp"

using namespace tenon;
using matrix = tensor_argument<dtype::f32, dyn, dyn>;
using half_matrix = tensor_argument<dtype::bf16, dyn, dyn>;
using indices = tensor_argument<dtype::i32, dyn>;

void instantiate() {
  compile_plan<matrix>([](auto x) { return cumsum(softmax(x, axis<1>), axis<1>); });
  compile_plan<matrix>([](auto x) { return argmax(x); });
  compile_plan<half_matrix, indices>(
      [](auto table, auto i) { return softmax(embedding(table, i), axis<-1>); });
}
