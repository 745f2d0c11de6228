// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is known of an integer for all elements that begin a vector: its step from one element of
// the vector to the next, or to the next that is another one, its remainders and its bounds.

namespace tenon::detail {

constexpr long long greatest_divisor(long long a, long long b) {
  a = a < 0 ? -a : a, b = b < 0 ? -b : b;
  while (b != 0) {
    long long const rest = a % b;
    a = b, b = rest;
  }
  return a;
}

// The first element of a vector has base + modulus * n for some n, within [low, high]; element i
// has `step` * floor(i / times) more. A modulus of 0: always base.
struct vector_fact {
  bool is_known = false;
  long long step = 0, base = 0, modulus = 0, low = 0, high = 0;
  long long times = 1;  // divides the number of a vector's elements
  // Whether vector number n of every row begins with base + step * n times a vector's elements.
  bool is_line = false;

  static constexpr vector_fact of(long long value) { return {true, 0, value, 0, value, value}; }
  static constexpr vector_fact truth() { return {true, 0, 0, 1, 0, 1}; }

  constexpr bool is_exact() const { return is_known && step == 0 && modulus == 0; }
  // Whether the first element's value is a multiple of n.
  constexpr bool is_multiple_of(long long n) const {
    return is_known && base % n == 0 && modulus % n == 0;
  }
  // Whether a vector of n elements has all of them below 0 or none.
  constexpr bool has_one_sign(int n) const {
    return is_known && (step == 0 || (step == 1 && is_multiple_of(n / times)));
  }
  // Whether neighbours of so many bytes have others between them and are at most `most` of them
  // apart.
  constexpr bool steps_over(int bytes, int most) const {
    return times == 1 && step % bytes == 0 && step > bytes && step <= most * bytes;
  }
  constexpr vector_fact within(long long least, long long most) const {
    vector_fact result = *this;
    result.low = least, result.high = most;
    return result;
  }
  constexpr bool is_empty() const { return high < low; }
};

constexpr vector_fact operator+(vector_fact const& a, vector_fact const& b) {
  bool const go_alike = a.step == 0 || b.step == 0 || a.times == b.times;
  return {a.is_known && b.is_known && go_alike,
          a.step + b.step,
          a.base + b.base,
          greatest_divisor(a.modulus, b.modulus),
          a.low + b.low,
          a.high + b.high,
          a.step != 0 ? a.times : b.times,
          (a.is_line && b.is_exact()) || (b.is_line && a.is_exact())};
}
constexpr vector_fact operator*(vector_fact const& a, long long by) {
  long long const one = a.low * by, other = a.high * by;
  return {a.is_known,
          a.step * by,
          a.base * by,
          a.modulus * (by < 0 ? -by : by),
          one < other ? one : other,
          one < other ? other : one,
          a.times};
}
constexpr vector_fact operator-(vector_fact const& a, vector_fact const& b) { return a + b * -1; }
constexpr vector_fact operator*(vector_fact const& a, vector_fact const& b) {
  if (b.is_exact()) return a * b.base;
  if (a.is_exact()) return b * a.base;
  return {};
}
// floor(a / b), for vectors of n elements: the same for all of one, or for so many of them as b
// says.
// @pre b is one number above 0
constexpr vector_fact quotient_of(vector_fact const& a, vector_fact const& b, int n) {
  if (!a.is_known || !b.is_exact() || b.base < 1) return {};
  auto const floor = [&](long long x) { return x / b.base - (x % b.base < 0); };
  if (a.is_exact()) return vector_fact::of(floor(a.base));
  long long const values = n / a.times;  // that a vector has
  bool const begins_even = a.step == 0 || a.has_one_sign(n);
  if (!begins_even) return {};
  if (a.step == 0 || b.base % values == 0) return {true, 0, 0, 1, floor(a.low), floor(a.high)};
  if (values % b.base != 0) return {};
  return {
      true, 1, a.base / b.base, a.modulus / b.base, floor(a.low), floor(a.high), a.times * b.base};
}
// a - b * floor(a / b), for vectors of n elements. @pre b is one number above 0
constexpr vector_fact remainder_of(vector_fact const& a, vector_fact const& b, int n) {
  if (!a.is_known || !b.is_exact() || b.base < 1) return {};
  long long const modulus = greatest_divisor(a.modulus, b.base),
                  base = (a.base % modulus + modulus) % modulus;
  vector_fact const result{true, a.step, base, modulus, 0, b.base - 1, a.times};
  // A vector that goes on by one ends where the remainders do, at the latest.
  return result.has_one_sign(n) ? result : vector_fact{};
}

// Either of the two, the same one for a whole vector.
constexpr vector_fact one_of(vector_fact const& a, vector_fact const& b) {
  bool const go_alike = a.step == b.step && (a.step == 0 || a.times == b.times);
  return {a.is_known && b.is_known && go_alike,
          a.step,
          a.base,
          greatest_divisor(greatest_divisor(a.modulus, b.modulus), a.base - b.base),
          a.low < b.low ? a.low : b.low,
          a.high > b.high ? a.high : b.high,
          a.times};
}

}  // namespace tenon::detail
