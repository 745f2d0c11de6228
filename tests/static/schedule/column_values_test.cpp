// SPDX-License-Identifier: Apache-2.0
// Values of columns over rows that are reduced, too: what may be done with them in the same kernel,
// and the reason why something may not.
#include "static/support.hpp"
#include "tenon/capture/arg_reduction.hpp"
#include "tenon/capture/indexing.hpp"

namespace tenon::test {
namespace {

static_assert(schedule_of<f32<"T", 64>, f32<"T", 64>>([](auto x, auto mask) {
                return mean(softmax(x, axis<1>), axis<0>) * mean(mask, axis<0>);
              }) == "mixed [T] x [64], 2 phases, stores column");
static_assert(schedule_of<matrix>([](auto x) {
                return sum(mean(softmax(x, axis<1>), axis<0>) * mean(x, axis<0>));
              }) == "refused: column_values_are_reduced");
static_assert(schedule_of<matrix>([](auto x) {
                auto first = iota(x, axis<1>) == argmax(x, axis<1>, keepdim);
                return outputs(mean(softmax(x, axis<1>), axis<0>), sum(first, axis<0>));
              }) == "refused: positions_beside_columns");

}  // namespace
}  // namespace tenon::test
