// SPDX-License-Identifier: Apache-2.0
// Sums of products that need not wait for a reduction over the same axes do not.
#include "static/support.hpp"
#include "tenon/nn/norms.hpp"

namespace tenon::test {
namespace {

// The gradient of a normalisation: the mean, the variance and both sums in one phase.
static_assert(is(instructions_of<matrix, matrix>([](auto x, auto h) {
                   auto normal = layer_norm(x);
                   return outputs(normal, sum(h * normal, axis<1>), sum(h, axis<1>));
                 }),
                 R"(
%0 = load : f32[x0.0 x0.1] element 0
%1 = load : f32[x0.0 x0.1] element 0
%2 = size : f32[] launch 0
%3 = literal : f32[] launch 0
%4 = paired %0 %1 : f32[x0.0 x0.1] element 0
%5 = co_moments %4 over [x0.1] : f32[x0.0] row 1
%6 = mean_of %5 : f32[x0.0] row 1
%7 = sub %0 %6 : f32[x0.0 x0.1] element 1
%8 = m2_of %5 : f32[x0.0] row 1
%9 = div %8 %2 : f32[x0.0] row 1
%10 = add %9 %3 : f32[x0.0] row 1
%11 = rsqrt %10 : f32[x0.0] row 1
%12 = mul %7 %11 : f32[x0.0 x0.1] element 1
%13 = product_of %5 : f32[x0.0] row 1
%14 = mul %13 %11 : f32[x0.0] row 1
%15 = total_of %5 : f32[x0.0] row 1
)"));

// Another factor has moments of its own.
static_assert(is(instructions_of<matrix, matrix, matrix>([](auto x, auto g, auto h) {
                   auto [squares, centre] = var_mean(x, axis<1>, keepdim, correction<0>);
                   auto deviation = x - centre;
                   return outputs(sum(g * deviation, axis<1>), sum(h * deviation, axis<1>),
                                  squares);
                 }),
                 R"(
%0 = load : f32[x0.0 x0.1] element 0
%1 = load : f32[x0.0 x0.1] element 0
%2 = load : f32[x0.0 x0.1] element 0
%3 = size : f32[] launch 0
%4 = paired %0 %1 : f32[x0.0 x0.1] element 0
%5 = co_moments %4 over [x0.1] : f32[x0.0] row 1
%6 = product_of %5 : f32[x0.0] row 1
%7 = paired %0 %2 : f32[x0.0 x0.1] element 0
%8 = co_moments %7 over [x0.1] : f32[x0.0] row 1
%9 = product_of %8 : f32[x0.0] row 1
%10 = m2_of %5 : f32[x0.0] row 1
%11 = div %10 %3 : f32[x0.0] row 1
)"));

// What is constant along the axes of a sum leaves it.
static_assert(is(instructions_of<matrix, matrix>([](auto x, auto h) {
                   return sum(h * x / tenon::sqrt(sum(x * x, axis<1>, keepdim)), axis<1>);
                 }),
                 R"(
%0 = load : f32[x0.0 x0.1] element 0
%1 = load : f32[x0.0 x0.1] element 0
%2 = mul %0 %1 : f32[x0.0 x0.1] element 0
%3 = mul %0 %0 : f32[x0.0 x0.1] element 0
%4 = sum %3 over [x0.1] : f32[x0.0] row 1
%5 = sqrt %4 : f32[x0.0] row 1
%6 = sum %2 over [x0.1] : f32[x0.0] row 1
%7 = div %6 %5 : f32[x0.0] row 1
)"));

// Products of two deviations wait, and those from the mean of another operand; sums along other
// axes are as they were.
static_assert(schedule_of<matrix, matrix>([](auto x, auto h) {
                auto [squares, centre] = var_mean(x, axis<1>, keepdim, correction<0>);
                auto [others, middle] = var_mean(h, axis<1>, keepdim, correction<0>);
                return outputs(sum((x - centre) * (h - middle), axis<1>), squares * others);
              }) == "rows [x0.0] x [x0.1], 2 phases, stores row row");
static_assert(schedule_of<matrix, matrix>([](auto x, auto h) {
                auto [squares, centre] = var_mean(x, axis<1>, keepdim, correction<0>);
                return outputs(sum(x * h * (h - centre), axis<1>), squares);
              }) == "rows [x0.0] x [x0.1], 2 phases, stores row row");
static_assert(schedule_of<matrix, matrix>([](auto x, auto h) {
                auto [squares, centre] = var_mean(x, axis<1>, keepdim, correction<0>);
                return outputs(sum(h * (x - centre), axis<0>), squares);
              }) == "mixed [x0.0] x [x0.1], 1 phase, stores column row");

}  // namespace
}  // namespace tenon::test
