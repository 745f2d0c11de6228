// SPDX-License-Identifier: Apache-2.0
#pragma once
// Loads of an element's neighbours (schedule/stencils.hpp): what a thread has of each of their
// groups, or of a load that is in none.

#include "tenon/backend/cuda/parts/slice_arguments.cuh"
#include "tenon/core/config.hpp"
#include "tenon/program/drawn.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

template <class Program> struct stencil_groups {
  using traits = program_traits<Program>;

  static consteval bool is_of(int k, int other) {
    instruction_facts const& i = traits::all[other];
    return other == k ||
           (i.is_load && i.stencil.group != 0 && i.stencil.group == traits::all[k].stencil.group);
  }
  // Whether load k stands for all of its group: the first of them.
  static consteval int leader(int k) {
    int first = 0;
    while (!is_of(k, first)) ++first;
    return first;
  }
  static consteval bool leads(int k) {
    return traits::all[k].is_load && traits::all[k].moves_elements && leader(k) == k;
  }
  static consteval int windows() {
    int result = 0;
    for (int k = 0; k < traits::size; ++k) result += leads(k);
    return result;
  }
  static consteval bool has_any() {
    bool result = false;
    for (instruction_facts const& i : traits::all) result = result || i.stencil.group != 0;
    return result;
  }
  // Rows in which load k's group has elements of a column, or of any; none if the last is in front
  // of the first.
  struct row_range {
    int first = stencil_place::most_row + 1, last = -first;
  };
  static constexpr int any_column = -1;
  static consteval row_range rows_of(int k, int column = any_column) {
    row_range result;
    for (int other = 0; other < traits::size; ++other) {
      stencil_place const at = traits::all[other].stencil;
      if (!is_of(k, other) || (column != any_column && at.column != column)) continue;
      if (at.row < result.first) result.first = at.row;
      if (at.row > result.last) result.last = at.row;
    }
    return result;
  }
  static consteval int last_row(int k) { return rows_of(k).last; }
  static consteval int last_column(int k) {
    int result = stencil_place::most_column;
    while (rows_of(k, result).last < 0) --result;
    return result;
  }
  // Whether a group has elements of several columns.
  static consteval bool is_across(int k) {
    for (int column = 0; column < last_column(k); ++column)
      if (rows_of(k, column).last >= 0) return true;
    return false;
  }
  // Words that a thread loads of so many rows of columns, or of vectors of them.
  static consteval int words(int width, int rows) {
    int result = 0;
    for (int k = 0; k < traits::size; ++k) {
      if (!leads(k)) continue;
      int const size = size_of(traits::all[k].type), reach = last_column(k);
      if (width > 1) {
        int const of_row = (width * size + 3) / 4 + (next_elements(reach) * size + 3) / 4;
        result += (rows + last_row(k)) * of_row;
        continue;
      }
      for (int column = 0; column <= reach; ++column)
        if (row_range const of = rows_of(k, column); of.last >= 0)
          result += (of.last - of.first + rows) * (size > 4 ? 2 : 1);
    }
    return result;
  }
  // Rows of a thread, several at least, that loads no more if it can be.
  static consteval int rows_within(int most_words, int width) {
    int result = width > 1 ? 4 : 8;
    while (result > 2 && words(width, result) > most_words) result /= 2;
    return result;
  }
  // Whether no group reaches beyond the vector behind the one in which it begins.
  static consteval bool reach_next_vectors(int width) {
    bool result = true;
    for (int k = 0; k < traits::size; ++k)
      result = result && (!leads(k) || last_column(k) <= width);
    return result;
  }
};

// Whether the kernel has the program.
template <class Program>
inline constexpr bool has_stencil = stencil_groups<Program>::has_any() &&
                                    !program_traits<Program>::has_positions &&
                                    !program_traits<Program>::has_fetches &&
                                    !program_traits<Program>::stores_parts &&
                                    !has_random<Program> &&
                                    !element_operands<Program>::is_bound_by_arithmetic;

}  // namespace tenon::detail
TENON_ONCE_END
