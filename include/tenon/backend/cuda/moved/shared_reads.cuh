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
  using resources = flat_resources<Program>;
  if (resources::is_bound_by_arithmetic || resources::width == 1) return false;
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

// Bytes of a thread's vectors up to which it has few registers.
inline constexpr int few_bytes_held = 96;
// Indices that memory holds are no vectors, and of what they lead to there are. What is read once
// for several vectors may take several accesses, where that leaves few registers: H200, us,
// rotations of 4 x 2048 x 32 x 128 bf16 by f32 tables, vectors of four and of eight, by half of a
// table each 39.3 and 34.5, by tables of all elements 39.8 and 43.5.
template <class Program>
inline constexpr int moved_width = [] {
  using operands = element_operands<Program>;
  using values = moved_values<Program>;
  if (values::has_found) return 16 / values::widest;
  bool const is_wide =
      shares_tables<Program> && values::bytes_read * operands::own_width <= few_bytes_held;
  return is_wide ? operands::own_width : operands::vector_width;
}();

// Taps whose vectors and places are held in 128 registers. H200, us, nine of 64 x 112 x 112 x 128
// bf16 with weights of f32, blocks of 256 threads with 131 registers and of 128 with 121: 531 and
// 311, of which a part is that nothing is asked for ahead; with 96 and parts in memory 541.
template <class Program>
inline constexpr bool has_few_taps =
    has_taps<Program>&& moved_values<Program>::bytes_read* moved_width<Program> / 4 +
        3 * moved_values<Program>::read_count <=
    116;

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
