// SPDX-License-Identifier: Apache-2.0
// Instructions of an expression: the axes each varies over, its place and its phase.
#include "static/support.hpp"

namespace tenon::test {
namespace {

static_assert(is(instructions_of<matrix>([](auto x) { return softmax(x, axis<1>); }), R"(
%0 = load : f32[x0.0 x0.1] element 0
%1 = max %0 over [x0.1] : f32[x0.0] row 1
%2 = sub %0 %1 : f32[x0.0 x0.1] element 1
%3 = exp %2 : f32[x0.0 x0.1] element 1
%4 = sum %3 over [x0.1] : f32[x0.0] row 2
%5 = reciprocal %4 : f32[x0.0] row 2
%6 = mul %3 %5 : f32[x0.0 x0.1] element 2
)"));

// Mean and variance come from one pass; the weights vary over the columns only.
static_assert(is(instructions_of<f32<"B", "T", 512>, f32<512>>([](auto x, auto w) {
                   return layer_norm(x, axis<-1>) * w;
                 }),
                 R"(
%0 = load : f32[B T 512] element 0
%1 = load : f32[512] element 0
%2 = moments %0 over [512] : f32[B T] row 1
%3 = mean_of %2 : f32[B T] row 1
%4 = sub %0 %3 : f32[B T 512] element 1
%5 = m2_of %2 : f32[B T] row 1
%6 = literal : f32[] launch 0
%7 = literal : f32[] launch 0
%8 = mul %5 %6 : f32[B T] row 1
%9 = add %8 %7 : f32[B T] row 1
%10 = rsqrt %9 : f32[B T] row 1
%11 = mul %4 %10 : f32[B T 512] element 1
%12 = mul %11 %1 : f32[B T 512] element 1
)"));

// A sum over everything beside row statistics is a sum over the rows of a sum over the columns.
static_assert(is(instructions_of<matrix, matrix>([](auto x, auto t) {
                   return sum(t * log_softmax(x, axis<1>));
                 }),
                 R"(
%0 = load : f32[x0.0 x0.1] element 0
%1 = load : f32[x0.0 x0.1] element 0
%2 = max %0 over [x0.1] : f32[x0.0] row 1
%3 = sub %0 %2 : f32[x0.0 x0.1] element 1
%4 = exp %3 : f32[x0.0 x0.1] element 1
%5 = sum %4 over [x0.1] : f32[x0.0] row 2
%6 = log %5 : f32[x0.0] row 2
%7 = sub %3 %6 : f32[x0.0 x0.1] element 2
%8 = mul %1 %7 : f32[x0.0 x0.1] element 2
%9 = sum %8 over [x0.1] : f32[x0.0] row 3
%10 = sum %9 over [x0.0] : f32[] total 4
)"));

// Two reductions of one phase over the same axes, and a size that is not known while building.
static_assert(is(instructions_of<matrix>([](auto x) {
                   return outputs(sum(x, axis<1>), mean(x * x, axis<1>));
                 }),
                 R"(
%0 = load : f32[x0.0 x0.1] element 0
%1 = sum %0 over [x0.1] : f32[x0.0] row 1
%2 = mul %0 %0 : f32[x0.0 x0.1] element 0
%3 = sum %2 over [x0.1] : f32[x0.0] row 1
%4 = size : f32[] launch 0
%5 = div %3 %4 : f32[x0.0] row 1
)"));

// One argument along different axes is two loads.
static_assert(is(instructions_of<f32<4, 4>>([](auto x) { return x + transpose(x); }), R"(
%0 = load : f32[4 4] element 0
%1 = load : f32[4 4] element 0
%2 = add %1 %0 : f32[4 4] element 0
)"));
static_assert(is(instructions_of<f32<4, 4>>([](auto x) { return x - mean(x, axis<1>); }), R"(
%0 = load : f32[4 4] element 0
%1 = load : f32[4 4] element 0
%2 = sum %0 over [4] : f32[4] row 1
%3 = literal : f32[] launch 0
%4 = mul %2 %3 : f32[4] row 1
%5 = sub %1 %4 : f32[4 4] element 1
)"));

// The element that a reduction of extent 1 reduces.
static_assert(is(instructions_of<f32<dyn, 1>>([](auto x) { return sum(x, axis<1>) * 2; }), R"(
%0 = load : f32[x0.0] element 0
%1 = literal : f32[] launch 0
%2 = mul %0 %1 : f32[x0.0] element 0
)"));

// A value that varies over one axis is computed along that axis only, however it is broadcast.
static_assert(is(instructions_of<matrix, vector>([](auto x, auto v) { return x * exp(v); }), R"(
%0 = load : f32[x0.0 x0.1] element 0
%1 = load : f32[x0.1] element 0
%2 = exp %1 : f32[x0.1] element 0
%3 = mul %0 %2 : f32[x0.0 x0.1] element 0
)"));

}  // namespace
}  // namespace tenon::test
