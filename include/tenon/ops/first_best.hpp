// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is chosen of numbers that come in the order of their positions: of equal ones the first, so
// that no position is looked at on the way.

#include "tenon/ops/indexed_reduction.hpp"

namespace tenon::ops {

// Of the numbers that come, for the choice Op. `at`: which of them, as 32 bits tell.
template <class Op, class T> struct first_best {
  T best = Op::template identity<T>().number;
  unsigned at = 0;

  // Takes in number `step`, if it is live. @pre the steps ascend, and the first one of all is 0: it
  // is what is chosen where no number is better than the identity
  constexpr TENON_HD void take(T x, unsigned step, bool is_live) {
    // Better, or NaN where there was none: one comparison each. No branch: lanes differ.
    bool const is_no_better = (x == best) | Op::is_better(best, x);
    bool const takes = !is_no_better & (best == best) & is_live;
    best = takes ? x : best;
    at = takes ? step : at;
  }
};

}  // namespace tenon::ops
