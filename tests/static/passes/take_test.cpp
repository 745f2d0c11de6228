// SPDX-License-Identifier: Apache-2.0
// Elements at indices: what is taken is an argument, whatever stands between.
#include "static/support.hpp"
#include "tenon/capture/arg_reduction.hpp"
#include "tenon/capture/indexing.hpp"

namespace tenon::test {
namespace {

using indices = tensor_argument<dtype::i64, dyn>;
using index_matrix = tensor_argument<dtype::i64, dyn, dyn>;
// @post takes stand on arguments only
template <class... Arguments, class Function> constexpr bool takes_from_arguments(Function f) {
  graph g = optimized<Arguments...>(f);
  for (node const& n : g.nodes)
    if (n.is<ops::take>() && !g.operand(n, 0).is(op_kind::source)) return false;
  return verify(g) == nullptr && g.refused == refusal::none;
}

// Of a pointwise result, and of the rows of a softmax: the reductions are those of the rows that
// are taken, computed once for each.
static_assert(is(
    print(optimized<vector, indices>([](auto x, auto i) { return take(exp(x), i, axis<0>); })), R"(
%0 = input 0 : f32[x0.0]
%1 = input 1 : i64[x1.0]
%2 = take %0 %1 [-1] : f32[x1.0]
%3 = exp %2 : f32[x1.0]
return %3:f32
)"));
static_assert(is(instructions_of<matrix, indices>([](auto x, auto i) {
                   return take(x - max(x, axis<1>, keepdim), i, axis<0>);
                 }),
                 R"(
%0 = load : i64[x1.0] row 0
%1 = address : i64[x1.0 x0.1] element 0
%2 = size : i64[] launch 0
%3 = size : i64[] launch 0
%4 = advance_checked %1 %0 %2 %3 : i64[x1.0 x0.1] element 0
%5 = fetch %4 : f32[x1.0 x0.1] element 0
%6 = max %5 over [x0.1] : f32[x1.0] row 1
%7 = sub %5 %6 : f32[x1.0 x0.1] element 1
)"));
static_assert(takes_from_arguments<cube, indices>([](auto x, auto i) {
  return take(transpose(softmax(x, axis<-1>)), i, axis<1>);
}));
static_assert(takes_from_arguments<matrix, indices>([](auto x, auto i) {
                return take(reshape(x * 2, shape<4, -1>), i, axis<0>);
              }) == false);  // a reshaped argument stays a view

// An index of indices; a slice and a reshape of what was taken.
static_assert(is(print(optimized<vector, indices, indices>([](auto x, auto i, auto j) {
                   return take(take(x, i, axis<0>), j, axis<0>);
                 })),
                 R"(
%0 = input 0 : f32[x0.0]
%1 = input 1 : i64[x1.0]
%2 = input 2 : i64[x2.0]
%3 = take %1 %2 [-1] : i64[x2.0]
%4 = take %0 %3 [-1] : f32[x2.0]
return %4:f32
)"));
static_assert(takes_from_arguments<matrix, index_matrix>([](auto x, auto i) {
  return exp(flatten(take(x, i, axis<0>), axis<0, 1>));
}));
static_assert(is(print(optimized<matrix, indices>([](auto x, auto i) {
                   return exp(slice(take(x, i, axis<0>), axis<0>, range<2, 5>));
                 })),
                 R"(
%0 = input 0 : f32[x0.0, x0.1]
%1 = input 1 : i64[x1.0]
%2 = slice %1 [2 5 1] : i64[x1.0[2:5]]
%3 = broadcast %2 [0] : i64[x1.0[2:5], x0.1]
%4 = take %0 %3 [-1 1] : f32[x1.0[2:5], x0.1]
%5 = exp %4 : f32[x1.0[2:5], x0.1]
return %5:f32
)"));

// Taken from along both axes, one after the other, where an operand is repeated along the one: it
// is read at its one position there.
static_assert(is(print(optimized<matrix, f32<dyn, 1>, indices, indices>([](auto x, auto column,
                                                                           auto i, auto j) {
                   return take(take(x + column, j, axis<1>), i, axis<0>);
                 })),
                 R"(
%0 = input 0 : f32[x0.0, x0.1]
%1 = input 1 : f32[x0.0, 1]
%2 = input 2 : i64[x2.0]
%3 = input 3 : i64[x3.0]
%4 = broadcast %2 [0] : i64[x2.0, x3.0]
%5 = broadcast %3 [1] : i64[x2.0, x3.0]
%6 = take %0 %4 %5 [-1 -2] : f32[x2.0, x3.0]
%7 = take %1 %2 [-1 0] : f32[x2.0]
%8 = broadcast %7 [0] : f32[x2.0, x3.0]
%9 = add %6 %8 : f32[x2.0, x3.0]
return %9:f32
)"));

// A position is its own element: nothing is read.
static_assert(is(instructions_of<vector, indices>([](auto x, auto i) {
                   return take(iota(x, axis<0>), i, axis<0>);
                 }),
                 R"(
%0 = load : i64[x1.0] element 0
%1 = index : i64[x1.0] element 0
%2 = size : i64[] launch 0
%3 = size : i64[] launch 0
%4 = advance_position_checked %1 %0 %2 %3 : i64[x1.0] element 0
)"));

static_assert(is(schedule_of<matrix>([](auto x) { return argmax(x, axis<1>); }),
                 "rows [x0.0] x [x0.1], 1 phase, stores row"));
static_assert(is(schedule_of<matrix>([](auto x) { return argmin(x); }),
                 "full [] x [x0.0 x0.1], 1 phase, stores row"));
static_assert(stays_well_formed<matrix, indices>([](auto x, auto i) {
  return softmax(take(x, i, axis<1>), axis<0>);
}));

}  // namespace
}  // namespace tenon::test
