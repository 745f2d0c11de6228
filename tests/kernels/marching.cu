// SPDX-License-Identifier: Apache-2.0
// Neighbours along three axes, of which a thread has one plane after the other. What has most
// registers is what has all 27 of them one by one, where operands do not lie as a plane's do.
// registers: 232
// ptx: marching_kernel
// ptx: ld.global.nc.L2::cache_hint.v4.u32
// ptx: ld.shared.u16

#include "compile_plan.cuh"
#include "tenon/tenon.hpp"

using namespace tenon;
template <dtype D> using images = tensor_argument<D, dyn, dyn, dyn>;

// Of all but one element on either side of some axes.
template <int Row, int Column> constexpr auto at(auto x) {
  return slice(slice(x, axis<-2>, range < 1 + Row, Row == 1 ? end : Row - 1 >), axis<-1>,
               range < 1 + Column, Column == 1 ? end : Column - 1 >);
}
// The seven nearest, and all around.
constexpr auto seven = [](auto x) {
  auto const inner = slice(x, axis<0>, range<1, -1>), middle = at<0, 0>(x);
  return slice(middle, axis<0>, range<0, -2>) + slice(middle, axis<0>, range<2, end>) +
         at<-1, 0>(inner) + at<1, 0>(inner) + at<0, -1>(inner) + at<0, 1>(inner) -
         6 * at<0, 0>(inner);
};
constexpr auto nine = [](auto x) {
  return at<-1, -1>(x) + at<-1, 0>(x) * 2 + at<-1, 1>(x) + at<0, -1>(x) * 2 + at<0, 0>(x) * 4 +
         at<0, 1>(x) * 2 + at<1, -1>(x) + at<1, 0>(x) * 2 + at<1, 1>(x);
};
template <dtype D> void instantiate_in_space() {
  compile_plan<images<D>>([](auto x) { return seven(x); });
  compile_plan<images<D>>([](auto x) {
    return nine(slice(x, axis<0>, range<0, -2>)) + nine(slice(x, axis<0>, range<1, -1>)) * 2 +
           nine(slice(x, axis<0>, range<2, end>));
  });
  // Beside other tensors, as a step of a wave is.
  compile_plan<images<D>, images<D>, images<D>>([](auto x, auto y, auto z) {
    return 2 * slice(at<0, 0>(x), axis<0>, range<1, -1>) - y + z * seven(x);
  });
}

void instantiate() {
  instantiate_in_space<dtype::f32>();
  instantiate_in_space<dtype::bf16>();
}
