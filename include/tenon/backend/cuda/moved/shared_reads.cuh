// SPDX-License-Identifier: Apache-2.0
#pragma once
// What several vectors of a thread read alike, as heads at one position do of tables of angles: it
// is read once, where the vectors are neighbours along an axis that it does not vary along.

#include "tenon/backend/cuda/flat/plan.cuh"
#include "tenon/backend/cuda/moved/arguments.cuh"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

// Whether a program that finds no place itself stores several results, or pieces of one, of
// operands some of which are repeated by whole vectors: of one result these are less than what is
// its own.
template <class Program>
inline constexpr bool shares_tables = [] {
  using planner = flat_planner;
  if (planner::is_bound_by_arithmetic<Program> || planner::width<Program> == 1) return false;
  if (program_traits<Program>::has_reduction || has_random<Program>) return false;
  int stores = 0;
  bool is_shared = false, is_known = true;
  for (instruction_facts const& i : program_traits<Program>::all) {
    stores += i.is_store && i.moves_elements;
    is_shared = is_shared || (i.moves_elements && i.repeats && !i.is_splat);
    is_known = is_known && !i.is_position && !i.is_fetch && !i.is_window;
  }
  return is_known && is_shared && stores > 1;
}();

// Indices that memory holds are no vectors, and of what they lead to there are; what is read once
// for several vectors may take several accesses.
template <class Program>
inline constexpr int moved_width =
    moved_values<Program>::has_found ? 16 / moved_values<Program>::widest
    : shares_tables<Program>         ? element_operands<Program>::own_width
                                     : element_operands<Program>::vector_width;

// The axis along which most bytes of an element are repeated; of several the outermost.
// @pre the program has no positions
template <class Program> [[gnu::cold]] int most_repeated_axis(bound_layout const& layout) {
  int result = 0, most = 0;
  for (int d = 0; d + 1 < layout.columns.dims; ++d) {
    int bytes = 0;
    visit_instructions<Program>([&](auto index) {
      using I = typename program_traits<Program>::template at<decltype(index)::value>;
      if constexpr (I::is_load && I::moves_elements)
        if (layout.loads[I::bits].column_strides[d] == 0) bytes += size_of(I::type);
    });
    if (bytes > most) result = d, most = bytes;
  }
  return result;
}

}  // namespace tenon::detail
TENON_ONCE_END
