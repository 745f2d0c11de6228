// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program → what one sweep over the columns reads of an element, and which scans it carries.

#include "tenon/backend/cuda/parts/kernel_arguments.cuh"

namespace tenon::detail {

// What a sweep reads of an element.
template <class Program, int Phase, bool Stores> struct needed_reads {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  static consteval bool holds(int k) {
    instruction_facts const& i = program_traits<Program>::all[k];
    return i.is_read && i.where == place::element &&
           element_needs<Program>::template at<Phase, Stores>.needed[k];
  }
  template <int K> using type = typename at<K>::value_type;
};
// The scans of a sweep, with what each has taken in.
template <class Program, int Phase, bool Stores> struct needed_scans {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  static consteval bool holds(int k) {
    return program_traits<Program>::all[k].is_scan &&
           element_needs<Program>::template at<Phase, Stores>.needed[k];
  }
  template <int K> using type = typename at<K>::op::template state<arithmetic_t<at<K>::type>>;
};
// The first of them from an instruction on; the program's size when there is none.
template <class Program, int Phase, bool Stores> consteval int find_scan(int from) {
  while (from < program_traits<Program>::size && !needed_scans<Program, Phase, Stores>::holds(from))
    ++from;
  return from;
}
template <class Program, int Phase, bool Stores, int From>
inline constexpr int next_scan = find_scan<Program, Phase, Stores>(From);

}  // namespace tenon::detail
