// SPDX-License-Identifier: Apache-2.0
#pragma once
// Movement operators: they compute nothing; the passes turn them into index maps of the loads.

#include "tenon/ops/op.hpp"

namespace tenon::ops {

struct movement_op : basic_op<op_kind::movement, 1> {
  static constexpr int cost = 0;
};
// Operand axis k becomes result axis map[k]; the other result axes repeat the operand.
struct broadcast : movement_op {
  static constexpr text_view name = "broadcast";
};
// As broadcast, when the map is a permutation.
struct transpose : movement_op {
  static constexpr text_view name = "transpose";
};
// Result index i along axis k reads operand index start[k] + i * step[k].
struct slice : movement_op {
  static constexpr text_view name = "slice";
};
// The same elements in row-major order under another shape.
struct reshape : movement_op {
  static constexpr text_view name = "reshape";
};
// Operand axis k has the position of result axis map[k], or, where map[k] = -1 - j, the one that operand 1 + j, an i64,
// names. Outside of the operand the element is missing: see ops::fetch.
struct take : movement_op {
  static constexpr text_view name = "take";
};

}  // namespace tenon::ops
