// SPDX-License-Identifier: Apache-2.0
// Reductions with positions whose states are many words: the first elements of an order, and of a
// softmax; and several beside each other.
// registers: 255

#include "compile_plan.cuh"
#include "tenon/capture/arg_reduction.hpp"
#include "tenon/capture/topk.hpp"
#include "tenon/nn/softmax.hpp"

using namespace tenon;
using matrix = tensor_argument<dtype::f32, dyn, dyn>;
using half_matrix = tensor_argument<dtype::bf16, dyn, dyn>;

void instantiate() {
  compile_plan<matrix>([](auto x) { return topk(softmax(x, axis<-1>), axis<-1>, ct<8>).values; });
  compile_plan<half_matrix>([](auto x) {
    auto [values, places] = topk(x, axis<-1>, ct<4>);
    return outputs(values, places);
  });
  compile_plan<matrix>([](auto x) {
    return outputs(argmax(x, axis<-1>), argmin(x, axis<-1>), argmax(tenon::abs(x), axis<-1>),
                   argmin(tenon::abs(x), axis<-1>), argmax(tenon::sin(x), axis<-1>));
  });
}
