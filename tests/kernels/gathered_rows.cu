// SPDX-License-Identifier: Apache-2.0
// Rows that indices name: normalised, summed along either axis, and moved by whole vectors.
// registers: 128
// ptx: ld.global.nc.L1::no_allocate.L2::cache_hint.v4.u32
// ptx: st.global.L2::cache_hint.v4.u32

// The text of a wrong index takes a stack, which is not what is looked at here.
#define TENON_CHECK_INDICES 0

#include "compile_plan.cuh"
#include "tenon/capture/indexing.hpp"
#include "tenon/nn/normalization.hpp"
#include "tenon/nn/softmax.hpp"

using namespace tenon;
template <dtype D> using matrix = tensor_argument<D, dyn, dyn>;
template <dtype D> using vector = tensor_argument<D, dyn>;

template <dtype D, dtype I> void instantiate_for() {
  compile_plan<matrix<D>, vector<I>, vector<D>, vector<D>>(
      [](auto t, auto i, auto w, auto b) { return layer_norm(embedding(t, i), w, b); });
  compile_plan<matrix<D>, vector<I>, matrix<D>, vector<D>>(
      [](auto t, auto i, auto p, auto w) { return rms_norm(embedding(t, i) + p, w); });
  compile_plan<matrix<D>, vector<I>>(
      [](auto t, auto i) { return softmax(embedding(t, i), axis<-1>); });
  compile_plan<matrix<D>, vector<I>, matrix<D>>(
      [](auto t, auto i, auto p) { return embedding(t, i) + p; });
  compile_plan<matrix<D>, matrix<I>>([](auto t, auto i) { return sum(embedding(t, i), axis<1>); });
  compile_contiguous_plan<matrix<D>, vector<I>>(
      [](auto t, auto i) { return sum(embedding(t, i), axis<-1>); });
}
void instantiate() {
  instantiate_for<dtype::f32, dtype::i32>();
  instantiate_for<dtype::bf16, dtype::i64>();
}
