// SPDX-License-Identifier: Apache-2.0
// Updates at indices of one axis and of all, added and assigned; parts and blocks of rows.
// registers: 128
// ptx: ld.global.nc.v4.u32
// ptx: st.global.L2::cache_hint.v4.u32

// As in a release build: the check of an index prints, and printing takes a stack frame.
#define TENON_CHECK_INDICES 0

#include "compile_plan.cuh"
#include "tenon/capture/block_reduction.hpp"
#include "tenon/capture/scatter.hpp"
#include "tenon/grad.hpp"
#include "tenon/nn/scatter_mean.hpp"
#include "tenon/nn/softmax.hpp"
#include "tenon/tenon.hpp"

// Not the whole namespace: its functions are named as CUDA's.
namespace tn = tenon;
using matrix = tn::tensor_argument<tn::dtype::f32, tn::dyn, tn::dyn>;
using half_matrix = tn::tensor_argument<tn::dtype::bf16, tn::dyn, tn::dyn>;
using indices = tn::tensor_argument<tn::dtype::i32, tn::dyn>;
using all_indices = tn::tensor_argument<tn::dtype::i64, tn::dyn, tn::dyn>;

void instantiate() {
  tn::compile_plan<matrix, indices, matrix>([](auto b, auto i, auto u) {
    return tn::exp(tn::scatter_add(b, tn::axis<0>, i, tn::relu(u)));
  });
  tn::compile_plan<half_matrix, indices, half_matrix>(
      [](auto b, auto i, auto u) { return tn::scatter(b, tn::axis<0>, i, u); });
  tn::compile_plan<half_matrix, indices, half_matrix>(
      tn::vjp([](auto table, auto i) { return tn::embedding(table, i); }));
  tn::compile_plan<matrix, indices, matrix>(
      [](auto b, auto i, auto u) { return tn::scatter_mean(b, tn::axis<0>, i, u); });
  tn::compile_plan<matrix, all_indices, matrix>(
      [](auto b, auto i, auto u) { return tn::scatter_max(b, tn::axis<1>, i, u); });
  tn::compile_plan<half_matrix>([](auto x) {
    return x / tn::block_max(tn::softmax(x, tn::axis<1>), tn::axis<1>, tn::ct<32>);
  });
}
