// SPDX-License-Identifier: Apache-2.0
// Steps, remainders and bounds of integers along vectors.
#include "tenon/backend/vector_facts.hpp"

namespace tenon::detail {
namespace {

// Every eighth position of 64, each with its seven neighbours.
constexpr vector_fact position{true, 1, 0, 8, 0, 56};
constexpr auto of = [](long long n) { return vector_fact::of(n); };

static_assert((position + of(16)).is_multiple_of(8) && !(position + of(4)).is_multiple_of(8));
static_assert((position - of(16)).low == -16 && (position - of(16)).high == 40);
static_assert((position * 4).step == 4 && (position * 4).is_multiple_of(32));
static_assert(!(position * position).is_known && (of(3) * of(4)).base == 12);
static_assert((position * -2).low == -112 && (position * -2).high == 0);

// A vector lies on one side of a multiple of its width, and across others.
static_assert((position - of(24)).has_one_sign(8) && !(position - of(25)).has_one_sign(8));
static_assert((position * 0 + of(25)).has_one_sign(8), "the same for a whole vector");
static_assert(!(of(63) - position).has_one_sign(8), "backwards");

// Few vectors may change their sign in their midst, if they are the same ones of every row.
constexpr vector_fact along_row{true, 1, -13, 8, -13, 43, 1, true};
constexpr auto breaks_of = [](auto... numbers) {
  vector_breaks result;
  return (result.note(numbers, 8) && ...) ? result.count : -1;
};
static_assert(along_row.is_line == (along_row - of(3)).is_line && !(along_row - along_row).is_line);
static_assert(breaks_of(along_row) == 1 && breaks_of(along_row, along_row - of(1)) == 1);
static_assert(breaks_of(along_row, along_row - of(20), along_row + of(5)) == 2);
static_assert(breaks_of(along_row + of(13), along_row - of(51)) == 0, "not below 0, or all of it");
static_assert(breaks_of(position - of(13)) == -1, "no line");
static_assert([] {
  vector_breaks result;
  return result.note(along_row, 8) && result.at[0] == 1;
}());

// Quotients are the same for a vector or for as many of its elements as divide it, and remainders
// go on as it does.
constexpr vector_fact row{true, 0, 0, 1, -3, 20};
static_assert(quotient_of(row, of(4), 8).low == -1 && quotient_of(row, of(4), 8).high == 5);
static_assert(quotient_of(of(-5), of(2), 8).base == -3 && quotient_of(of(-5), of(2), 8).is_exact());
static_assert(!quotient_of(position + of(4), of(8), 8).is_known &&
              !quotient_of(row, of(0), 8).is_known);
static_assert(!quotient_of(row, row, 8).is_known && !quotient_of(position, of(3), 8).is_known);
static_assert(quotient_of(position, of(8), 8).step == 0 &&
              quotient_of(position, of(8), 8).high == 7);
static_assert(quotient_of(position, of(24), 8).step == 0);
constexpr vector_fact in_pairs = quotient_of(position, of(2), 8);
static_assert(in_pairs.step == 1 && in_pairs.times == 2 && in_pairs.is_multiple_of(4) &&
              in_pairs.high == 28);
static_assert(in_pairs.has_one_sign(8) && !(in_pairs - of(2)).has_one_sign(8));
static_assert((in_pairs - of(12)).has_one_sign(8) && !(in_pairs - of(14)).has_one_sign(8));
static_assert(quotient_of(in_pairs, of(2), 8).times == 4 &&
              quotient_of(in_pairs, of(4), 8).step == 0);
static_assert((in_pairs * 4).times == 2 && (in_pairs + of(8)).times == 2);
static_assert(!(in_pairs + position).is_known && !one_of(in_pairs, position).is_known);
static_assert(remainder_of(in_pairs, of(12), 8).times == 2 &&
              !remainder_of(in_pairs, of(6), 8).is_known);
static_assert(remainder_of(row, of(7), 8).high == 6 && remainder_of(row, of(7), 8).low == 0);
static_assert(remainder_of(position, of(24), 8).step == 1);
static_assert(remainder_of(position - of(16), of(24), 8).is_multiple_of(8));
static_assert(!remainder_of(position, of(12), 8).is_known, "it ends within a vector");
static_assert(!remainder_of(position + of(4), of(24), 8).is_known);
static_assert(remainder_of(of(-5), of(3), 8).base == 1);

// Of two values what both have.
static_assert(one_of(position, position + of(4)).is_multiple_of(4));
static_assert(!one_of(position, position + of(4)).is_multiple_of(8));
static_assert(!one_of(position, of(0)).is_known, "one goes on and one does not");
static_assert(one_of(of(3), of(3)).is_exact() && !one_of(of(3), of(4)).is_exact());
static_assert(greatest_divisor(-12, 8) == 4 && greatest_divisor(0, 5) == 5);

}  // namespace
}  // namespace tenon::detail
