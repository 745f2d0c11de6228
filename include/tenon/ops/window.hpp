// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where an element is stored of a result that is a part of what is computed.

#include "tenon/ops/math.hpp"
#include "tenon/ops/op.hpp"

namespace tenon::ops {

// (position, start, step, extent): which element of the part is at a position along an axis; -1
// where none is.
struct window_index : pointwise_op<4> {
  static constexpr text_view name = "window_index";
  static constexpr int cost = 4;
  static constexpr TENON_HD long long eval(long long position, long long start, long long step,
                                           long long extent) {
    long long const further = position - start, index = further / step;
    bool const is_inside = index * step == further && index >= 0 && index < extent;
    return is_inside ? index : -1;
  }
};

// No place: no element of the result. Strides may be negative, and so may every other offset.
inline constexpr long long nowhere = math::smallest<long long>;

// (offset, index, stride): the offset moved along an axis; nowhere if that is no element.
struct window_offset : pointwise_op<3> {
  static constexpr text_view name = "window_offset";
  static constexpr int cost = 2;
  static constexpr TENON_HD long long eval(long long offset, long long index, long long stride) {
    return offset == nowhere || index < 0 ? nowhere : offset + index * stride;
  }
};

}  // namespace tenon::ops
