// SPDX-License-Identifier: Apache-2.0
// Reshapes of what is computed end on the results where they cannot end on the arguments.
#include "static/support.hpp"

namespace tenon::test {
namespace {

template <class... Arguments, class Function> constexpr refusal why_refused(Function f) {
  return passes::movement(before<Arguments...>("movement", f)).refused;
}

// Where a reshape of what is computed cannot be moved to the loads, what follows is computed before
// it: pointwise operators, reductions of all of its axes, transposes and other reshapes.
static_assert(is(moved<matrix, vector>([](auto x, auto v) { return sum(flatten(x + v) * 2); }), R"(
%0 = input 0 : f32[x0.0, x0.1]
%1 = input 1 : f32[x0.1]
%2 = broadcast %1 [1] : f32[x0.0, x0.1]
%3 = add %0 %2 : f32[x0.0, x0.1]
%4 = literal 2 : f32[]
%5 = mul %3 %4 : f32[x0.0, x0.1]
%6 = sum %5 axes 0 1 : f32[]
return %6:f32
)"));
static_assert(is(moved<cube>([](auto x) { return exp(flatten(sum(x, axis<1>)) * 2); }), R"(
%0 = input 0 : f32[x0.0, x0.1, x0.2]
%1 = sum %0 axes 1 : f32[x0.0, x0.2]
%2 = literal 2 : f32[]
%3 = mul %1 %2 : f32[x0.0, x0.2]
%4 = exp %3 : f32[x0.0, x0.2]
return %4:f32
)"));
static_assert(is(moved<f32<3, 4, 6>, f32<4>, f32<24>>([](auto x, auto v, auto flat) {
                   auto const rows = reshape(x + unsqueeze(v, axis<1>), shape<3, 24>) + flat;
                   return transpose(rows);
                 }),
                 R"(
%0 = input 0 : f32[3, 4, 6]
%1 = input 1 : f32[4]
%2 = input 2 : f32[24]
%3 = reshape %2 : f32[4, 6]
%4 = transpose %0 [2 0 1] : f32[4, 6, 3]
%5 = broadcast %1 [0] : f32[4, 6, 3]
%6 = add %4 %5 : f32[4, 6, 3]
%7 = broadcast %3 [0 1] : f32[4, 6, 3]
%8 = add %6 %7 : f32[4, 6, 3]
return %8:f32
)"));
static_assert(is(moved<f32<4, 6>, f32<6>>([](auto x, auto v) {
                   return reshape(exp(reshape(x + v, shape<24>)), shape<2, 12>);
                 }),
                 R"(
%0 = input 0 : f32[4, 6]
%1 = input 1 : f32[6]
%2 = broadcast %1 [1] : f32[4, 6]
%3 = add %0 %2 : f32[4, 6]
%4 = exp %3 : f32[4, 6]
return %4:f32
)"));
static_assert(why_refused<f32<4, 6>, f32<6>>([](auto x, auto v) {
                return sum(reshape(x + v, shape<2, 12>), axis<1>);
              }) == refusal::none);
static_assert(why_refused<f32<4, 6, 4>>([](auto x) {
                return sum(reshape(sum(x, axis<1>), shape<2, 8>), axis<1>);
              }) == refusal::none);
static_assert(why_refused<f32<4, 6>, f32<4>>([](auto x, auto v) {
                return transpose(reshape(x + unsqueeze(v, axis<1>), shape<2, 12>));
              }) == refusal::none);

// Every second element of a row of whole pairs is that of each pair; every fourth of rows of six is
// found by its position.
static_assert(is(moved<f32<4, 6>, f32<4>>([](auto x, auto v) {
                   return exp(slice(reshape(x + unsqueeze(v, axis<1>), shape<24>), axis<0>,
                                    range<1, end, 2>));
                 }),
                 R"(
%0 = input 0 : f32[4, 6]
%1 = input 1 : f32[4]
%2 = slice %0 [0 _ 1 1 _ 2] : f32[4, 3]
%3 = broadcast %1 [0] : f32[4, 3]
%4 = add %2 %3 : f32[4, 3]
%5 = exp %4 : f32[4, 3]
return %5:f32
)"));
static_assert(is(moved<f32<4, 6>, f32<4>>([](auto x, auto v) {
                   return slice(reshape(x + unsqueeze(v, axis<1>), shape<24>), axis<0>,
                                range<1, end, 4>);
                 }),
                 R"(
%0 = input 0 : f32[4, 6]
%1 = input 1 : f32[4]
%2 = index : i64[24]
%3 = literal 6 : i64[]
%4 = slice %2 [1 _ 4] : i64[6]
%5 = floor_divide %4 %3 : i64[6]
%6 = remainder %4 %3 : i64[6]
%7 = take %0 %5 %6 [-1 -2] : f32[6]
%8 = take %1 %5 [-1] : f32[6]
%9 = add %7 %8 : f32[6]
return %9:f32
)"));

}  // namespace
}  // namespace tenon::test
