// SPDX-License-Identifier: Apache-2.0
// Slice bounds against Python's: the expected rows are what range(length)[start:stop:step] gives.

#include "tenon/tensor/slice.hpp"

namespace tenon::detail {
namespace {

constexpr std::int64_t open = open_bound, lowest = std::numeric_limits<std::int64_t>::min();

static_assert(resolve_range(10, open, open, 1) == axis_range{0, 1, 10});
static_assert(resolve_range(10, 2, 5, 1) == axis_range{2, 1, 3});
static_assert(resolve_range(10, -3, open, 1) == axis_range{7, 1, 3});
static_assert(resolve_range(10, open, -3, 1) == axis_range{0, 1, 7});
static_assert(resolve_range(10, 1, 9, 3) == axis_range{1, 3, 3});
static_assert(resolve_range(10, 1, 8, 3) == axis_range{1, 3, 3});
static_assert(resolve_range(10, 1, 7, 3) == axis_range{1, 3, 2});
static_assert(resolve_range(10, 5, 2, 1) == axis_range{0, 1, 0});
static_assert(resolve_range(10, 100, 200, 1) == axis_range{0, 1, 0});
static_assert(resolve_range(10, -100, 100, 1) == axis_range{0, 1, 10});
static_assert(resolve_range(10, open, open, -1) == axis_range{9, -1, 10});
static_assert(resolve_range(10, 7, 2, -2) == axis_range{7, -2, 3});
static_assert(resolve_range(10, 7, 1, -2) == axis_range{7, -2, 3});
static_assert(resolve_range(10, -1, -4, -1) == axis_range{9, -1, 3});
static_assert(resolve_range(10, 2, 7, -1) == axis_range{0, 1, 0});
static_assert(resolve_range(10, 100, -100, -3) == axis_range{9, -3, 4});
static_assert(resolve_range(0, open, open, 1) == axis_range{0, 1, 0});
static_assert(resolve_range(0, open, open, -1) == axis_range{0, 1, 0});
static_assert(resolve_range(1, open, open, -1) == axis_range{0, 1, 1});
static_assert(resolve_range(10, open, open, open) == axis_range{0, 1, 1},
              "a step past the end is never taken");
static_assert(resolve_range(10, open, open, lowest) == axis_range{9, 1, 1});
static_assert(resolve_range(10, lowest, open - 1, 1) == axis_range{0, 1, 10},
              "far bounds are clamped");

}  // namespace
}  // namespace tenon::detail
