// SPDX-License-Identifier: Apache-2.0
#pragma once
// Slices of one operand that overlap, as a kernel has them: the elements that all of them together
// have of a row, of which each takes its own.

#include "tenon/backend/cuda/parts/element_stores.cuh"
#include "tenon/backend/cuda/parts/element_tile.cuh"
#include "tenon/program/drawn.hpp"

namespace tenon::detail {

// How far the slices of a program reach beyond the first of them.
template <class Program> struct stencil_of {
  using traits = program_traits<Program>;
  // Of one group, or of all; 0 where there is none.
  static consteval int reach(int group) {
    int result = 0;
    for (instruction_facts const& i : traits::all) {
      bool const is_meant = i.moves_elements && i.is_load && i.in_stencil.group != 0 &&
                            (group == 0 || i.in_stencil.group == group);
      if (is_meant && i.in_stencil.down > result) result = i.in_stencil.down;
    }
    return result;
  }
  // The load that stands for all of its group: the first of them.
  static consteval int leader(int k) {
    int const group = traits::all[k].in_stencil.group;
    for (int first = 0; group != 0 && first < k; ++first) {
      instruction_facts const& i = traits::all[first];
      if (i.is_load && i.moves_elements && i.in_stencil.group == group) return first;
    }
    return k;
  }
  // Whether the kernels of overlapping slices have the program.
  static consteval bool is_plain() {
    int slots = 0;
    for (instruction_facts const& i : traits::all) {
      if (i.is_computed && i.where == place::element) slots += i.cost;
      if (!i.moves_elements) continue;
      if (i.is_window || i.is_reversed || i.is_gathered || i.beside.count > 0)
        return false;
    }
    // A thread's code is repeated for each of its elements.
    return slots <= 128 && !traits::has_positions && !traits::has_fetches &&
           !traits::has_reduction && !has_random<Program>;
  }
};
template <class Program>
inline constexpr bool has_stencil =
    stencil_of<Program>::reach(0) > 0 && stencil_of<Program>::is_plain();

// A thread's rows of the result, R of V elements each: the loads that stand for what a thread has,
// one for each group and each other operand.
template <class Program, int V, int R> struct stencil_loads {
  using traits = program_traits<Program>;
  template <int K> using at = typename traits::template at<K>;
  template <int K>
  static constexpr int reach = at<K>::in_stencil.group == 0
                                   ? 0
                                   : stencil_of<Program>::reach(at<K>::in_stencil.group);
  // What does not vary from row to row is there once.
  template <int K>
  static constexpr bool is_fixed = at<K>::in_stencil.group == 0 && at<K>::in_stencil.down != 0;
  template <int K> static constexpr int rows = is_fixed<K> ? 1 : R + reach<K>;

  static consteval bool holds(int k) {
    return traits::all[k].is_load && traits::all[k].where == place::element &&
           element_needs<Program>::template at<1, true>.needed[k] &&
           stencil_of<Program>::leader(k) == k;
  }
  template <int K> using type = vector_list<storage_t<at<K>::type>, V, rows<K>>;
};

}  // namespace tenon::detail
