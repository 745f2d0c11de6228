// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where an integer changes its sign in the midst of a vector: few vectors of a row, if it goes on
// with the row.

#include "tenon/backend/vector_fact.hpp"

namespace tenon::detail {

class vector_breaks {
 public:
  static constexpr int most = 4;

  int count = 0;
  long long at[most] = {};  // numbers of vectors along the row

  // Whether vectors of `width` elements have all of them below 0 or none, except the ones that are
  // noted. Those that the number says have none beyond its bounds.
  constexpr bool note(vector_fact const& f, int width) {
    if (f.has_one_sign(width)) return true;
    if (!f.is_known || f.step != 1) return false;
    if (f.low >= 0 || f.high + width <= 0) return true;
    if (!f.is_line) return false;
    long long const first = -f.base;  // that is not below 0
    return first % width == 0 || add(first / width);
  }

 private:
  constexpr bool add(long long vector) {
    for (int k = 0; k < count; ++k)
      if (at[k] == vector) return true;
    if (count == most) return false;
    at[count++] = vector;
    return true;
  }
};

}  // namespace tenon::detail
