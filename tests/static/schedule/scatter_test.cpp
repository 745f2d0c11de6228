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

// How many positions each update is for, and how many updates in all are for some position: the
// positions are not rows then, which take in their own updates.
template <unsigned Axes, class Base, class Index>
constexpr auto counted_updates(Base const& base, Index const& index) {
  graph& g = *base.owner;
  dim_list of_base = dim_list(g[base.id].dims), length;
  length.push_back(of_base[0]);
  int const target = build::pointwise(
      g, op_id<ops::target_position>,
      {{detail::along_last(g, index.id, 1), build::size(g, length, dtype::i64)}, 2});
  int const is_for = build::pointwise(g, op_id<ops::is_target>,
                                      {{target, detail::base_position(g, length, 0)}, 2});
  int const one = build::integer_literal(g, dtype::i64, 1),
            none = build::integer_literal(g, dtype::i64, 0);
  int const counted = build::pointwise(g, op_id<ops::where>, {{is_for, one, none}, 3});
  return build::reduce(g, op_id<ops::sum>, counted, Axes);
}
static_assert(is(schedule_of<vector, numbers>([](auto b, auto i) {
                   return value<dtype::i64, dyn>{b.owner, counted_updates<0b10>(b, i)};
                 }),
                 "scatter [x0.0] x [x1.0], 1 phase, stores row"));
static_assert(is(schedule_of<vector, numbers>([](auto b, auto i) {
                   return value<dtype::i64, dyn>{b.owner, counted_updates<0b01>(b, i)};
                 }),
                 "refused: scatter_is_used_elsewhere"));
static_assert(is(schedule_of<vector, numbers>([](auto b, auto i) {
                   return value<dtype::i64>{b.owner, counted_updates<0b11>(b, i)};
                 }),
                 "refused: scatter_is_used_elsewhere"));

static_assert(stays_well_formed<matrix, numbers, matrix>([](auto b, auto i, auto u) {
  return transpose(scatter(b, axis<0>, i, u));
}));

}  // namespace
}  // namespace tenon::test
