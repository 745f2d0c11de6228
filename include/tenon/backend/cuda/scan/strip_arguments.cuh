// SPDX-License-Identifier: Apache-2.0
#pragma once
// The parameter block of the kernel that scans strips of neighbouring rows, and which programs have
// it.

#include "tenon/backend/cuda/parts/side_arguments.cuh"
#include "tenon/backend/cuda/scan/block_values.cuh"
#include "tenon/backend/cuda/scan/strip_share.cuh"

namespace tenon::detail {

// Scans along rows, and what is computed of elements before and after them.
template <class Program>
inline constexpr bool may_have_strips = [] {
  using traits = program_traits<Program>;
  bool varies = false, result = traits::has_scans && !traits::has_reduction &&
                                !traits::has_blocks && !traits::has_total &&
                                !traits::stores_parts && element_operands<Program>::loads <= 4;
  for (instruction_facts const& i : traits::all) {
    varies = varies || (i.moves_elements && i.varies_over_rows);
    result = result && !i.is_fetch && !(i.is_store && i.where != place::element);
  }
  return result && varies && element_operands<Program>::loads > 0;
}();

// What is needed of an element for scan End, or, where End is the program's size, to be stored.
template <class Program, int End> struct strip_needs {
  using traits = program_traits<Program>;
  using table = typename element_needs<Program>::table;
  static consteval table compute() {
    if constexpr (End == traits::size) {
      return element_needs<Program>::template at<1, true>;
    } else {
      table t;
      for (int k = End; k >= 0; --k) {
        instruction_facts const& i = traits::all[k];
        if (k == End || (t.needed[k] && i.where == place::element))
          for (int n = 0; n < i.operand_count; ++n) t.needed[i.operands[n]] = true;
      }
      return t;
    }
  }
  static constexpr table all = compute();
};
// Element loads of that, of one position.
template <class Program, int V, int End = program_traits<Program>::size> struct strip_loads {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  static consteval bool holds(int k) {
    instruction_facts const& i = program_traits<Program>::all[k];
    return i.is_load && i.where == place::element && strip_needs<Program, End>::all.needed[k];
  }
  template <int K> using type = vector_list<storage_t<at<K>::type>, V, 1>;
};
// The scan that is found first.
template <class Program> inline constexpr int first_scan = next_scan<Program, 1, true, 0>;

// How many there are before instruction K, and words of their states of one row.
template <class Program> consteval int scans_before(int k) {
  int result = 0;
  for (int earlier = 0; earlier < k; ++earlier)
    result += program_traits<Program>::all[earlier].is_scan;
  return result;
}
template <class Program, int K>
inline constexpr int scan_words_before = [
]<int... Earlier>(std::integer_sequence<int, Earlier...>) {
  auto const of = []<class I>(I) {
    if constexpr (I::is_scan)
      return static_cast<int>(sizeof(typename I::op::template state<arithmetic_t<I::type>>) + 3) /
             4;
    else
      return 0;
  };
  return (0 + ... + of(typename program_traits<Program>::template at<Earlier>{}));
}
(std::make_integer_sequence<int, K>{});
template <class Program>
inline constexpr int words_of_scans = scan_words_before<Program, program_traits<Program>::size>;

template <class Program> struct strip_arguments : side_arguments<Program> {
  using base = side_arguments<Program>;
  long long innermost;  // rows along the innermost row axis
  // Elements to the next position, and to the next row along the innermost row axis.
  long long load_steps[base::loads_held], store_steps[base::stores_held];
  long long load_along[base::loads_held], store_along[base::stores_held];
  int lanes, warps_along, steps, strips, parts;
  int lanes_log2, warps_log2;              // of lanes and warps_along
  int vectors_of_tile, positions_of_tile;  // of all warps
  int strips_by, parts_by;                 // from a tile of a block to its next one
  bool is_walked;
  bool is_single;  // one row axis
  cache_policy stored = goes_first;
};

}  // namespace tenon::detail
