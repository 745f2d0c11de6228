// SPDX-License-Identifier: Apache-2.0
// The family of totals of slices.
#include "static/support.hpp"

namespace tenon::test {
namespace {

// Totals of what slices leave of a tensor are those of its rows, unless these begin or end in the
// midst of vectors, which one sweep takes.
static_assert(schedule_of<matrix>([](auto x) {
                return sum(slice(x, axis<1>, range<1, tenon::end>) -
                           slice(x, axis<1>, range<0, -1>));
              }) == "full [] x [x0.0 x0.1[1:]], 1 phase, stores row");
static_assert(schedule_of<matrix>([](auto x) { return sum(slice(x, axis<1>, range<4, -4>)); }) ==
              "nested [x0.0] x [x0.1[4:-4]], 1 phase, total, stores total");
static_assert(schedule_of<matrix>([](auto x) {
                return sum(slice(x, axis<1>, range<1, tenon::end, 2>));
              }) == "nested [x0.0] x [x0.1[1::2]], 1 phase, total, stores total");

}  // namespace
}  // namespace tenon::test
