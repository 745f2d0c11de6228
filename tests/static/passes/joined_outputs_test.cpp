// SPDX-License-Identifier: Apache-2.0
// Results that differ in the length of one axis become parts of one: joined in the operands where
// they are made alike, chosen as wholes where they are not.
#include "tenon/passes/joined_outputs.hpp"
#include "static/support.hpp"
#include "tenon/nn/rope.hpp"
#include "tenon/program/lower.hpp"

namespace tenon::test {
namespace {

template <class... Arguments, class Function> constexpr text joined(Function f) {
  graph const g = passes::joined_outputs(before<Arguments...>("fold", f));
  if (verify(g)) return verify(g);
  return print(passes::dead_nodes(g));
}
template <class... Arguments, class Function> constexpr bool stays(Function f) {
  graph const g = graph_of<Arguments...>(f);
  return print(passes::joined_outputs(g)) == print(g);
}

// One operator for both, whose operands are chosen: of numbers, too.
static_assert(is(joined<f32<4, dyn>, f32<3, dyn>>([](auto q, auto k) {
                   return outputs(sum(q, axis<1>) * 2, sum(k, axis<1>) * 3);
                 }),
                 R"(
%0 = input 0 : f32[4, x0.1]
%1 = input 1 : f32[3, x0.1]
%2 = literal 2 : f32[]
%3 = literal 3 : f32[]
%4 = index : i64[7]
%5 = broadcast %4 [0] : i64[7, x0.1]
%6 = literal 4 : i64[]
%7 = sub %5 %6 : i64[7, x0.1]
%8 = take %0 %5 [-1 1] : f32[7, x0.1]
%9 = take %1 %7 [-1 1] : f32[7, x0.1]
%10 = less %5 %6 : bool[7, x0.1]
%11 = where %10 %8 %9 : f32[7, x0.1]
%12 = sum %11 axes 1 : f32[7]
%13 = less %4 %6 : bool[7]
%14 = where %13 %2 %3 : f32[7]
%15 = mul %12 %14 : f32[7]
return %15:f32 of [0 4 1] %15:f32 of [4 _ 1]
)"));
// Made otherwise: both are computed.
static_assert(is(joined<f32<4, "n">, f32<3, "n">>([](auto q, auto k) {
                   return outputs(q + 1, exp(k));
                 }),
                 R"(
%0 = input 0 : f32[4, n]
%1 = input 1 : f32[3, n]
%2 = literal 1 : f32[]
%3 = add %0 %2 : f32[4, n]
%4 = exp %1 : f32[3, n]
%5 = index : i64[7]
%6 = broadcast %5 [0] : i64[7, n]
%7 = literal 4 : i64[]
%8 = sub %6 %7 : i64[7, n]
%9 = take %3 %6 [-1 1] : f32[7, n]
%10 = take %4 %8 [-1 1] : f32[7, n]
%11 = less %6 %7 : bool[7, n]
%12 = where %11 %9 %10 : f32[7, n]
return %12:f32 of [0 4 1 0 _ 1] %12:f32 of [4 _ 1 0 _ 1]
)"));
// Along whatever axis it was before views, and what both have once is not chosen.
static_assert(is(joined<f32<6, 2>, f32<6, 3>, f32<6>>([](auto q, auto k, auto v) {
                   return outputs(transpose(q) - v, transpose(k) - v);
                 }),
                 R"(
%0 = input 0 : f32[6, 2]
%1 = input 1 : f32[6, 3]
%2 = input 2 : f32[6]
%3 = index : i64[5]
%4 = broadcast %3 [1] : i64[6, 5]
%5 = literal 2 : i64[]
%6 = sub %4 %5 : i64[6, 5]
%7 = take %0 %4 [0 -1] : f32[6, 5]
%8 = take %1 %6 [0 -1] : f32[6, 5]
%9 = less %4 %5 : bool[6, 5]
%10 = where %9 %7 %8 : f32[6, 5]
%11 = transpose %10 [1 0] : f32[5, 6]
%12 = broadcast %2 [1] : f32[5, 6]
%13 = sub %11 %12 : f32[5, 6]
return %13:f32 of [0 2 1 0 _ 1] %13:f32 of [2 _ 1 0 _ 1]
)"));
// More than two; the length of the last is known at run time.
static_assert(is(joined<f32<2>, f32<3>, f32<dyn>>([](auto a, auto b, auto c) {
                   return outputs(exp(a), exp(b), exp(c));
                 }),
                 R"(
%0 = input 0 : f32[2]
%1 = input 1 : f32[3]
%2 = input 2 : f32[x2.0]
%3 = index : i64[5]
%4 = literal 2 : i64[]
%5 = sub %3 %4 : i64[5]
%6 = take %0 %3 [-1] : f32[5]
%7 = take %1 %5 [-1] : f32[5]
%8 = less %3 %4 : bool[5]
%9 = where %8 %6 %7 : f32[5]
%10 = index : i64[x2.0+5]
%11 = literal 5 : i64[]
%12 = sub %10 %11 : i64[x2.0+5]
%13 = take %9 %10 [-1] : f32[x2.0+5]
%14 = take %2 %12 [-1] : f32[x2.0+5]
%15 = less %10 %11 : bool[x2.0+5]
%16 = where %15 %13 %14 : f32[x2.0+5]
%17 = exp %16 : f32[x2.0+5]
return %17:f32 of [0 2 1] %17:f32 of [2 5 1] %17:f32 of [5 _ 1]
)"));

// Several axes, ranks or dtypes that differ, and lengths of which nothing is known.
static_assert(stays<f32<2, 3>, f32<3, 2>>([](auto a, auto b) { return outputs(exp(a), exp(b)); }));
static_assert(stays<f32<2>, f32<2, 3>>([](auto a, auto b) { return outputs(exp(a), exp(b)); }));
static_assert(stays<vector, vector>([](auto a, auto b) { return outputs(exp(a), exp(b)); }));
static_assert(stays<f32<2>, f32<3>>([](auto a, auto b) { return outputs(a < 1, exp(b)); }));
static_assert(stays<f32<2, 3>, f32<3, 4>>([](auto a, auto b) {
  return outputs(sum(a, axis<1>), sum(b, axis<1>));
}));

// Heads of queries and keys have a kernel.
constexpr auto rotated = [](auto q, auto k, auto c) {
  return outputs(rope(q, c, c), rope(k, c, c));
};
static_assert(lower(graph_of<f32<dyn, 32, 64>, f32<dyn, 8, 64>, f32<dyn, 1, 32>>(rotated))
                  .refused == refusal::none);

}  // namespace
}  // namespace tenon::test
