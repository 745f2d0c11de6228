// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program → its comparisons of positions, which go on by as much from each element to its
// neighbour, with one another or with what all elements of a row have: masks, triangles, windows.

#include "tenon/ops/comparison.hpp"
#include "tenon/program/drawn.hpp"

namespace tenon::detail {

// Instructions whose values follow from positions by additions of what is far from any limit of its
// type, so that no sum of a few of them wraps.
template <class Program> struct position_values {
  using traits = program_traits<Program>;
  template <int K> using at = typename traits::template at<K>;
  static constexpr int size = traits::size;
  static constexpr int most_terms = 4;
  static constexpr long long most_literal = 1ll << 60;

  struct table {
    int terms[size > 0 ? size : 1] = {};  // 0: no such value
    // What is added from one element to the next, if each position goes on by one.
    int steps[size > 0 ? size : 1] = {};
    bool moves[size > 0 ? size : 1] = {};  // differs from element to element

    template <int K> constexpr void visit() {
      using I = at<K>;
      using op = typename I::op;
      constexpr bool is_difference = std::is_same_v<op, ops::sub>;
      constexpr bool is_small = I::bits <= most_literal && I::bits >= -most_literal;
      if constexpr (I::type != dtype::i64) {
        return;
      } else if constexpr (std::is_same_v<op, ops::index>) {
        terms[K] = 1, moves[K] = I::where == place::element, steps[K] = moves[K];
      } else if constexpr (I::is_size || (std::is_same_v<op, ops::literal> && is_small)) {
        terms[K] = 1;
      } else if constexpr (std::is_same_v<op, ops::add> || is_difference) {
        constexpr int left = I::first_operand, right = I::second_operand;
        if (terms[left] == 0 || terms[right] == 0 || terms[left] + terms[right] > most_terms)
          return;
        terms[K] = terms[left] + terms[right];
        steps[K] = steps[left] + (is_difference ? -steps[right] : steps[right]);
        moves[K] = moves[left] || moves[right];
      }
    }
  };
  static consteval table compute() {
    table result;
    if constexpr (traits::has_positions) [&]<int... K>(std::integer_sequence<int, K...>) {
        (result.template visit<K>(), ...);
      }
    (typename traits::sequence{});
    return result;
  }
  static constexpr table all = compute();

  template <int K> static constexpr bool moves = all.moves[K];
  template <int K> static constexpr int step = all.steps[K];
  // Whether it is one, or is known before the elements are.
  template <int K>
  static constexpr bool is_known = at<K>::type == dtype::i64 &&
                                   (all.terms[K] > 0 || at<K>::where == place::launch ||
                                    at<K>::where == place::row);
};

// Of what evaluate_element<Phase, Stores> computes: comparisons of two such values, of which one
// goes on by one where the other stays. They may be made for many elements at once.
template <class Program, int Phase, bool Stores> struct compared {
  using values = position_values<Program>;
  template <int K> static constexpr bool is_compared() {
    using I = typename program_traits<Program>::template at<K>;
    if constexpr (!std::is_base_of_v<ops::comparison_op, typename I::op>) {
      return false;
    } else {
      constexpr int left = I::first_operand, right = I::second_operand;
      constexpr int by = values::template step<left> - values::template step<right>;
      return computed_of_element<Program, Phase, Stores>::holds(K) &&
             values::template is_known<left> && values::template is_known<right> &&
             (by == 1 || by == -1);
    }
  }
  template <int K> static constexpr bool holds = is_compared<K>();
};

}  // namespace tenon::detail
