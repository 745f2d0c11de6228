// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program → the configurations of rows that pass once, or are read again in each phase.

#include "tenon/backend/cuda/rows/configurations.cuh"
#include "tenon/backend/cuda/rows/looped.cuh"
#include "tenon/backend/cuda/rows/streamed.cuh"

namespace tenon::detail {

struct passing_configurations : rows_configurations {
  // Two operands and states of three words, of half types or of several reductions: 64 registers
  // are not enough. ptxas 13.0, cosine similarity of f32, which spilled 24 bytes: 76 registers, of
  // bf16 and its products' variance 80; the variance of products of f32 takes 63.
  template <class Program>
  static constexpr bool has_wide_states =
      element_operands<Program>::loads > 1 && row_state_words<Program> > 2 && [] {
        int count = 0;
        visit_selected<Program, reductions_at<Program, place::row>>([&](auto) { ++count; });
        return count > 1 || is_half<Program>;
      }();
  // Slices of one tensor, in four windows: H200, mean squared steps of rows of 16384 x 2048 bf16
  // with four blocks 22.4 us, with three 26.0, f32 37.6 and 44.7.
  template <class Program, int Dims>
  static constexpr bool takes_light_slices =
      Dims == sliced_columns&& element_operands<Program>::loads > 1 && has_light_slices<Program>;
  // A row that passes once: as many bytes in flight as it takes; states of several numbers take
  // registers instead. As many blocks are held as there are to leave a part of a total: of 528
  // three of each 132 at once would leave the fourth to run by itself (H200, cross entropy of 8192
  // x 32768 bf16: 208 us). Five reductions with positions, of 20 words, spilled 32 bytes where two
  // blocks were held. Three operands of half types have two vectors each: of four 108 bytes were
  // spilled (H200, distances of 65536 x 512 bf16 to two others 55.6 us, so 45.2). Usual numbers
  // take registers, too.
  template <class Program, int Dims>
  static constexpr configuration streamed{
      .vector_width = width<Program>,
      .items = element_operands<Program>::loads > 3                        ? 1
               : element_operands<Program>::loads == 3 && is_half<Program> ? 2
               : has_large_states<Program> || element_operands<Program>::loads > 1 ||
                       element_operands<Program>::has_fetches_beside
                   ? 4
                   : 8,
      .threads_per_block = 256,
      .group_dims = Dims,
      .index_bits = 32,
      .blocks = Dims > 1 && program_traits<Program>::has_planes                  ? 1
                : row_state_words<Program> > 12                                  ? 1
                : row_state_words<Program> > 4                                   ? 2
                : computes_usual_numbers<Program>&& row_state_words<Program> > 3 ? 2
                : takes_light_slices<Program, Dims>                              ? 4
                : has_whole_vectors<Dims>
                    ? (program_traits<Program>::has_fetches || has_wide_states<Program> ||
                               computes_usual_numbers<Program>
                           ? 3
                           : 4)
                : element_operands<Program>::loads == 1 && !has_large_states<Program> &&
                        !has_narrow_gathered<Program> &&
                        !element_operands<Program>::has_fetches_beside
                    ? 3
                    : 2};
  static constexpr int most_streamed_vectors = 8192;  // that one segment has
  // Whether nothing differs from row to row, and no row leaves a part of its own.
  template <class Program>
  static constexpr bool shares_everything =
      own_bytes<Program> == 0 && !program_traits<Program>::has_positions &&
      !program_traits<Program>::has_planes;
  // Totals are combined in the order of the blocks, whose number follows from the shape there.
  template <class Program>
  static constexpr bool may_keep =
      is_any_kept<Program, width<Program>> && !program_traits<Program>::has_total;
  // Vectors in flight; 16 elements at once where they come from shared memory.
  template <class Program>
  static constexpr int looped_items = [] {
    int const loads = element_operands<Program>::loads, v = width<Program>;
    int items = loads <= 1 ? 4 : loads <= 3 ? 2 : 1;
    if (may_keep<Program> && items * v > 16 && items > 1) items /= 2;
    if (finds_several<Program>)
      while (items > 1 && items * v > most_elements<Program>) items /= 2;
    return items;
  }();
  template <class Program, int Dims>
  static constexpr configuration looped{.vector_width = width<Program>,
                                        .items = looped_items<Program>,
                                        .threads_per_block = 256,
                                        .group_dims = Dims,
                                        .is_looped = 1};
};

}  // namespace tenon::detail
