// SPDX-License-Identifier: Apache-2.0
#pragma once
// Loads of an element's neighbours (schedule/stencils.hpp): what a thread has of each of their
// groups, or of a load that is in none.

#include "tenon/backend/cuda/parts/slice_arguments.cuh"
#include "tenon/core/config.hpp"
#include "tenon/program/drawn.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

// OfPlanes: groups that differ in their planes (schedule/stencil_planes.hpp) are one.
template <class Program, bool OfPlanes = false> struct stencil_groups {
  using traits = program_traits<Program>;

  static consteval bool is_of(int k, int other) {
    instruction_facts const &i = traits::all[other], &own = traits::all[k];
    if (other == k || !i.is_load || i.stencil.group == 0) return other == k;
    return i.stencil.group == own.stencil.group ||
           (OfPlanes && i.plane.set != 0 && i.plane.set == own.plane.set);
  }
  // Where a load's elements are in its group.
  static consteval int plane(int k) { return OfPlanes ? traits::all[k].plane.plane : 0; }
  static consteval int row(int k) {
    return traits::all[k].stencil.row + (OfPlanes ? traits::all[k].plane.row : 0);
  }
  static consteval int column(int k) { return traits::all[k].stencil.column; }
  static consteval int last_plane(int k) {
    int result = 0;
    for (int other = 0; other < traits::size; ++other)
      if (is_of(k, other) && plane(other) > result) result = plane(other);
    return result;
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
      if (row(other) < result.first) result.first = row(other);
      if (row(other) > result.last) result.last = row(other);
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
  // Planes that a thread holds beside the one that it reads.
  static consteval int planes_held() {
    int result = 0;
    for (int k = 0; k < traits::size; ++k)
      if (leads(k) && last_plane(k) > result) result = last_plane(k);
    return result;
  }
  // Words of what a thread has of them, and of the one that it reads: of elements that are wanted
  // still.
  static consteval int words_of_planes(int width, int rows) {
    int result = 0;
    for (int k = 0; k < traits::size; ++k) {
      if (!leads(k)) continue;
      int const size = size_of(traits::all[k].type);
      for (int plane_of = 0; plane_of < last_plane(k); ++plane_of)
        result += (wanted_elements(k, plane_of, width, rows) * size + 3) / 4;
      int const of_row = (width * size + 3) / 4 + (next_elements(last_column(k)) * size + 3) / 4;
      result += (rows + last_row(k)) * of_row;
    }
    return result;
  }
  // Rows of a thread, several at least, that loads no more if it can be.
  static consteval int rows_within(int most_words, int width) {
    int result = width > 1 ? 4 : 8;
    while (result > 2 && words(width, result) > most_words) result /= 2;
    return result;
  }
  // Elements of load k's group that a thread wants of a plane when it is that one of the group, or
  // later.
  static consteval int wanted_elements(int k, int plane_of, int width, int rows) {
    constexpr int most_rows = stencil_place::most_row + stencil_plane::most + 5,
                  most_columns = stencil_place::most_column + 17;
    bool is_wanted[most_rows][most_columns] = {};
    int result = 0;
    for (int other = 0; other < traits::size; ++other) {
      if (!is_of(k, other) || plane(other) > plane_of) continue;
      for (int r = 0; r < rows; ++r)
        for (int i = 0; i < width; ++i) {
          bool& one = is_wanted[row(other) + r][column(other) + i];
          result += !one;
          one = true;
        }
    }
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

// Whether there are groups that differ in their planes.
template <class Program>
inline constexpr bool has_stencil_planes = stencil_groups<Program, true>::planes_held() > 0;

}  // namespace tenon::detail
TENON_ONCE_END
