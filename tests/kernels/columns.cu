// SPDX-License-Identifier: Apache-2.0
// Rows that are neighbours in memory: over blocks, with a state of several numbers, with positions,
// with totals, and in several phases.
// registers: 128
// registers(meeting_columns_kernel): 160
// registers(brief_columns_kernel): 64
// ptx: ld.global.nc.L1::no_allocate.v4.u32
// ptx: atom.acq_rel.gpu.global.inc.u32

#include "compile_columns.cuh"
#include "tenon/capture/arg_reduction.hpp"
#include "tenon/capture/gradient/product.hpp"
#include "tenon/capture/indexing.hpp"
#include "tenon/capture/operators.hpp"
#include "tenon/nn/softmax.hpp"

using namespace tenon;
using matrix = tensor_argument<dtype::f32, dyn, dyn>;
using double_matrix = tensor_argument<dtype::f64, dyn, dyn>;
using half_matrix = tensor_argument<dtype::bf16, dyn, dyn>;
using vector = tensor_argument<dtype::f32, dyn>;
using half_vector = tensor_argument<dtype::bf16, dyn>;

void instantiate() {
  compile_columns<matrix>([](auto x) { return sum(x * x, axis<0>); });
  compile_columns<half_matrix>([](auto x) { return sum(x * x, axis<0>); });
  compile_columns<half_matrix>([](auto x) { return var(x, axis<0>); });
  compile_columns<matrix>([](auto x) { return tenon::max(sum(tenon::abs(x), axis<0>)); });
  compile_columns<matrix>([](auto x) { return softmax(x, axis<0>); });
  compile_columns<matrix>([](auto x) { return argmax(x, axis<0>); });
  compile_columns<half_matrix>([](auto x) { return argmin(x, axis<0>); });
  compile_columns<half_matrix>(
      [](auto x) { return argmax(where(iota(x, axis<0>) < 100, x, -1e30f), axis<0>); });
  // Those whose blocks meet, too, with states of four numbers.
  auto const standardised = [](auto x) {
    return (x - mean(x, axis<0>)) * tenon::rsqrt(var(x, axis<0>) + 1e-5f);
  };
  compile_columns<matrix>(standardised);
  compile_columns<half_matrix>(standardised);
  compile_columns<double_matrix>(standardised);
  // Elements that are stored by the sweep that reduces them, with little arithmetic and with much.
  auto const gradient = [](auto activation) {
    return detail::product_body<decltype(activation), wrt_t<>>{};
  };
  compile_columns<half_matrix, half_vector, half_matrix>(
      gradient([](auto x, auto b) { return silu(x + b); }));
  compile_columns<half_matrix, half_vector, half_matrix>(
      gradient([](auto x, auto b) { return gelu(x + b); }));
  compile_columns<matrix, vector, matrix>(gradient([](auto x, auto b) { return gelu(x + b); }));
  compile_columns<matrix, vector, matrix>(gradient([](auto x, auto b) { return relu(x + b); }));
}
