// SPDX-License-Identifier: Apache-2.0
// Every pass leaves a well-formed graph, and the passes together leave the small one.
#include "static/support.hpp"

namespace tenon::test {
namespace {

static_assert(is(print(graph_of<matrix, matrix>([](auto x, auto y) {
                   return mean(sum(relu((x + y) * 2), axis<1>));
                 })),
                 R"(
%0 = input 0 : f32[x0.0, x0.1]
%1 = input 1 : f32[x0.0, x0.1]
%2 = broadcast %1 [0 1] : f32[x0.0, x0.1]
%3 = add %0 %2 : f32[x0.0, x0.1]
%4 = literal 2 : i64[]
%5 = literal 2 : f32[]
%6 = mul %3 %5 : f32[x0.0, x0.1]
%7 = relu %6 : f32[x0.0, x0.1]
%8 = sum %7 axes 1 : f32[x0.0]
%9 = sum %8 axes 0 : f32[]
%10 = size [x0.0] : f32[]
%11 = div %9 %10 : f32[]
return %11:f32
)"));
static_assert(is(print(optimized<matrix, matrix>([](auto x, auto y) {
                   return mean(sum(relu((x + y) * 2), axis<1>));
                 })),
                 R"(
%0 = input 0 : f32[x0.0, x0.1]
%1 = input 1 : f32[x0.0, x0.1]
%2 = add %0 %1 : f32[x0.0, x0.1]
%3 = literal 2 : f32[]
%4 = mul %2 %3 : f32[x0.0, x0.1]
%5 = relu %4 : f32[x0.0, x0.1]
%6 = sum %5 axes 0 1 : f32[]
%7 = size [x0.0] : f32[]
%8 = div %6 %7 : f32[]
return %8:f32
)"));
static_assert(is(print(optimized<tensor_argument<dtype::bf16, "B", 512>>([](auto x) {
                   return gelu(layer_norm(x)) * 1.2f + 0.1f;
                 })),
                 R"(
%0 = input 0 : bf16[B, 512]
%1 = moments %0 axes 1 : bf16[B]
%2 = mean_of %1 : bf16[B]
%3 = broadcast %2 [0] : bf16[B, 512]
%4 = sub %0 %3 : bf16[B, 512]
%5 = m2_of %1 : bf16[B]
%6 = literal 1.953125e-3 : f32[]
%7 = literal 1e-5 : f32[]
%8 = broadcast %5 [0] : bf16[B, 512]
%9 = mul %8 %6 : bf16[B, 512]
%10 = add %9 %7 : bf16[B, 512]
%11 = rsqrt %10 : bf16[B, 512]
%12 = mul %4 %11 : bf16[B, 512]
%13 = gelu %12 : bf16[B, 512]
%14 = literal 1.2 : f32[]
%15 = mul %13 %14 : bf16[B, 512]
%16 = literal 0.1 : f32[]
%17 = add %15 %16 : bf16[B, 512]
return %17:bf16
)"));

static_assert(stays_well_formed<matrix, matrix>([](auto x, auto y) { return relu((x + y) * 2); }));
static_assert(stays_well_formed<matrix, matrix>([](auto x, auto y) {
  return mean(sum(silu(relu((x + y) * 2)), axis<1>));
}));
static_assert(stays_well_formed<f32<"B", "T", 512>, f32<512>, f32<512>>([](auto x, auto w, auto b) {
  return gelu(layer_norm(x, w, b));
}));
static_assert(stays_well_formed<cube>([](auto x) { return softmax(x, axis<1>); }));
static_assert(stays_well_formed<cube>([](auto x) { return flatten(softmax(x, axis<0>)); }));
static_assert(stays_well_formed<matrix>([](auto x) {
  return slice(transpose(log_softmax(x, axis<1>)), axis<1>, range<end, end, -2>);
}));
static_assert(stays_well_formed<tensor_argument<dtype::f16, dyn, dyn>>([](auto x) {
  return outputs(var(x, axis<1>), rms_norm(x), cast<float>(x) / 3);
}));
static_assert(stays_well_formed<tensor_argument<dtype::i32, dyn, dyn>>([](auto x) {
  return outputs(sum(x), x / 2, where(x > 0, x, 1.5), prod(x, axis<0>));
}));
static_assert(stays_well_formed<tensor_argument<dtype::boolean, dyn>, vector>([](auto c, auto x) {
  return where(c && x > 0, x * c, !c);
}));
static_assert(stays_well_formed<vector, f32<8>>([](auto x, auto y) {
  return slice(x, axis<0>, range<-8>) + y;
}));
static_assert(stays_well_formed<f32<6>, matrix>([](auto x, auto y) {
  return reshape(x, shape<-1, 2>) + y;
}));
static_assert(stays_well_formed<scalar, point>([](auto s, auto x) {
  return reshape(s * x, shape<1, 1>) + s;
}));
static_assert(stays_well_formed<matrix>([](auto x) {
  return outputs(x, transpose(x), sum(x, axis<1>), sum(sum(x, axis<1>)));
}));
static_assert(stays_well_formed<f32<dyn, 0>>([](auto x) { return mean(x, axis<1>); }));
static_assert(stays_well_formed<f32<1, 1>>([](auto x) { return layer_norm(x); }));

}  // namespace
}  // namespace tenon::test
