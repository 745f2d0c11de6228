// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program → its random operators of which neighbouring elements share calls of the generator.

#include "tenon/program/evaluate.hpp"

namespace tenon {
namespace detail {

template <class Op> inline constexpr bool is_random = requires { Op::per_call; };
// Most programs have none, and then nothing else of this file is instantiated.
template <class Program> inline constexpr bool has_random = false;
template <class... Instructions>
inline constexpr bool has_random<program<Instructions...>> =
    (false || ... || is_random<typename instruction_traits<Instructions>::op>);

struct nothing_drawn {
  static consteval bool holds(int) { return false; }
};

// Of what evaluate_element<Phase, Stores> computes: the random operators of an element's own
// position, with a seed and a stream that all elements of a row have. Their numbers may be drawn
// for many elements before any is evaluated.
template <class Program, int Phase, bool Stores> struct drawn {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  template <int K> static constexpr bool is_common() {
    return at<K>::where == place::launch || at<K>::where == place::row;
  }
  template <int K> static constexpr bool is_drawn() {
    using I = at<K>;
    if constexpr (!is_random<typename I::op>)
      return false;
    else
      return computed_of_element<Program, Phase, Stores>::holds(K) &&
             is_common<I::first_operand>() && is_common<I::second_operand>() &&
             at<I::third_operand>::is_position && at<I::third_operand>::where == place::element;
  }
  template <int K> static constexpr bool holds = is_drawn<K>();
};

}  // namespace detail
}  // namespace tenon
