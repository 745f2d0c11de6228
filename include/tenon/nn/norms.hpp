// SPDX-License-Identifier: Apache-2.0
#pragma once
// Norms and counts as reductions: called as sum is, with axes and keepdim.

#include "tenon/capture/operators.hpp"

namespace tenon {

inline constexpr function l1_norm{[](auto x, auto... options) { return sum(abs(x), options...); }};
// The sum of squares overflows where a component is beyond the root of the largest number.
inline constexpr function l2_norm{[](auto x, auto... options) { return sqrt(sum(square(x), options...)); }};
inline constexpr function inf_norm{[](auto x, auto... options) { return max(abs(x), options...); }};
inline constexpr function sum_of_squares{[](auto x, auto... options) { return sum(square(x), options...); }};
// An i64; NaN counts.
inline constexpr function count_nonzero{[](auto x, auto... options) { return sum(x != 0, options...); }};

}  // namespace tenon
