// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program → what one sweep over the columns reads of an element, and which scans it carries.

#include "tenon/backend/cuda/parts/kernel_arguments.cuh"

namespace tenon::detail {

// What a sweep reads of an element.
template <class Program, int Phase, bool Stores> struct needed_reads {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  template <int K>
  static constexpr bool holds =
      at<K>::is_read&& at<K>::where ==
      place::element&& element_needs<Program>::template at<Phase, Stores>.needed[K];
  template <int K> using type = typename at<K>::value_type;
};
// The scans of a sweep, with what each has taken in.
template <class Program, int Phase, bool Stores> struct needed_scans {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  template <int K>
  static constexpr bool holds =
      at<K>::is_scan&& element_needs<Program>::template at<Phase, Stores>.needed[K];
  template <int K> using type = typename at<K>::op::template state<arithmetic_t<at<K>::type>>;
};
// The first of them from instruction From on; the program's size when there is none.
template <class Program, int Phase, bool Stores, int From>
inline constexpr int next_scan = []<int... K>(std::integer_sequence<int, K...>) {
  int found = program_traits<Program>::size;
  ((found = found == program_traits<Program>::size && K >= From &&
                    needed_scans<Program, Phase, Stores>::template holds<K>
                ? K
                : found),
   ...);
  return found;
}
(typename program_traits<Program>::sequence{});

}  // namespace tenon::detail
