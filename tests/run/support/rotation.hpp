// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rotated rows in double precision, and how far a result may be from them.

#include "run/support/close.hpp"

// Rows of x whose halves are rotated, each by its row of the tables in turn.
struct rotation {
  reference::doubles value, scale;

  rotation(reference::doubles const& x, reference::doubles const& cosines,
           reference::doubles const& sines)
      : value(x.extents), scale(x.extents) {
    std::int64_t const size = x.extents.back(), half = size / 2, rows = cosines.size() / half;
    for (std::int64_t at = 0; at < x.size(); ++at) {
      std::int64_t const i = at % size, angle = at / size % rows * half + i % half;
      double const other = i < half ? -x[at + half] : x[at - half];
      value[at] = x[at] * cosines[angle] + other * sines[angle];
      scale[at] = std::abs(x[at] * cosines[angle]) + std::abs(other * sines[angle]);
    }
  }
};
template <class T>
void expect_close(reference::doubles const& result, rotation const& expected, int roundings) {
  ASSERT_EQ(result.size(), expected.value.size());
  double const arithmetic = 1e-6, stored = precision_of(tenon::dtype_of<T>).roundoff;
  for (std::int64_t at = 0; at < result.size(); ++at)
    ASSERT_NEAR(result[at], expected.value[at],
                expected.scale[at] * arithmetic + std::abs(expected.value[at]) * stored * roundings)
        << "at " << at;
}
