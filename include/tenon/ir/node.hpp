// SPDX-License-Identifier: Apache-2.0
#pragma once
// One node of the graph: an operator applied to earlier nodes, as plain values.

#include "tenon/core/config.hpp"
#include "tenon/core/dtype.hpp"
#include "tenon/core/static_vector.hpp"
#include "tenon/ir/dims.hpp"
#include "tenon/ops/op.hpp"

namespace tenon {

// What is taken from, and an index for each of its axes.
inline constexpr int max_operands = 1 + max_rank;

using dim_list = static_vector<dim, max_rank>;
// What a movement operator needs beside its operand: the map of a broadcast or transpose; start,
// stop and step of every axis of a slice, one axis after the other.
using attribute = static_vector<long long, 3 * max_rank>;
inline constexpr int no_attribute = -1;

struct node {
  op_info const* op = nullptr;
  dtype type = dtype::f32;
  static_vector<int, max_operands> operands = {};
  dim_list dims = {};
  unsigned axes = 0;  // reduction, scan: bit k is set for operand axis k; take: bit
                      // j when index j is the user's, to be checked
  int attributes = no_attribute;  // movement: index into the graph's attributes
  long long bits = 0;             // literal: the value; input and scalar: the argument's position

  constexpr int rank() const { return dims.size(); }
  // By address, not by op_id: asking does not register the operator.
  template <class Op> [[gnu::always_inline]] constexpr bool is() const {
    return op == &op_info_of<Op>;
  }
  [[gnu::always_inline]] constexpr bool is(op_kind kind) const { return op->kind == kind; }
  constexpr bool operator==(node const& other) const {
    return op == other.op && type == other.type && bits == other.bits && axes == other.axes &&
           attributes == other.attributes && operands == other.operands && dims == other.dims;
  }
  constexpr unsigned hash() const {
    unsigned h = op->hash;
    auto mix = [&](long long v) { h = (h ^ static_cast<unsigned>(v ^ (v >> 32))) * 16777619u; };
    mix(static_cast<int>(type));
    for (int operand : operands) mix(operand);
    mix(bits);
    mix(axes);
    mix(attributes);
    return h ^ (h >> 15);
  }
};

// Literals hold a double for floating dtypes and a long long for the others, as bits.
constexpr long long literal_bits(dtype type, double number) {
  return is_floating(type) ? __builtin_bit_cast(long long, number) : static_cast<long long>(number);
}
constexpr double literal_number(dtype type, long long bits) {
  return is_floating(type) ? __builtin_bit_cast(double, bits) : static_cast<double>(bits);
}

}  // namespace tenon
