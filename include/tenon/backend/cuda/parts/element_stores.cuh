// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which values the element stores of a program write.

#include <type_traits>

#include "tenon/backend/cuda/parts/kernel_arguments.cuh"

namespace tenon::detail {

template <class T, int N> struct value_list { T at[N]; };

// The instruction whose value store K of elements writes: before a cast to what lies in memory,
// because the store rounds as well.
template <class Program, int K> struct stored_by {
  template <int I> using at = typename program_traits<Program>::template at<I>;
  static constexpr int given = at<K>::first_operand;
  static constexpr int find() {
    if constexpr (std::is_same_v<typename at<given>::op, ops::cast> && is_narrow(at<K>::type) &&
                  at<given>::type == at<K>::type && at<given>::where == place::element) {
      constexpr int before = at<given>::first_operand;
      if constexpr (at<before>::where == place::element &&
                    std::is_same_v<typename at<before>::value_type, float>)
        return before;
    }
    return given;
  }
  static constexpr int instruction = find();
};

// Element stores, with the V values that each is to write.
template <class Program, int V> struct element_stores {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  template <int K> static constexpr bool holds = at<K>::is_store&& at<K>::where == place::element;
  template <int K>
  using type = value_list<typename at<stored_by<Program, K>::instruction>::value_type, V>;
};

// Whether some store is at place element.
template <class Program>
inline constexpr bool has_element_stores = []<int... K>(std::integer_sequence<int, K...>) {
  return (false || ... || element_stores<Program, 1>::template holds<K>);
}
(typename program_traits<Program>::sequence{});

}  // namespace tenon::detail
