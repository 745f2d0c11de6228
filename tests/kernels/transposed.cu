// SPDX-License-Identifier: Apache-2.0
// Square tiles: a transposed operand beside a plain one, and turned by a quarter; a result as it is and transposed, beside a
// value of everything.
// registers: 96
// ptx: ld.global.nc.L1::no_allocate.L2::cache_hint.v4.u32
// ptx: st.global.L2::cache_hint.v4.u32

#include "compile_plan.cuh"
#include "tenon/capture/movement.hpp"
#include "tenon/capture/operators.hpp"
#include "tenon/capture/repeat.hpp"

namespace tn = tenon;
using matrix = tn::tensor_argument<tn::dtype::f32, tn::dyn, tn::dyn>;
using half_matrix = tn::tensor_argument<tn::dtype::bf16, tn::dyn, tn::dyn>;

void instantiate() {
  tn::compile_plan<matrix, matrix>([](auto x, auto y) { return tn::tanh(x) + tn::transpose(y); });
  tn::compile_plan<half_matrix, half_matrix>(
      [](auto x, auto y) { return tn::tanh(x) + tn::transpose(y); });
  tn::compile_plan<half_matrix>([](auto x) { return tn::flip(tn::transpose(x), tn::axis<0>); });
  tn::compile_plan<half_matrix>([](auto x) {
    auto values = tn::cast<float>(x);
    auto small = tn::cast<tn::float8_e4m3>(values);
    return tn::outputs(small, tn::transpose(small), tn::max(tn::abs(values)));
  });
}
