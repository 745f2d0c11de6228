// SPDX-License-Identifier: Apache-2.0
// Windows as slices with the same places, with a border, around the ends, and of extents
// of a call; elements that
// are repeated along rows, and three results beside each other.
// registers: 208
// registers(few_sums_kernel): 48
// ptx: ld.global.nc.L2::cache_hint.u16
// ptx: st.shared.v4.u32

#include <limits>

#include "compile_plan.cuh"
#include "tenon/capture/concat.hpp"
#include "tenon/capture/padding.hpp"
#include "tenon/capture/pattern.hpp"
#include "tenon/capture/repeat.hpp"

using namespace tenon;
template <dtype D> using matrix = tensor_argument<D, dyn, dyn>;
template <dtype D> using images = tensor_argument<D, dyn, dyn, dyn>;
template <dtype D> using pooled = tensor_argument<D, dyn, dyn, dyn, dyn, dyn>;

constexpr auto threes = [](auto x) {
  return tenon::max(unfold(unfold(x, axis<1>, ct<3>, ct<2>), axis<2>, ct<3>, ct<2>), axis<3, 4>);
};

void instantiate() {
  compile_plan<images<dtype::bf16>>(threes);
  compile_plan<images<dtype::f32>>(threes);
  compile_plan<matrix<dtype::f32>>(
      [](auto x) { return mean(unfold(x, axis<1>, ct<16>, ct<1>), axis<2>); });
  compile_plan<images<dtype::bf16>>([](auto x) {
    constexpr float low = -std::numeric_limits<float>::infinity();
    return threes(pad(pad(x, axis<1>, widths<1, 1>, low), axis<2>, widths<1, 1>, low));
  });
  compile_plan<images<dtype::f32>>([](auto x) {
    auto all = pad(pad(x, axis<1>, widths<1, 1>), axis<2>, widths<1, 1>);
    auto rows = slice(all, axis<2>, range<1, -1>), columns = slice(all, axis<1>, range<1, -1>);
    return slice(rows, axis<1>, range<0, -2>) + slice(rows, axis<1>, range<2, end>) +
           slice(columns, axis<2>, range<0, -2>) + slice(columns, axis<2>, range<2, end>) - 4 * x;
  });
  compile_plan<images<dtype::bf16>, tensor_argument<dtype::f32, dyn>>([](auto x, auto w) {
    auto all = pad(pad(x, axis<1>, widths<1, 1>), axis<2>, widths<1, 1>);
    auto weight = unsqueeze(unsqueeze(w, axis<1>), axis<2>);
    auto rows = slice(all, axis<1>, range<0, -2>) * weight + slice(all, axis<1>, range<2, end>);
    return cast<bfloat16>(slice(rows, axis<2>, range<0, -2>) + slice(rows, axis<2>, range<2, end>));
  });
  compile_plan<matrix<dtype::bf16>>([](auto x) {
    auto row = x + roll(x, axis<1>, ct<1>) + roll(x, axis<1>, ct<-1>);
    return row + roll(row, axis<0>, ct<1>) + roll(row, axis<0>, ct<-1>);
  });
  compile_plan<images<dtype::f32>>([](auto x) {
    auto all = pad(pad(x, axis<1>, widths<1, 1>, edge), axis<2>, widths<2, 2>, edge);
    return sum(unfold(unfold(all, axis<1>, ct<3>, ct<1>), axis<2>, ct<5>, ct<1>), axis<3, 4>);
  });
  compile_plan<matrix<dtype::bf16>>([](auto x) {
    auto all = pad(pad(x, axis<0>, widths<1, 1>, reflect), axis<1>, widths<2, 2>, reflect);
    return tenon::max(unfold(unfold(all, axis<0>, ct<3>, ct<1>), axis<1>, ct<5>, ct<1>),
                      axis<2, 3>);
  });
  compile_plan<pooled<dtype::bf16>>([](auto x) { return tenon::max(x, axis<2, 4>); });
  compile_plan<pooled<dtype::f32>>([](auto x) { return mean(x, axis<2, 4>); });
  compile_plan<images<dtype::bf16>>([](auto x) {
    return repeat_interleave(repeat_interleave(x, axis<1>, ct<2>), axis<2>, ct<2>);
  });
  compile_plan<matrix<dtype::bf16>, matrix<dtype::bf16>>(
      [](auto x, auto y) { return stack(x, y, x * y, axis<2>); });
}
