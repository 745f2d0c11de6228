// SPDX-License-Identifier: Apache-2.0
#pragma once
// Plans pointwise expressions of an element's neighbours.

#include "tenon/backend/cuda/flat/marching.cuh"
#include "tenon/backend/cuda/flat/stencil.cuh"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

template <class Program> struct stencil_planner {
  using groups = stencil_groups<Program>;
  // What a thread of four rows of vectors may load, and of how much a multiprocessor holds three
  // blocks instead of two; else it has two rows. H200, us, of 8192 x 8192: with two rows and four
  // blocks, four and three, four and two: edges of f32 160, 142 and 143, of bf16 93, 83 and 91;
  // five neighbours of bf16 79, 73 and 81. But one step of a heat equation, which has another
  // tensor, in two rows and three blocks 205, in four and two 188.
  static constexpr int most_words = 64, most_words_of_three = 48;
  static constexpr int width = element_operands<Program>::vector_width;
  static constexpr int rows_of_vectors = groups::rows_within(most_words, width),
                       rows_of_elements = groups::rows_within(most_words_of_three, 1);
  static constexpr bool has_few_words =
      groups::words(width, rows_of_vectors) <= most_words_of_three;
  static constexpr configuration of_width(int width) {
    return {.vector_width = width,
            .items = width > 1 ? rows_of_vectors : rows_of_elements,
            .threads_per_block = 256,
            .group_dims = any_columns,
            .blocks = width == 1      ? 1
                      : has_few_words ? 3
                                      : 2};
  }
  static constexpr bool has_vectors =
      width > 1 &&
      groups::reach_next_vectors(width) && groups::words(width, rows_of_vectors) <= most_words;

  // Of threads that have one plane after the other: what one of four rows may hold, of which there
  // are four blocks on a multiprocessor; else it has two rows, of which there are four blocks or
  // three, because half types are unpacked. H200, us, of 400 x 400 x 400: seven neighbours of f32
  // in two rows 171, in four 152, of bf16 111 and 95; of thirteen, up to two elements away, the
  // kernel of before takes 244 of f32, this one (128 words) 301, of bf16 235 and (108 words) 162.
  using of_planes = stencil_groups<Program, true>;
  static constexpr int most_words_in_planes = 112, most_words_of_four_rows = 88,
                       most_words_of_four_blocks =
                           program_traits<Program>::widest_element < 4 ? 56 : 88;
  static constexpr int rows_in_planes =
      of_planes::words_of_planes(width, 4) <= most_words_of_four_rows ? 4 : 2;
  static constexpr int words_in_planes = of_planes::words_of_planes(width, rows_in_planes);
  static constexpr bool has_planes = has_stencil_planes<Program> && width > 1 &&
                                     of_planes::reach_next_vectors(width) &&
                                     words_in_planes <= most_words_in_planes;
  static constexpr configuration in_planes = {
      .vector_width = width,
      .items = rows_in_planes,
      .threads_per_block = 128,
      .group_dims = any_columns,
      .blocks = rows_in_planes == 4 || words_in_planes <= most_words_of_four_blocks ? 4 : 3};

  // @post a null function where groups do not lie as the program says
  [[gnu::cold]] static cuda_plan plan(bound_layout const& layout, bound_arguments const& call) {
    if constexpr (has_planes) {
      cuda_plan const result =
          planned<in_planes, true>(layout, call, "vectors of neighbouring rows, plane by plane");
      if (result.function) return result;
    }
    if constexpr (has_vectors) {
      cuda_plan const result = planned<of_width(width)>(
          layout, call, "vectors of neighbouring rows, which share what they read");
      if (result.function) return result;
    }
    return planned<of_width(1)>(layout, call,
                                "single elements of neighbouring rows, which share what they read");
  }

 private:
  template <configuration C, bool OfPlanes = false>
  [[gnu::cold]] static cuda_plan planned(bound_layout const& layout, bound_arguments const& call,
                                         char const* why) {
    auto const operands = stencil_arguments<Program, C.vector_width, OfPlanes>::of(
        layout, call, C.threads_per_block, C.items);
    cuda_plan result;
    if (operands.blocks == 0) return result;
    using chosen = specialization_of<C>;
    if constexpr (OfPlanes)
      result.function =
          reinterpret_cast<void const*>(&marching_kernel<Program, chosen, build_hash>);
    else
      result.function = reinterpret_cast<void const*>(&stencil_kernel<Program, chosen, build_hash>);
    result.chosen = C;
    result.why = why;
    result.grid = dim3(static_cast<unsigned>(operands.blocks));
    result.block = dim3(C.threads_per_block);
    prepare(result, operands);
    return result;
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
