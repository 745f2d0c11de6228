// SPDX-License-Identifier: Apache-2.0
// Positions in rows: an index reduction, a loss of integer labels, elements at indices, a mask by position; and in a sweep of everything.
// registers: 128
// ptx: ld.global.nc.L1::no_allocate.L2::cache_hint.v4.u32

// As in a release build: the check of an index prints, and printing takes a stack frame.
#define TENON_CHECK_INDICES 0

#include "compile_plan.cuh"
#include "tenon/capture/arg_reduction.hpp"
#include "tenon/capture/indexing.hpp"
#include "tenon/nn/label_loss.hpp"
#include "tenon/nn/softmax.hpp"

using namespace tenon;
using matrix = tensor_argument<dtype::f32, dyn, dyn>;
using half_matrix = tensor_argument<dtype::bf16, dyn, dyn>;
using indices = tensor_argument<dtype::i64, dyn>;

void instantiate() {
  compile_plan<matrix>([](auto x) { return argmax(x, axis<1>); });
  compile_plan<half_matrix>([](auto x) { return argmax(x, axis<1>); });
  compile_plan<matrix>([](auto x) { return argmax(x); });
  compile_plan<half_matrix, indices>(
      [](auto x, auto labels) { return cross_entropy(cast<float>(x), labels); });
  compile_plan<half_matrix, indices>(
      [](auto table, auto i) { return softmax(embedding(table, i), axis<-1>); });
  constexpr auto before = [](auto x) {
    return softmax(where(iota(x, axis<1>) <= iota(x, axis<0>), x, -1e30f), axis<1>);
  };
  compile_plan<matrix>(before);
  compile_plan<half_matrix>(before);
}
