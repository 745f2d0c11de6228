// SPDX-License-Identifier: Apache-2.0
// Totals and sums of rows of slices that begin or end in the midst of vectors.
// registers: 128
// registers(sliced_totals_kernel): 96
// ptx: ld.global.nc.v4.u32

#include "compile_plan.cuh"
#include "tenon/tenon.hpp"

using namespace tenon;
template <dtype D> using matrix = tensor_argument<D, dyn, dyn>;
template <dtype D> using batch = tensor_argument<D, dyn, dyn, dyn>;

constexpr auto steps = [](auto x) {
  return slice(x, axis<1>, range<1, tenon::end>) - slice(x, axis<1>, range<0, -1>);
};
constexpr auto second_differences = [](auto x) {
  return slice(x, axis<1>, range<0, -2>) - slice(x, axis<1>, range<1, -1>) * 2 +
         slice(x, axis<1>, range<2, tenon::end>);
};

template <dtype D> void instantiate_of() {
  compile_plan<matrix<D>>([](auto x) { return sum(cast<float>(tenon::abs(steps(x)))); });
  compile_plan<matrix<D>>([](auto x) {
    auto const d = cast<float>(steps(x));
    return mean(d * d, axis<1>);
  });
}

void instantiate() {
  instantiate_of<dtype::bf16>();
  instantiate_of<dtype::f32>();
  compile_plan<matrix<dtype::f32>>([](auto x) { return var(second_differences(x)); });
  compile_plan<matrix<dtype::f32>>([](auto x) {
    auto const d = steps(x);
    return outputs(sum(d), var(d));
  });
  compile_plan<matrix<dtype::f64>>([](auto x) { return tenon::max(second_differences(x)); });
  compile_plan<matrix<dtype::bf16>, matrix<dtype::f32>>(
      [](auto x, auto y) { return sum(gelu(steps(x)) * slice(y, axis<1>, range<3, -4>)); });
  compile_plan<matrix<dtype::i8>>([](auto x) { return sum(second_differences(x)); });
  compile_plan<batch<dtype::f32>>([](auto x) {
    auto const upper = slice(x, axis<1>, range<0, -1>),
               lower = slice(x, axis<1>, range<1, tenon::end>);
    auto const below = slice(lower - upper, axis<2>, range<0, -1>),
               across = slice(lower, axis<2>, range<1, tenon::end>) -
                        slice(lower, axis<2>, range<0, -1>);
    return sum(tenon::sqrt(below * below + across * across));
  });
}
