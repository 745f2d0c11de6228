// SPDX-License-Identifier: Apache-2.0
// Values of columns over rows that are reduced, too: what may be done with them in the same kernel,
// and the reason why something may not.
#include "static/support.hpp"
#include "tenon/capture/arg_reduction.hpp"
#include "tenon/capture/indexing.hpp"
#include "tenon/capture/pattern.hpp"

namespace tenon::test {
namespace {

static_assert(schedule_of<f32<"T", 64>, f32<"T", 64>>([](auto x, auto mask) {
                return mean(softmax(x, axis<1>), axis<0>) * mean(mask, axis<0>);
              }) == "mixed [T] x [64], 2 phases, stores column");
static_assert(schedule_of<matrix>([](auto x) {
                return sum(mean(softmax(x, axis<1>), axis<0>) * mean(x, axis<0>));
              }) == "mixed [x0.0] x [x0.1], 2 phases, total, stores total");
static_assert(schedule_of<matrix>([](auto x) {
                return mean(logsumexp(x, axis<1>)) + mean(logsumexp(x, axis<0>));
              }) == "mixed [x0.0] x [x0.1], 1 phase, total, stores total");
// Some of the columns' axes.
static_assert(schedule_of<f32<"T", "H", "D">>([](auto x) {
                return sum(mean(x * var(x, axis<1, 2>, keepdim), axis<0>), axis<0>);
              }) == "refused: column_values_are_reduced");
// Of a square matrix rows and columns are told apart by which axis of it they are.
static_assert(schedule_of<f32<"N", "N">>([](auto x) {
                return outputs(sum(x, axis<1>), sum(x, axis<0>));
              }) == "mixed [N] x [N], 1 phase, stores row column");
static_assert(schedule_of<matrix>([](auto x) {
                return mean(logsumexp(x, axis<1>)) + mean(logsumexp(x, axis<0>)) -
                       mean(diagonal(x, axis<0, 1>));
              }) == "mixed [x0.0] x [x0.0], 1 phase, total, stores total");
static_assert(schedule_of<matrix>([](auto x) {
                auto first = iota(x, axis<1>) == argmax(x, axis<1>, keepdim);
                return outputs(mean(softmax(x, axis<1>), axis<0>), sum(first, axis<0>));
              }) == "mixed [x0.0] x [x0.1], 2 phases, stores column column");
// Positions are told apart, elements at indices are not read.
static_assert(schedule_of<matrix, tensor_argument<dtype::i64, 7>, matrix>(
                  [](auto x, auto classes, auto bias) {
                    auto y = x + take(bias, classes, axis<0>);
                    return outputs(sum(softmax(y, axis<1>), axis<0>));
                  }) == "refused: positions_beside_columns");

}  // namespace
}  // namespace tenon::test
