// SPDX-License-Identifier: Apache-2.0
#pragma once
// The parameter block of the tiles that meet along both sides, and which programs they serve.

#include "tenon/backend/cuda/columns/arguments.cuh"
#include "tenon/backend/cuda/mixed/arguments.cuh"
#include "tenon/program/totals.hpp"

namespace tenon::detail {

// What a tile leaves of a column and of a row; what a thread has of its columns.
template <class Program> struct tile_words {
  static constexpr int of_column = partial_words<Program, column_reductions<Program, 1>>,
                       of_row = partial_words<Program, reductions_of<Program, place::row, 1>>,
                       of_vector = element_operands<Program>::vector_width * of_column;
};

// Whether neither an element nor a column needs anything of a whole row: then a row may be cut like
// a column.
template <class Program>
inline constexpr bool meets_in_tiles = [] {
  using traits = program_traits<Program>;
  bool result = traits::row_phases == 1 && !has_element_stores<Program> && !traits::has_positions &&
                tile_words<Program>::of_vector <= 16;
  for (instruction_facts const& i : traits::all)
    if (i.is_reduction && i.where == place::column && i.phase > 0) result = false;
  return result;
}();

// Whether a total is of the columns' values, or the order of the rows matters to it: blocks draw
// their shares of both, so that each share has a total of its own.
template <class Program>
inline constexpr bool has_late_totals = [] {
  bool result = has_column_totals<Program>;
  visit_selected<Program, reductions_of<Program, place::total, 0>>([&](auto selected) {
    using facts = reduction_facts<Program, decltype(selected)::value>;
    result = result || ops::rounded_reduction<typename facts::op, typename facts::state>;
  });
  return result;
}();

// Whether totals are of the rows' reductions by the same operators, whose results merge: blocks
// have theirs before they know a whole row.
template <class Program>
inline constexpr bool has_early_totals = program_traits<Program>::has_total&& [] {
  bool result = !has_late_totals<Program>;
  visit_selected<Program, reductions_of<Program, place::total, 0>>([&](auto selected) {
    using of_total = typename reduction_facts<Program, decltype(selected)::value>::instruction;
    using of_row = typename program_traits<Program>::template at<of_total::first_operand>;
    constexpr instruction_facts facts = program_traits<Program>::all[of_total::first_operand];
    if constexpr (facts.is_reduction && facts.where == place::row)
      result = result && of_total::op::merges_with_itself &&
               std::is_same_v<typename of_row::op, typename of_total::op> &&
               std::is_same_v<typename of_row::value_type, typename of_total::value_type>;
    else
      result = false;
  });
  return result;
}();

// That of the columns skeleton, of the matrix on its side: its rows are the columns here, its
// positions the rows; tiles are strips of columns, and slices parts of the rows.
template <class Program> struct tile_arguments : columns_arguments<Program> {
  index_group<max_rank, 64> neighbours;  // the columns, element by element
  bool is_one_axis;                      // they are one in every operand
  bool is_whole;                         // every vector of every operand is one aligned access
  int strip_vectors;
  // What is left of the columns by each part, and of the rows by each strip: words between those of
  // one kind and of the next.
  long long column_stride, row_stride;
  long long first_row_word;
  long long first_total_word;  // of those that blocks leave early, or their shares late
  // Threads side by side that combine what was left, four columns or rows each.
  int column_lanes, row_lanes;
};

// Neighbouring columns or rows of which a thread combines what tiles left.
inline constexpr int neighbours_finished = 4;

// Rows of a thread that are under way together.
template <class Program>
inline constexpr int rows_at_once = [] {
  constexpr int loads = element_operands<Program>::loads, words = tile_words<Program>::of_vector;
  int const result = loads <= 1 ? 8 : loads <= 3 ? 4 : 2;
  return words > 8 && result > 4 ? 4 : result;
}();

}  // namespace tenon::detail
