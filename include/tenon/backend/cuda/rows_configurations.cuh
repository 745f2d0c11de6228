// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program → the configurations of the rows skeletons that may run it.

#include "tenon/backend/cuda/plan_base.cuh"
#include "tenon/backend/cuda/rows.cuh"
#include "tenon/backend/cuda/rows_looped.cuh"
#include "tenon/backend/cuda/rows_streamed.cuh"
#include "tenon/program/visit.hpp"

namespace tenon::detail {

struct rows_configurations {
  static constexpr int widest_block = 512;
  template <class Program> static constexpr int width = element_operands<Program>::vector_width;

  // Bytes per element of the loads that differ from row to row.
  template <class Program>
  static constexpr int own_bytes = [] {
    int bytes = 0;
    visit_instructions<Program>([&](auto index) {
      using I = typename program_traits<Program>::template at<decltype(index)::value>;
      if constexpr (I::is_load && I::moves_elements && I::varies_over_rows)
        bytes += size_of(I::type);
    });
    return bytes;
  }();
  template <class Program>
  static constexpr bool is_half = program_traits<Program>::widest_element <= 2;
  // Vectors of a row that one thread keeps: at most 64 elements, half as many where each has a
  // position, and 32 words of operands; 16 of half types, which are computed in twice as many.
  template <class Program>
  static constexpr int row_items = [] {
    int const most_elements = program_traits<Program>::has_positions ? 32 : 64,
              most_bytes = is_half<Program> ? 64 : 128;
    int items = 1;
    while (2 * items * width<Program> <= most_elements &&
           2 * items * width<Program> * own_bytes<Program> <= most_bytes)
      items *= 2;
    return items;
  }();
  // One block loads while another computes: of the longest blocks two or three are held, which
  // leaves 64 or 40 registers to a thread; large states need more. H200, of a copy's bandwidth
  // against one block that asks for its next row ahead: softmax of 8192 f32 0.94 (0.85), of 16384
  // f32 0.95 (0.89), of 4096 bf16 0.94 (0.81), of 16384 bf16 0.89 (0.80); RMS norm of 16384 f32
  // 0.94 (0.89), bf16 0.94 (0.87).
  template <class Program>
  static constexpr int blocks_held =
      own_bytes<Program> == 0 || program_traits<Program>::has_positions || has_large_states<Program>
          ? 1
      : is_half<Program>&& element_operands<Program>::loads == 1 ? 3
                                                                 : 2;
  template <class Program, int Dims>
  static constexpr configuration resident{.vector_width = width<Program>,
                                          .items = row_items<Program>,
                                          .threads_per_block = widest_block,
                                          .group_dims = Dims,
                                          .index_bits = 32,
                                          .blocks = Dims == 1 ? blocks_held<Program> : 1,
                                          .has_warps = Dims == 1,
                                          .has_clusters = 1};
  // Rows of which a warp has several, or a short one: vectors that a thread does not have would be
  // computed all the same. H200, softmax of 64 f32: half the time; layer norm + gelu of 512 f32
  // took 311 us where half the vectors were missing, and 195 us where none was.
  static constexpr int narrow_of(int row_items) { return row_items < 4 ? row_items : 4; }
  template <class Program> static constexpr int narrow_items = narrow_of(row_items<Program>);
  template <class Program>
  static constexpr configuration narrow{.vector_width = width<Program>,
                                        .items = narrow_items<Program>,
                                        .threads_per_block = 128,
                                        .group_dims = 1,
                                        .index_bits = 32};
  // A row that passes once: as many bytes in flight as it takes; states of several numbers take
  // registers instead.
  template <class Program, int Dims>
  static constexpr configuration streamed{
      .vector_width = width<Program>,
      .items = element_operands<Program>::loads > 3                                ? 1
               : has_large_states<Program> || element_operands<Program>::loads > 1 ? 4
                                                                                   : 8,
      .threads_per_block = 256,
      .group_dims = Dims,
      .index_bits = 32,
      .blocks = Dims > 1                                       ? 1
                : is_half<Program>&& has_large_states<Program> ? 3
                                                               : 4};
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
    int const loads = element_operands<Program>::loads;
    int const items = loads <= 1 ? 4 : loads <= 3 ? 2 : 1;
    return may_keep<Program> && items * width<Program> > 16 && items > 1 ? items / 2 : items;
  }();
  template <class Program, int Dims>
  static constexpr configuration looped{.vector_width = width<Program>,
                                        .items = looped_items<Program>,
                                        .threads_per_block = 256,
                                        .group_dims = Dims,
                                        .is_looped = 1};
};

}  // namespace tenon::detail
