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

template <int K, class State> struct column_levels { buffer<State> levels[3]; };
template <class Program, int K, bool IsReduction> struct column_slot {};
template <class Program, int K>
struct column_slot<Program, K, true>
    : column_levels<K, typename program_traits<Program>::template at<K>::value_type> {};
template <class Program, class Sequence> struct column_file;
template <class Program, int... K>
struct column_file<Program, std::integer_sequence<int, K...>>
    : column_slot<Program, K, is_column_reduction<Program, K>>... {};

template <int K, class State> auto& levels_of(column_levels<K, State>& s) { return s.levels; }

// A state takes in 64 rows, then enters the next level: the rounding error of a sum grows with
// 64 + 64 + rows / 4096 additions rather than with the number of rows.
template <class Program>
class column_states : column_file<Program, typename program_traits<Program>::sequence> {
 public:
  column_states() = default;
  explicit column_states(long long columns) {
    for_each_column_reduction<Program>([&](auto index) {
      constexpr int k = decltype(index)::value;
      for (auto& level : levels_of<k>(*this))
        level.assign(columns, identity<k>());
    });
  }

  // The states that take in the next row.
  template <int K> auto* innermost() { return levels_of<K>(*this)[0].data(); }

  void after_row() {
    if (++rows_ % 64 == 0) raise(0);
    if (rows_ % 4096 == 0) raise(1);
  }

  // @post the outermost level has everything
  void finish() { raise(0), raise(1); }

  // @pre both are finished. @post this part has what `later` has, too
  void append(column_states& later) {
    for_each_column_reduction<Program>([&](auto index) {
      constexpr int k = decltype(index)::value;
      combine<k>(levels_of<k>(*this)[2], levels_of<k>(later)[2]);
    });
  }

  // @pre it is finished. Moves the results of one column to where later instructions read them.
  void take(long long column, registers<Program, place::total>& target) {
    for_each_column_reduction<Program>([&](auto index) {
      constexpr int k = decltype(index)::value;
      tenon::detail::read_register<k>(target) = levels_of<k>(*this)[2][column];
    });
  }

 private:
  template <int K> static auto identity() {
    using I = typename program_traits<Program>::template at<K>;
    return I::op::template identity<arithmetic_t<I::type>>();
  }
  template <int K, class State>
  static void combine(buffer<State>& earlier, buffer<State> const& later) {
    using op = typename program_traits<Program>::template at<K>::op;
    for (long long c = 0; c < earlier.size(); ++c) earlier[c] = op::combine(earlier[c], later[c]);
  }
  void raise(int level) {
    for_each_column_reduction<Program>([&](auto index) {
      constexpr int k = decltype(index)::value;
      auto& levels = levels_of<k>(*this);
      combine<k>(levels[level + 1], levels[level]);
      levels[level].assign(levels[level].size(), identity<k>());
    });
  }

  long long rows_ = 0;
};

}  // namespace tenon::cpu_backend
