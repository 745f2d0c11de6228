// SPDX-License-Identifier: Apache-2.0
// Rows' results reduced over some of the rows' axes: which expressions are one kernel, and which
// are refused.
#include "static/support.hpp"

namespace tenon::test {
namespace {

static_assert(schedule_of<cube>([](auto x) {
                return outputs(sum(x, axis<-1>), sum(x, axis<-1, -2>), sum(x));
              }) == "planes [x0.0 x0.1] x [x0.2], 1 phase, total, stores row plane total");
static_assert(schedule_of<cube>([](auto x) {
                return outputs(mean(x, axis<-1>), mean(x, axis<-1, -2>) * 2);
              }) == "planes [x0.0 x0.1] x [x0.2], 1 phase, stores row plane");
static_assert(schedule_of<tesseract>([](auto x) {
                return outputs(max(x, axis<2, 3>), max(x, axis<0, 2, 3>), max(x));
              }) == "planes [x0.0 x0.1] x [x0.2 x0.3], 1 phase, total, stores row plane total");
static_assert(schedule_of<cube>([](auto x) {
                return outputs(softmax(x, axis<2>), mean(logsumexp(x, axis<2>), axis<1>));
              }) == "planes [x0.0 x0.1] x [x0.2], 2 phases, stores element plane");
static_assert(schedule_of<cube>([](auto x) { return sum(relu(sum(x, axis<2>)), axis<0>); }) ==
              "planes [x0.1 x0.0] x [x0.2], 1 phase, stores plane");
static_assert(schedule_of<cube>([](auto x) {
                return sum(relu(sum(x, axis<1, 2>))) + sum(relu(sum(x, axis<2>)), axis<1>);
              }) == "refused: several_levels");
static_assert(schedule_of<tesseract>([](auto x) {
                return outputs(sum(x, axis<3>), sum(x, axis<2, 3>), sum(x, axis<1, 2, 3>));
              }) == "refused: several_levels");

}  // namespace
}  // namespace tenon::test
