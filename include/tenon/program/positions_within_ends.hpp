// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program → which of its numbers are another one around the ends of a length: where what is
// rolled comes from.

#include "tenon/program/traits.hpp"

namespace tenon::detail {

// The numbers that such a one follows from; -1: it is no such number.
struct position_around_ends {
  int from = -1, length = -1;

  constexpr bool is_one() const { return from >= 0; }
};

// `ops` has the operator of each instruction, up to the one that is looked at.
template <class Program> class wrapped_positions {
 public:
  constexpr explicit wrapped_positions(op_info const* const* ops) : ops_(ops) {}

  // Around one end: from + length where that is below 0, or from - length where it is not below
  // the length; else from.
  constexpr position_around_ends of(int k) const {
    if (!is<ops::where>(k) || !is<ops::less>(operand(k, 0))) return {};
    int const from = operand(operand(k, 0), 0), limit = operand(operand(k, 0), 1);
    if (is_literal(limit, 0) && operand(k, 2) == from) {
      int const sum = operand(k, 1);
      if (!is<ops::add>(sum)) return {};
      bool const is_first = operand(sum, 0) == from;
      int const length = operand(sum, is_first ? 1 : 0);
      return is_first || operand(sum, 1) == from ? position_around_ends{from, length}
                                                 : position_around_ends{};
    }
    int const rest = operand(k, 2);
    bool const is_behind = operand(k, 1) == from && is<ops::sub>(rest) &&
                           operand(rest, 0) == from && operand(rest, 1) == limit;
    return is_behind ? position_around_ends{from, limit} : position_around_ends{};
  }
  // The literal that number k is, but for multiples of the length; -1: it is no such number.
  constexpr int rest_of(int k, int length) const {
    if (!is<ops::fmod>(k) || !is<ops::literal>(operand(k, 0))) return -1;
    int const by = operand(k, 1);
    bool const is_length =
        by == length ||
        (is<ops::maximum>(by) && (operand(by, 0) == length || operand(by, 1) == length) &&
         (is_literal(operand(by, 0), 1) || is_literal(operand(by, 1), 1)));
    return is_length ? operand(k, 0) : -1;
  }

 private:
  template <class Op> constexpr bool is(int k) const { return ops_[k] == op_id<Op>; }
  constexpr int operand(int k, int n) const { return program_traits<Program>::all[k].operands[n]; }
  constexpr bool is_literal(int k, long long number) const {
    return is<ops::literal>(k) && program_traits<Program>::all[k].bits == number;
  }
  op_info const* const* ops_;
};

}  // namespace tenon::detail
