// SPDX-License-Identifier: Apache-2.0
// Elements that are fetched at indices along rows, from pieces of rows in shared memory.
// registers: 88
// registers(flat_staged_kernel): 64
// ptx: cp.async.cg.shared.global
// ptx: ld.shared.u16

// The text of a wrong index takes a stack, which is not what is looked at here.
#define TENON_CHECK_INDICES 0

#include "compile_plan.cuh"
#include "tenon/tenon.hpp"

using namespace tenon;
template <dtype D> using matrix = tensor_argument<D, dyn, dyn>;
template <dtype D> using vector = tensor_argument<D, dyn>;

template <dtype D, dtype I> void instantiate_for() {
  compile_plan<matrix<D>, matrix<I>>([](auto x, auto i) { return take_along_axis(x, i, axis<1>); });
  compile_plan<matrix<D>, vector<I>>([](auto x, auto i) { return take(x, i, axis<1>); });
  compile_plan<matrix<D>, matrix<D>, matrix<I>>([](auto x, auto y, auto i) {
    return take_along_axis(x, i, axis<1>) + take_along_axis(y, i, axis<1>);
  });
}
void instantiate() {
  instantiate_for<dtype::f32, dtype::i64>();
  instantiate_for<dtype::f32, dtype::i32>();
  instantiate_for<dtype::bf16, dtype::i64>();
  instantiate_for<dtype::u8, dtype::i64>();
}
