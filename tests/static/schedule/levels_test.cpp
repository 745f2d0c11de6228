// SPDX-License-Identifier: Apache-2.0
// What planes of rows come to, used again by these rows or their elements: which expressions are
// one kernel, and which are refused.
#include "static/support.hpp"

namespace tenon::test {
namespace {

// Global response normalisation, with the channels last and first.
constexpr auto response = [](auto x, auto positions, auto channels) {
  auto g = tenon::sqrt(sum(x * x, positions, keepdim));
  return g / (mean(g, channels, keepdim) + 1e-6f);
};
static_assert(schedule_of<cube>([](auto x) { return x * response(x, axis<1>, axis<2>) + x; }) ==
              "levels [x0.0 x0.2] x [x0.1], 1 phase, stores element");
static_assert(schedule_of<cube>([](auto x) { return x * response(x, axis<2>, axis<1>) + x; }) ==
              "levels [x0.0 x0.1] x [x0.2], 1 phase, stores element");
static_assert(schedule_of<cube>([](auto x) { return response(x, axis<1>, axis<2>); }) ==
              "levels [x0.0 x0.2] x [x0.1], 1 phase, stores row");
// Of one plane they are totals.
static_assert(schedule_of<matrix>([](auto x) { return x * response(x, axis<0>, axis<1>); }) ==
              "grid [x0.1] x [x0.0], 1 phase, total, stores element");
static_assert(schedule_of<cube>([](auto x) {
                return sum(x, axis<-1>, keepdim) / sum(x, axis<-2, -1>, keepdim);
              }) == "levels [x0.0 x0.1] x [x0.2], 1 phase, stores row");
// A plane's own values are results, too; what is computed of them alone is theirs.
static_assert(schedule_of<cube>([](auto x) {
                auto whole = sum(x, axis<1, 2>, keepdim);
                return outputs(x / whole + sum(x, axis<2>, keepdim),
                               squeeze(whole * 2, axis<1, 2>));
              }) == "levels [x0.0 x0.1] x [x0.2], 1 phase, stores element total");
// Beside what all rows come to, or reduced further.
static_assert(schedule_of<cube>([](auto x) {
                return outputs(x / sum(x, axis<1, 2>, keepdim), tenon::max(sum(x, axis<2>)));
              }) == "refused: several_levels");
static_assert(schedule_of<cube>([](auto x) {
                auto rows = sum(x, axis<2>, keepdim);
                auto planes = sum(rows, axis<1>, keepdim);
                return outputs(rows / planes, sum(planes));
              }) == "refused: several_levels");

}  // namespace
}  // namespace tenon::test
