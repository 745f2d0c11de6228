// SPDX-License-Identifier: Apache-2.0
#pragma once
// Nodes without operands: the arguments of the expression and the values known without them.

#include "tenon/ops/op.hpp"

namespace tenon::ops {

// Argument number `node.slot`: a tensor, or a run-time scalar when its rank is 0 and it was passed by value.
struct input : basic_op<op_kind::source, 0> {
  static constexpr text_view name = "input";
};
struct scalar : basic_op<op_kind::source, 0> {
  static constexpr text_view name = "scalar";
};
// A number written in the expression.
struct literal : basic_op<op_kind::source, 0> {
  static constexpr text_view name = "literal";
};
// The number of elements along some dims: what a mean divides by.
struct size : basic_op<op_kind::source, 0> {
  static constexpr text_view name = "size";
};
// The position along its one axis, as i64.
struct index : basic_op<op_kind::source, 0> {
  static constexpr text_view name = "index";
};

// In a program: reads operand number `bits` at the current position.
struct load : basic_op<op_kind::source, 0> {
  static constexpr text_view name = "load";
};
// In a program: reads what the instruction before it fetches, for a whole vector, of operand number
// `bits` or others.
struct load_fetched : basic_op<op_kind::source, 0> {
  static constexpr text_view name = "load_fetched";
};
// In a program: where operand number `bits` has its element of the current position, in bytes, as i64; 0 where there is no
// position. An index is an operand too, whose element is its position.
struct address : basic_op<op_kind::source, 0> {
  static constexpr text_view name = "address";
};
// In a program: writes its operand to output number `bits`; where it has a second one, that many
// elements from the output's first, and nothing where that is negative.
struct store : basic_op<op_kind::source, 1> {
  static constexpr text_view name = "store";
};

}  // namespace tenon::ops
