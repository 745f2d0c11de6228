// SPDX-License-Identifier: Apache-2.0
#pragma once
// The reductions over the rows of every column: one running state per column and reduction, in
// levels, and their combination over parts of the rows.

#include <utility>

#include "tenon/backend/cpu/buffer.hpp"
#include "tenon/backend/cpu/reduction_states.hpp"

namespace tenon::cpu_backend {

// Whether instruction K reduces elements over the rows.
template <class Program, int K>
inline constexpr bool is_column_reduction = [] {
  using I = typename program_traits<Program>::template at<K>;
  return I::is_reduction && I::where == place::column;
}();
template <class Program, class Visit> void for_each_column_reduction(Visit const& visit) {
  visit_instructions<Program>([&](auto index) {
    if constexpr (is_column_reduction<Program, decltype(index)::value>) visit(index);
  });
}

template <int K, class State> struct column_levels { buffer<State> innermost, levels[60]; };
template <class Program, int K, bool IsReduction> struct column_slot {};
template <class Program, int K>
struct column_slot<Program, K, true>
    : column_levels<K, typename program_traits<Program>::template at<K>::value_type> {};
template <class Program, class Sequence> struct column_file;
template <class Program, int... K>
struct column_file<Program, std::integer_sequence<int, K...>>
    : column_slot<Program, K, is_column_reduction<Program, K>>... {};

template <int K, class State> column_levels<K, State>& slot_of(column_levels<K, State>& s) {
  return s;
}

// The innermost states take in 4 rows. Above them a binary counter, as in pairwise.hpp: level k has
// 2^k times as many rows, so that the rounding error grows with the logarithm of their number.
template <class Program>
class column_states : column_file<Program, typename program_traits<Program>::sequence> {
 public:
  column_states() = default;
  explicit column_states(long long columns) {
    for_each_column_reduction<Program>([&](auto index) {
      constexpr int k = decltype(index)::value;
      slot_of<k>(*this).innermost.assign(columns, identity<k>());
    });
  }

  // The states that take in the next row.
  template <int K> auto* innermost() { return slot_of<K>(*this).innermost.data(); }

  void after_row() {
    if (++rows_ % rows_of_innermost != 0) return;
    for_each_column_reduction<Program>([&](auto index) {
      constexpr int k = decltype(index)::value;
      auto& states = slot_of<k>(*this);
      int level = 0;
      for (long long full = rows_ / rows_of_innermost - 1; full & 1; full >>= 1)
        combine<k>(states.levels[level++], states.innermost);
      states.levels[level].resize(states.innermost.size());
      std::swap(states.levels[level], states.innermost);
      for (auto& state : states.innermost) state = identity<k>();
    });
  }

  // @post the innermost states have everything
  void finish() {
    for_each_column_reduction<Program>([&](auto index) {
      constexpr int k = decltype(index)::value;
      auto& states = slot_of<k>(*this);
      int level = 0;
      for (long long full = rows_ / rows_of_innermost; full != 0; full >>= 1, ++level)
        if (full & 1) combine<k>(states.levels[level], states.innermost);
    });
  }

  // @pre both are finished. @post this part has what `later` has, too
  void append(column_states& later) {
    for_each_column_reduction<Program>([&](auto index) {
      constexpr int k = decltype(index)::value;
      auto& mine = slot_of<k>(*this).innermost;
      combine<k>(mine, slot_of<k>(later).innermost);
      std::swap(mine, slot_of<k>(later).innermost);
    });
  }

  // @pre it is finished. Moves the results of one column to where later instructions read them.
  void take(long long column, registers<Program, place::total>& target) {
    for_each_column_reduction<Program>([&](auto index) {
      constexpr int k = decltype(index)::value;
      tenon::detail::read_register<k>(target) = slot_of<k>(*this).innermost[column];
    });
  }

 private:
  static constexpr long long rows_of_innermost = 4;

  template <int K> static auto identity() {
    using I = typename program_traits<Program>::template at<K>;
    return I::op::template identity<arithmetic_t<I::type>>();
  }
  // @post `later` has both
  template <int K, class State>
  static void combine(buffer<State> const& earlier, buffer<State>& later) {
    using op = typename program_traits<Program>::template at<K>::op;
    for (long long c = 0; c < later.size(); ++c) later[c] = op::combine(earlier[c], later[c]);
  }

  long long rows_ = 0;
};

}  // namespace tenon::cpu_backend
