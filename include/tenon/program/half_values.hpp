// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program that exchanges elements between the halves of an axis → which of its reads and numbers
// a thread has already for the second half, if it has an element of either.

#include "tenon/program/moved_values.hpp"

namespace tenon::detail {

// What follows from the program alone: two operands at the same address are not the same operand,
// for another call of the same plan has them elsewhere.
template <class Program> struct half_values {
  using traits = program_traits<Program>;
  using values = moved_values<Program>;
  template <int K> using at = typename traits::template at<K>;
  static constexpr int size = traits::size;

  struct table {
    int others[size > 0 ? size : 1] = {};      // 1 + the read whose element in the other half it is
    bool is_chosen[size > 0 ? size : 1] = {};  // one of two such elements, which are had
    // A number that is another one in the second half, or what is found by such numbers.
    bool differs[size > 0 ? size : 1] = {};
    bool goes_on[size > 0 ? size : 1] = {};  // lies somewhere else in the second half
    int condition = -1;                      // whether it is the first half
    int count = 0;                           // of others
    int bytes = 0;                           // of one element of all that is read, in both halves

    template <int K> static constexpr bool is_marked() {
      constexpr bool is_choice = std::is_same_v<typename at<K>::op, ops::where>;
      if constexpr ((traits::all[K].is_fetch || is_choice) && at<K>::bits > 0)
        return values::all.kinds[K] == moved_kind::fetched;
      else
        return false;
    }
    template <int K> static constexpr bool has_own() {
      if constexpr (is_marked<K>())
        return values::template reads<static_cast<int>(at<K>::bits - 1)>;
      else
        return false;
    }
    constexpr void take(int k, long long bits) {
      count += others[k] == 0;
      others[k] = static_cast<int>(bits);
    }
    template <int K> constexpr void find_other() {
      using I = at<K>;
      if constexpr (values::template is_fetched<K> && is_marked<K>()) {
        if constexpr (has_own<K>()) {
          take(K, I::bits);
        } else if constexpr (!traits::all[K].is_fetch) {
          constexpr int first = I::second_operand, second = I::third_operand;
          if constexpr (has_own<first>() && has_own<second>()) {
            is_chosen[K] = true;
            take(first, at<first>::bits), take(second, at<second>::bits);
          }
        }
      }
    }
    template <int K, int... Operands>
    constexpr void find_difference(std::integer_sequence<int, Operands...>) {
      using I = at<K>;
      using op = typename I::op;
      if constexpr (std::is_same_v<op, ops::less> && I::bits == tells_half) condition = K;
      goes_on[K] = traits::all[K].goes_on_in_halves || (false || ... || goes_on[Operands]);
      differs[K] = (false || ... || differs[Operands]);
      if constexpr (std::is_same_v<op, ops::index>) differs[K] = goes_on[K];
      if constexpr (std::is_same_v<op, ops::where> && I::bits == is_alike_in_halves)
        differs[K] = goes_on[K] = false;
    }
    template <int K> constexpr void add_bytes() {
      bool const is_read = values::template reads<K> && others[K] == 0 && !is_chosen[K];
      if (is_read) bytes += size_of(at<K>::type) * (differs[K] || goes_on[K] ? 2 : 1);
    }
  };
  static constexpr table compute() {
    table result;
    if constexpr (values::is_movement) [&]<int... K>(std::integer_sequence<int, K...>) {
        (result.template find_other<K>(), ...);
        (result.template find_difference<K>(typename at<K>::operands{}), ...);
        (result.template add_bytes<K>(), ...);
      }
    (typename traits::sequence{});
    return result;
  }
  static constexpr table all = compute();

  // Whether a thread is to have a vector of either half, and how many it has.
  static constexpr bool is_found = all.count > 0;
  static constexpr int parts = is_found ? 2 : 1;
  // Bytes of one element of all that is read by such a thread.
  static constexpr int bytes_read = is_found ? all.bytes : values::bytes_read;
  static constexpr int condition = is_found ? all.condition : -1;
  // The read whose element in the other half read K is; -1: none.
  template <int K> static constexpr int other = all.others[K] - 1;
  template <int K> static constexpr bool is_chosen = all.is_chosen[K];
  // Of a number, or of what is found by numbers.
  template <int K> static constexpr bool differs = is_found&& all.differs[K];
  // Of a read: the same element in both halves.
  template <int K> static constexpr bool is_common = is_found && !all.differs[K] && !all.goes_on[K];
  // Whether a store finds its place by other numbers in the second half. What such a place begins
  // with goes on like an operand.
  template <int K> static constexpr bool place_differs() {
    using I = at<K>;
    if constexpr (std::is_same_v<typename I::op, ops::window_offset>)
      return differs<I::second_operand> || differs<I::third_operand> ||
             place_differs<I::first_operand>();
    else
      return differs<K> && !std::is_same_v<typename I::op, ops::index>;
  }
};

}  // namespace tenon::detail
