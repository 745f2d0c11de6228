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
void expect_close(reference::doubles const& result, rotation const& expected,
                  std::string const& what = "") {
  check_close(tenon::dtype_of<T>, result, expected.value,
              {.arithmetic = 16, .scale = &expected.scale}, what);
}
