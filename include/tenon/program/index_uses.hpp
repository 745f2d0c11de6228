// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program → which of its loads are indices and nothing else, of one of which neighbouring
// elements are found: of a row, or, where elements are only reduced, of rows that lie beside each
// other.

#include "tenon/ops/cast.hpp"
#include "tenon/ops/indexing.hpp"
#include "tenon/program/traits.hpp"

namespace tenon::detail {

template <class Op>
inline constexpr bool is_advance =
    std::is_same_v<Op, ops::advance> || std::is_same_v<Op, ops::advance_checked>;

template <class Program> struct index_uses {
  using traits = program_traits<Program>;
  template <int K> using at = typename traits::template at<K>;
  static constexpr int size = traits::size;

  struct table {
    bool leads[size > 0 ? size : 1] = {};    // to an address, as the index that moves it
    bool is_used[size > 0 ? size : 1] = {};  // for something else
    bool is_found[size > 0 ? size : 1] = {};

    template <int K, int... Operands>
    constexpr void visit_user(std::integer_sequence<int, Operands...>) {
      using I = at<K>;
      using op = typename I::op;
      constexpr bool is_cast = std::is_same_v<op, ops::cast> && I::type == dtype::i64;
      [[maybe_unused]] bool const goes_on = is_cast && leads[K] && !is_used[K];
      [[maybe_unused]] int position = 0;
      ((goes_on || (is_advance<op> && position++ == 1) ? leads[Operands] = true
                                                       : is_used[Operands] = true),
       ...);
    }
    template <int K> constexpr void visit() {
      using I = at<K>;
      bool const is_index = leads[K] && !is_used[K] && I::where == place::element;
      if constexpr (I::is_load)
        is_found[K] = is_index && is_integer(I::type) &&
                      (traits::has_reduction ? I::is_of_some_rows : I::repeats);
      else if constexpr (std::is_same_v<typename I::op, ops::cast>)
        is_found[K] = is_index && is_found[I::first_operand];
    }
  };
  static constexpr table compute() {
    table result;
    if constexpr (traits::has_fetches)
      [&]<int... K>(std::integer_sequence<int, K...>) {
        // Users come after their operands.
        (result.template visit_user<size - 1 - K>(typename at<size - 1 - K>::operands{}), ...);
        (result.template visit<K>(), ...);
      }
    (typename traits::sequence{});
    return result;
  }
  static constexpr table all = compute();

  template <int K> static constexpr bool is_found = all.is_found[K];

 private:
  static constexpr bool is_integer(dtype d) { return d != dtype::boolean && !is_floating(d); }
};

}  // namespace tenon::detail
