// SPDX-License-Identifier: Apache-2.0
// Views end on the arguments: slices, reshapes and transposes through pointwise operators,
// broadcasts and reductions.
#include "static/support.hpp"

namespace tenon::test {
namespace {

// Through pointwise operators.
static_assert(is(moved<matrix, matrix>([](auto x, auto y) { return transpose(x * 2 + y); }), R"(
%0 = input 0 : f32[x0.0, x0.1]
%1 = input 1 : f32[x0.0, x0.1]
%2 = literal 2 : f32[]
%3 = transpose %0 [1 0] : f32[x0.1, x0.0]
%4 = transpose %1 [1 0] : f32[x0.1, x0.0]
%5 = mul %3 %2 : f32[x0.1, x0.0]
%6 = add %4 %5 : f32[x0.1, x0.0]
return %6:f32
)"));
static_assert(is(moved<vector>([](auto x) { return slice(exp(x), axis<0>, range<1, -1>); }), R"(
%0 = input 0 : f32[x0.0]
%1 = slice %0 [1 -1 1] : f32[x0.0[1:-1]]
%2 = exp %1 : f32[x0.0[1:-1]]
return %2:f32
)"));
static_assert(is(moved<matrix>([](auto x) {
                   return slice(slice(exp(x), axis<0>, range<end, end, -1>), axis<1>,
                                range<-3, end, 2>);
                 }),
                 R"(
%0 = input 0 : f32[x0.0, x0.1]
%1 = slice %0 [_ _ -1 0 _ 1] : f32[x0.0, x0.1]
%2 = slice %1 [0 _ 1 -3 _ 2] : f32[x0.0, x0.1[-3::2]]
%3 = exp %2 : f32[x0.0, x0.1[-3::2]]
return %3:f32
)"));
static_assert(is(moved<f32<4, 6>>([](auto x) { return reshape(exp(x), shape<2, -1>) * 2; }), R"(
%0 = input 0 : f32[4, 6]
%1 = reshape %0 : f32[2, 12]
%2 = exp %1 : f32[2, 12]
%3 = literal 2 : f32[]
%4 = mul %2 %3 : f32[2, 12]
return %4:f32
)"));
static_assert(is(moved<vector>([](auto x) { return exp(unsqueeze(log(x), axis<1>)); }), R"(
%0 = input 0 : f32[x0.0]
%1 = broadcast %0 [0] : f32[x0.0, 1]
%2 = log %1 : f32[x0.0, 1]
%3 = exp %2 : f32[x0.0, 1]
return %3:f32
)"));

// A slice of everything is nothing, also where the bounds show it only with the length.
static_assert(is(moved<f32<8>>([](auto x) { return slice(exp(x), axis<0>, range<0, 8>); }), R"(
%0 = input 0 : f32[8]
%1 = exp %0 : f32[8]
return %1:f32
)"));
static_assert(
    is(moved<vector, f32<8>>([](auto x, auto y) { return slice(x, axis<0>, range<-8>) + y; }), R"(
%0 = input 0 : f32[x0.0]
%1 = input 1 : f32[8]
%2 = slice %0 [-8 _ 1] : f32[8]
%3 = add %1 %2 : f32[8]
return %3:f32
)"));

// A view of a view of an argument stays a chain, in which it is sliced before its axes change
// places.
static_assert(is(moved<matrix>([](auto x) {
                   return slice(transpose(slice(x, axis<0>, range<1>)), axis<0>, range<2>);
                 }),
                 R"(
%0 = input 0 : f32[x0.0, x0.1]
%1 = slice %0 [1 _ 1 0 _ 1] : f32[x0.0[1:], x0.1]
%2 = slice %1 [0 _ 1 2 _ 1] : f32[x0.0[1:], x0.1[2:]]
%3 = transpose %2 [1 0] : f32[x0.1[2:], x0.0[1:]]
return %3:f32
)"));
static_assert(is(moved<matrix>([](auto x) { return transpose(transpose(x)) + x; }), R"(
%0 = input 0 : f32[x0.0, x0.1]
%1 = add %0 %0 : f32[x0.0, x0.1]
return %1:f32
)"));

// Broadcasts: what is repeated is not sliced.
static_assert(is(moved<vector>([](auto v) {
                   return slice(broadcast_to(v, shape<4, -1>), axis<0>, range<1>);
                 }),
                 R"(
%0 = input 0 : f32[x0.0]
%1 = broadcast %0 [1] : f32[3, x0.0]
return %1:f32
)"));
static_assert(is(moved<vector>([](auto v) {
                   return slice(broadcast_to(v, shape<4, -1>), axis<1>, range<1>);
                 }),
                 R"(
%0 = input 0 : f32[x0.0]
%1 = slice %0 [1 _ 1] : f32[x0.0[1:]]
%2 = broadcast %1 [1] : f32[4, x0.0[1:]]
return %2:f32
)"));
static_assert(is(
    moved<scalar>([](auto s) { return slice(broadcast_to(s, shape<8>), axis<0>, range<1>); }), R"(
%0 = scalar 0 : f32[]
%1 = broadcast %0 [] : f32[7]
return %1:f32
)"));
static_assert(is(
    moved<scalar>([](auto s) { return reshape(broadcast_to(s, shape<4, 2>), shape<8>) * 2; }), R"(
%0 = scalar 0 : f32[]
%1 = broadcast %0 [] : f32[8]
%2 = literal 2 : f32[]
%3 = mul %1 %2 : f32[8]
return %3:f32
)"));
static_assert(is(moved<f32<6>>([](auto v) {
                   return reshape(broadcast_to(v, shape<4, 6>), shape<2, 2, 3, 2>) * 2;
                 }),
                 R"(
%0 = input 0 : f32[6]
%1 = reshape %0 : f32[3, 2]
%2 = broadcast %1 [2 3] : f32[2, 2, 3, 2]
%3 = literal 2 : f32[]
%4 = mul %2 %3 : f32[2, 2, 3, 2]
return %4:f32
)"));

// Reductions: slices and reshapes of the kept axes.
static_assert(is(moved<cube>([](auto x) { return slice(sum(x, axis<1>), axis<1>, range<2>); }), R"(
%0 = input 0 : f32[x0.0, x0.1, x0.2]
%1 = slice %0 [0 _ 1 0 _ 1 2 _ 1] : f32[x0.0, x0.1, x0.2[2:]]
%2 = sum %1 axes 1 : f32[x0.0, x0.2[2:]]
return %2:f32
)"));
static_assert(is(moved<f32<dyn, 6, dyn>>([](auto x) {
                   return reshape(sum(x, axis<0>), shape<2, 3, -1>) * 2;
                 }),
                 R"(
%0 = input 0 : f32[x0.0, 6, x0.2]
%1 = reshape %0 : f32[x0.0, 2, 3, x0.2]
%2 = sum %1 axes 0 : f32[2, 3, x0.2]
%3 = literal 2 : f32[]
%4 = mul %2 %3 : f32[2, 3, x0.2]
return %4:f32
)"));
static_assert(is(moved<matrix>([](auto x) {
                   return transpose(slice(max(x, axis<1>, keepdim) * x, axis<0>, range<0, end, 2>));
                 }),
                 R"(
%0 = input 0 : f32[x0.0, x0.1]
%1 = slice %0 [0 _ 2 0 _ 1] : f32[x0.0[0::2], x0.1]
%2 = max %1 axes 1 : f32[x0.0[0::2]]
%3 = transpose %1 [1 0] : f32[x0.1, x0.0[0::2]]
%4 = broadcast %2 [1] : f32[x0.1, x0.0[0::2]]
%5 = mul %3 %4 : f32[x0.1, x0.0[0::2]]
return %5:f32
)"));
static_assert(is(moved<matrix>([](auto x) { return slice(var(x, axis<1>), axis<0>, range<1>); }),
                 R"(
%0 = input 0 : f32[x0.0, x0.1]
%1 = size [x0.1] : f32[]
%2 = literal 1 : f32[]
%3 = sub %1 %2 : f32[]
%4 = literal 0 : f32[]
%5 = maximum %3 %4 : f32[]
%6 = slice %0 [1 _ 1 0 _ 1] : f32[x0.0[1:], x0.1]
%7 = moments %6 axes 1 : f32[x0.0[1:]]
%8 = m2_of %7 : f32[x0.0[1:]]
%9 = div %8 %5 : f32[x0.0[1:]]
return %9:f32
)"));

// Giving axes of extent 1 and taking them back.
static_assert(
    is(moved<matrix>([](auto x) { return squeeze(sum(x, axis<0>, keepdim), axis<0>) * 2; }), R"(
%0 = input 0 : f32[x0.0, x0.1]
%1 = sum %0 axes 0 : f32[x0.1]
%2 = literal 2 : f32[]
%3 = mul %1 %2 : f32[x0.1]
return %3:f32
)"));
static_assert(is(moved<matrix>([](auto x) { return reshape(sum(x), shape<1, 1>) * x; }), R"(
%0 = input 0 : f32[x0.0, x0.1]
%1 = sum %0 axes 0 1 : f32[]
%2 = broadcast %1 [] : f32[x0.0, x0.1]
%3 = mul %0 %2 : f32[x0.0, x0.1]
return %3:f32
)"));
static_assert(is(moved<matrix>([](auto x) { return squeeze(sum(x, keepdim), axis<0, 1>) * 2; }), R"(
%0 = input 0 : f32[x0.0, x0.1]
%1 = sum %0 axes 0 1 : f32[]
%2 = literal 2 : f32[]
%3 = mul %1 %2 : f32[]
return %3:f32
)"));
static_assert(is(moved<matrix>([](auto x) {
                   return reshape(transpose(sum(x, axis<0>, keepdim)), shape<-1, 1, 1>) * 2;
                 }),
                 R"(
%0 = input 0 : f32[x0.0, x0.1]
%1 = sum %0 axes 0 : f32[x0.1]
%2 = broadcast %1 [0] : f32[x0.1, 1, 1]
%3 = literal 2 : f32[]
%4 = mul %2 %3 : f32[x0.1, 1, 1]
return %4:f32
)"));

// Groups of axes in another order.
static_assert(is(moved<f32<dyn, dyn, 6>>([](auto x) {
                   return reshape(transpose(max(x, axis<0>)), shape<2, 3, -1>) * 2;
                 }),
                 R"(
%0 = input 0 : f32[x0.0, x0.1, 6]
%1 = reshape %0 : f32[x0.0, x0.1, 2, 3]
%2 = max %1 axes 0 : f32[x0.1, 2, 3]
%3 = transpose %2 [2 0 1] : f32[2, 3, x0.1]
%4 = literal 2 : f32[]
%5 = mul %3 %4 : f32[2, 3, x0.1]
return %5:f32
)"));

// A result that is a reshape is computed before it, and needs to be possible nowhere else.
static_assert(is(moved<matrix>([](auto x) { return flatten(softmax(x, axis<1>)); }), R"(
%0 = input 0 : f32[x0.0, x0.1]
%1 = max %0 axes 1 : f32[x0.0]
%2 = broadcast %1 [0] : f32[x0.0, x0.1]
%3 = sub %0 %2 : f32[x0.0, x0.1]
%4 = exp %3 : f32[x0.0, x0.1]
%5 = sum %4 axes 1 : f32[x0.0]
%6 = broadcast %5 [0] : f32[x0.0, x0.1]
%7 = reciprocal %6 : f32[x0.0, x0.1]
%8 = mul %4 %7 : f32[x0.0, x0.1]
return %8:f32
)"));

}  // namespace
}  // namespace tenon::test
