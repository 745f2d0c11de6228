// SPDX-License-Identifier: Apache-2.0
#pragma once
// What writing at indices is made of: each position of the result reduces the updates whose index
// names it, in their order.

#include "tenon/ops/indexing.hpp"
#include "tenon/ops/reduction.hpp"

namespace tenon::ops {

// (index, extent): the position that an index of the user's names; a negative one counts from the
// end. One that is outside is a mistake and names no position.
struct target_position : pointwise_op<2> {
  static constexpr text_view name = "target_position";
  static constexpr int cost = 4;
  static TENON_HD long long eval(long long index, long long extent) {
    long long const wrapped = index < 0 ? index + extent : index;
    if (static_cast<unsigned long long>(wrapped) < static_cast<unsigned long long>(extent))
      return wrapped;
    detail::report_index("scatter", index, extent);
    return -1;
  }
};

// (target position, position): whether an update is for this position. The scatter family finds the
// pairs for which it is; no other family computes it.
struct is_target : pointwise_op<2> {
  static constexpr text_view name = "is_target";
  static constexpr dtype_rule rule = rules::compare;
  static constexpr TENON_HD bool eval(long long target, long long position) {
    return target == position;
  }
};

// As the reductions of these names, of no element too: the base has one.
struct greatest_update : maximum_of {
  static constexpr text_view name = "greatest_update";
  static constexpr bool is_defined_on_empty = true;
};
struct least_update : minimum_of {
  static constexpr text_view name = "least_update";
  static constexpr bool is_defined_on_empty = true;
};
// The last of several positions, -1 of none.
struct last_update : number_reduction {
  static constexpr text_view name = "last_update";
  template <class T> static constexpr TENON_HD T identity() { return T(-1); }
  template <class T> static constexpr TENON_HD T combine(T x, T y) { return x < y ? y : x; }
};

}  // namespace tenon::ops
