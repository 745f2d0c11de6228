// SPDX-License-Identifier: Apache-2.0
// Pairs of lists whose elements are columns of narrow tensors: distances of points, overlaps of
// boxes.
// registers: 96

#include "compile_plan.cuh"
#include "tenon/tenon.hpp"

using namespace tenon;

template <int Column, class X> constexpr auto column(X const& x) {
  return slice(x, axis<1>, range<Column, Column + 1>);
}
template <int Column, class X> constexpr auto row(X const& x) {
  return reshape(column<Column>(x), shape<1, -1>);
}

void instantiate() {
  using points = tensor_argument<dtype::bf16, dyn, 2>;
  compile_plan<points, points>([](auto a, auto b) {
    auto x = column<0>(a) - row<0>(b);
    auto y = column<1>(a) - row<1>(b);
    return tenon::sqrt(x * x + y * y);
  });
  using boxes = tensor_argument<dtype::f32, dyn, 4>;
  compile_plan<boxes, boxes>([](auto a, auto b) {
    auto width = relu(minimum(column<2>(a), row<2>(b)) - maximum(column<0>(a), row<0>(b)));
    auto height = relu(minimum(column<3>(a), row<3>(b)) - maximum(column<1>(a), row<1>(b)));
    auto both = width * height;
    return both / ((column<2>(a) - column<0>(a)) * (column<3>(a) - column<1>(a)) +
                   (row<2>(b) - row<0>(b)) * (row<3>(b) - row<1>(b)) - both);
  });
}
