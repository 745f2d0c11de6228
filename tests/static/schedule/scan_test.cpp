// SPDX-License-Identifier: Apache-2.0
// Scans: their axis is the columns, swept in order; what comes before and after is part of the
// sweeps.
#include "tenon/capture/scan.hpp"
#include "static/support.hpp"
#include "tenon/capture/sort.hpp"
#include "tenon/capture/indexing.hpp"

namespace tenon::test {
namespace {

static_assert(is(schedule_of<matrix>([](auto x) { return cumsum(x, axis<0>) * 2; }),
                 "scan [x0.1] x [x0.0], 0 phases, stores element"));
static_assert(is(schedule_of<matrix>([](auto x) { return cumsum(softmax(x, axis<1>), axis<1>); }),
                 "scan [x0.0] x [x0.1], 2 phases, stores element"));
static_assert(is(schedule_of<vector>([](auto x) { return sum(cummax(x, axis<0>)); }),
                 "scan [] x [x0.0], 1 phase, stores row"));
static_assert(is(schedule_of<matrix>([](auto x) {
                   return cumsum(x, axis<0>) + cumsum(x, axis<1>);
                 }),
                 "refused: scans_along_two_axes"));
static_assert(is(schedule_of<matrix>([](auto x) { return cumsum(sum(x, axis<0>), axis<0>); }),
                 "refused: several_axis_groups"));

// A sort has all of its axis before it gives anything; then the axis is swept in that order.
static_assert(is(schedule_of<matrix>([](auto x) {
                   return cumsum(sort(softmax(x, axis<1>), axis<1>, descending), axis<1>);
                 }),
                 "sort [x0.0] x [x0.1], 2 phases, stores element"));
static_assert(is(schedule_of<matrix>([](auto x) { return sum(sort(x, axis<0>), axis<0>); }),
                 "sort [x0.1] x [x0.0], 1 phase, stores row"));
static_assert(is(schedule_of<matrix>([](auto x) {
                   return sort(x, axis<0>) + cumsum(x, axis<0>, reversed);
                 }),
                 "refused: scans_along_two_axes"));

// A view along the other axes is one of the operand.
static_assert(is(print(optimized<matrix>([](auto x) {
                   return exp(slice(cumsum(x, axis<1>, exclusive, reversed), axis<0>, range<1, 3>));
                 })),
                 R"(
%0 = input 0 : f32[x0.0, x0.1]
%1 = slice %0 [1 3 1 0 _ 1] : f32[x0.0[1:3], x0.1]
%2 = cumsum %1 mode 3 axes 1 : f32[x0.0[1:3], x0.1]
%3 = exp %2 : f32[x0.0[1:3], x0.1]
return %3:f32
)"));
static_assert(stays_well_formed<matrix>([](auto x) { return transpose(cumsum(x, axis<0>)) + 1; }));

}  // namespace
}  // namespace tenon::test
