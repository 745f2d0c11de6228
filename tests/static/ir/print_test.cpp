// SPDX-License-Identifier: Apache-2.0
// The text of every kind of node.
#include "static/support.hpp"

namespace tenon::test {
namespace {

// In canonical order, because C++ leaves open which operand is evaluated first.
template <class... Arguments, class Function> constexpr text printed(Function f) {
  return print(passes::canonical_order(graph_of<Arguments...>(f)));
}

static_assert(is(printed<f32<"B", dyn, 8>, scalar, point>([](auto x, auto s, auto p) {
                   return outputs(sum(x * s, axis<0, -1>), var(x, axis<1>), p);
                 }),
                 R"(
%0 = input 0 : f32[B, x0.1, 8]
%1 = scalar 1 : f32[]
%2 = input 2 : f32[]
%3 = mul %0 %1 : f32[B, x0.1, 8]
%4 = sum %3 axes 0 2 : f32[x0.1]
%5 = moments %0 axes 1 : f32[B, 8]
%6 = m2_of %5 : f32[B, 8]
%7 = size [x0.1] : f32[]
%8 = literal 1 : f32[]
%9 = sub %7 %8 : f32[]
%10 = literal 0 : f32[]
%11 = maximum %9 %10 : f32[]
%12 = div %6 %11 : f32[B, 8]
return %4:f32 %12:f32 %2:f32
)"));
static_assert(is(printed<matrix>([](auto x) {
                   return outputs(slice(x, axis<1>, range<end, 0, -2>), transpose(x),
                                  broadcast_to(x, shape<2, -1, -1>), reshape(x, shape<-1, 4>));
                 }),
                 R"(
%0 = input 0 : f32[x0.0, x0.1]
%1 = slice %0 [0 _ 1 _ 0 -2] : f32[x0.0, x0.1[:0:-2]]
%2 = transpose %0 [1 0] : f32[x0.1, x0.0]
%3 = broadcast %0 [1 2] : f32[2, x0.0, x0.1]
%4 = reshape %0 : f32[x0.0*x0.1/4, 4]
return %1:f32 %2:f32 %3:f32 %4:f32
)"));
static_assert(is(printed<tensor_argument<dtype::i32, dyn>>([](auto x) {
                   return outputs(x + 2, x * -0.5, x == 3, x && true, cast<half>(x));
                 }),
                 R"(
%0 = input 0 : i32[x0.0]
%1 = literal 2 : i32[]
%2 = add %0 %1 : i32[x0.0]
%3 = cast %0 : f32[x0.0]
%4 = literal -0.5 : f32[]
%5 = mul %3 %4 : f32[x0.0]
%6 = literal 3 : i32[]
%7 = equal %0 %6 : bool[x0.0]
%8 = cast %0 : bool[x0.0]
%9 = literal 1 : bool[]
%10 = logical_and %8 %9 : bool[x0.0]
%11 = cast %0 : f16[x0.0]
return %2:i32 %5:f32 %7:bool %10:bool %11:f16
)"));

}  // namespace
}  // namespace tenon::test
