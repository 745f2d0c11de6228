// SPDX-License-Identifier: Apache-2.0
// Neighbours along two axes, which threads share between their rows.
// registers: 128
// ptx: ld.global.nc.L2::cache_hint.v4.u32
// ptx: ld.shared.u16

#include <type_traits>

#include "compile_plan.cuh"
#include "tenon/capture/pattern.hpp"
#include "tenon/tenon.hpp"

using namespace tenon;
template <dtype D> using matrix = tensor_argument<D, dyn, dyn>;
template <dtype D> using images = tensor_argument<D, dyn, dyn, dyn>;

// Of all but one element on either side of some axes.
template <int Row, int Column> constexpr auto at(auto x) {
  return slice(slice(x, axis<-2>, range < 1 + Row, Row == 1 ? end : Row - 1 >), axis<-1>,
               range < 1 + Column, Column == 1 ? end : Column - 1 >);
}
constexpr auto five = [](auto x) {
  return at<-1, 0>(x) + at<1, 0>(x) + at<0, -1>(x) + at<0, 1>(x) - 4 * at<0, 0>(x);
};
constexpr auto edges = [](auto x) {
  auto const across = [&](auto row) { return at<row.value, 1>(x) - at<row.value, -1>(x); };
  auto const down = [&](auto column) { return at<1, column.value>(x) - at<-1, column.value>(x); };
  auto const sum = [](auto of) {
    return of(std::integral_constant<int, -1>{}) + 2 * of(std::integral_constant<int, 0>{}) +
           of(std::integral_constant<int, 1>{});
  };
  return tenon::sqrt(sum(across) * sum(across) + sum(down) * sum(down));
};
constexpr auto mean_of_nine = [](auto x) {
  return mean(unfold(unfold(x, axis<-2>, ct<3>, ct<1>), axis<-2>, ct<3>, ct<1>), axis<-2, -1>);
};

template <dtype D> void instantiate_of() {
  compile_plan<matrix<D>>([](auto x) { return five(x); });
  compile_plan<matrix<D>>([](auto x) { return edges(x); });
  compile_plan<images<D>>([](auto x) { return mean_of_nine(x); });
}

void instantiate() {
  instantiate_of<dtype::f32>();
  instantiate_of<dtype::bf16>();
  compile_plan<matrix<dtype::f64>>([](auto x) { return five(x); });
  compile_plan<matrix<dtype::i8>>([](auto x) { return five(x); });
  compile_plan<matrix<dtype::bf16>, matrix<dtype::f32>, tensor_argument<dtype::f32, dyn>>(
      [](auto x, auto y, auto z) { return five(x) * at<0, 0>(y) + z; });
}
