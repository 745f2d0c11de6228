// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program → which of its numbers are another one kept within the ends of a length: where what is
// rolled comes from, or padded by elements of its own.

#include "tenon/program/traits.hpp"

namespace tenon::detail {

// What stands for a position beyond an end.
enum class beyond_ends : unsigned char {
  around,    // the one as far from the other end
  mirrored,  // the one as far inside
  clamped,   // the end
};
// The numbers that such a one follows from; -1: it is no such number.
struct position_within_ends {
  int from = -1;
  int length = -1;  // clamped: less 1
  int period = -1;  // mirrored: twice the length less 1, as the program has it
  beyond_ends how = beyond_ends::around;

  constexpr bool is_one() const { return from >= 0; }
};

// `ops` has the operator of each instruction, up to the one that is looked at.
template <class Program> class positions_within_ends {
 public:
  constexpr explicit positions_within_ends(op_info const* const* ops) : ops_(ops) {}

  constexpr position_within_ends of(int k) const {
    if (is<ops::where>(k) && is<ops::less>(operand(k, 0)))
      return is<ops::remainder>(operand(k, 1)) ? mirrored(k) : around_one(k);
    if (is<ops::remainder>(k)) return {operand(k, 0), operand(k, 1)};
    if (is<ops::clamp>(k) && is_literal(operand(k, 1), 0))
      return {operand(k, 0), operand(k, 2), -1, beyond_ends::clamped};
    return {};
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
  // Around one end: from + length where that is below 0, or from - length where it is not below
  // the length; else from.
  constexpr position_within_ends around_one(int k) const {
    int const from = operand(operand(k, 0), 0), limit = operand(operand(k, 0), 1);
    if (is_literal(limit, 0) && operand(k, 2) == from) {
      int const sum = operand(k, 1);
      if (!is<ops::add>(sum)) return {};
      bool const is_first = operand(sum, 0) == from;
      int const length = operand(sum, is_first ? 1 : 0);
      return is_first || operand(sum, 1) == from ? position_within_ends{from, length}
                                                 : position_within_ends{};
    }
    int const rest = operand(k, 2);
    bool const is_behind = operand(k, 1) == from && is<ops::sub>(rest) &&
                           operand(rest, 0) == from && operand(rest, 1) == limit;
    return is_behind ? position_within_ends{from, limit} : position_within_ends{};
  }
  // The rest by a period where it is below the length, or what the period has more than it.
  constexpr position_within_ends mirrored(int k) const {
    int const rest = operand(k, 1), back = operand(k, 2), period = operand(rest, 1);
    bool const is_one = operand(operand(k, 0), 0) == rest && is<ops::sub>(back) &&
                        operand(back, 0) == period && operand(back, 1) == rest;
    return is_one ? position_within_ends{operand(rest, 0), operand(operand(k, 0), 1), period,
                                         beyond_ends::mirrored}
                  : position_within_ends{};
  }

  template <class Op> constexpr bool is(int k) const { return ops_[k] == op_id<Op>; }
  constexpr int operand(int k, int n) const { return program_traits<Program>::all[k].operands[n]; }
  constexpr bool is_literal(int k, long long number) const {
    return is<ops::literal>(k) && program_traits<Program>::all[k].bits == number;
  }
  op_info const* const* ops_;
};

}  // namespace tenon::detail
