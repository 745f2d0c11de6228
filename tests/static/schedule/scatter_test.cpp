// SPDX-License-Identifier: Apache-2.0
// Updates at indices: the columns are the updates, the rows the elements of the result.
#include "tenon/capture/scatter.hpp"
#include "static/support.hpp"
#include "tenon/capture/functions.hpp"
#include "tenon/capture/movement.hpp"
#include "tenon/nn/softmax.hpp"

namespace tenon::test {
namespace {

using numbers = tensor_argument<dtype::i64, dyn>;
using positions = tensor_argument<dtype::i64, dyn, dyn>;

static_assert(is(schedule_of<matrix, numbers, matrix>([](auto b, auto i, auto u) {
                   return exp(scatter_add(b * 2, axis<0>, i, relu(u)));
                 }),
                 "scatter [x0.0 x0.1] x [x1.0], 1 phase, stores row"));
static_assert(is(schedule_of<matrix, positions, matrix>([](auto b, auto i, auto u) {
                   return scatter(b, axis<1>, i, u);
                 }),
                 "scatter [x0.0 x0.1] x [x1.1], 1 phase, stores row"));
static_assert(is(schedule_of<matrix, numbers, matrix>([](auto b, auto i, auto u) {
                   return sum(scatter_add(b, axis<0>, i, u), axis<1>);
                 }),
                 "refused: scatter_is_used_elsewhere"));
static_assert(is(schedule_of<matrix, numbers, matrix>([](auto b, auto i, auto u) {
                   return scatter_add(b, axis<0>, i, u) + scatter_max(b, axis<0>, i + 1, u);
                 }),
                 "refused: scatter_is_used_elsewhere"));
// A part of the result takes in what is for it.
static_assert(is(schedule_of<matrix, numbers, matrix>([](auto b, auto i, auto u) {
                   return slice(scatter_add(b, axis<0>, i, u), axis<0>, range<1, 3>);
                 }),
                 "scatter [x0.0[1:3] x0.1] x [x1.0], 1 phase, stores row"));
static_assert(stays_well_formed<matrix, numbers, matrix>([](auto b, auto i, auto u) {
  return transpose(scatter(b, axis<0>, i, u));
}));

}  // namespace
}  // namespace tenon::test
