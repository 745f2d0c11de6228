// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a schedule is: the two axis groups, where and in which phase each value is computed, and the
// kernel family.

#include "tenon/schedule/iteration_space.hpp"

namespace tenon {

// Where a value lives while a kernel runs.
enum class place : unsigned char {
  launch,   // the same for the whole launch: run-time scalars, literals, sizes
  element,  // differs from column to column
  row,      // one per row: loaded per row, or reduced over the columns
  total,    // one per launch, reduced over the rows, or of the columns' values; where what planes
            // come to is used again (levels.hpp), one per plane
  column,   // one per column, reduced over the rows: known when every row is done
  plane,    // one per index along some axes of the rows, reduced over the others: known then, too
};

struct family;

struct schedule {
  family const* chosen = nullptr;
  unsigned rows = 0, columns = 0;  // the axis groups, as masks of iteration axes
  unsigned planes = 0;             // axes of the rows along which values at place plane vary
  constexpr_vector<place> places;  // of each instruction
  constexpr_vector<int>
      phases;  // of each instruction: 0, or one more than the latest reduction it depends on
  constexpr_vector<place> store_places;  // of each store: where its target position varies
  int row_phases = 0;                    // phases that end with a reduction over the columns
  bool has_total = false;                // rows' or columns' values are reduced over all of them
  bool has_column_values = false;        // elements are reduced over the rows
  bool has_planes = false;               // rows' values are reduced over some of the rows' axes
  bool sends_total_back = false;         // rows or elements are computed from such a total
  bool totals_are_of_planes = false;     // each over the rows of a plane
  refusal refused = refusal::none;
};

// A kernel family: which axis groups it can run, and how it is described in a report.
struct family {
  text_view name;
  text_view shape;  // what it does, in a sentence
  // Sets the groups of `s` and returns true when the family can run the space; otherwise s.refused
  // may tell why not.
  bool (*accepts)(iteration_space const& space, schedule& s);
};

// What a program says of a load in its bits, beside its position: that it varies along some of the
// columns' axes alone, as a weight for each channel of a group does, so that elements which follow
// one another have the same one; or along some of the rows' axes alone; or that the expression
// itself reads it from the end of the innermost axis to its beginning; or that a vector of what
// repeats in columns is one element, as it is of what does not vary along the innermost axis; or
// that no reduction of its rows needs it (late_loads.hpp).
inline constexpr long long repeats_in_columns = 1ll << 33, repeats_in_rows = 1ll << 34,
                           reverses_columns = 1ll << 35, repeats_in_vectors = 1ll << 62,
                           comes_late = 1ll << 31;
// And of a store: how many axes the expression has that has more than most.
struct many_axes {
  static constexpr int few = 4, most = max_rank, shift = 54;
  static constexpr long long mask = 15ll << shift;
  static constexpr long long packed(int axes) {
    return axes <= few ? 0 : static_cast<long long>(axes < most ? axes : most) << shift;
  }
  static constexpr int unpack(long long bits) { return static_cast<int>((bits & mask) >> shift); }
};

namespace detail {

constexpr unsigned all_axes(iteration_space const& space) {
  return space.axes.size() >= 32 ? ~0u : (1u << space.axes.size()) - 1;
}

constexpr bool has_reductions(iteration_space const& space) {
  for (instruction const& i : space.instructions)
    if (i.op->kind == op_kind::reduction) return true;
  return false;
}

// The axes of the space along which a store's positions go.
constexpr unsigned axes_of(store const& st) {
  unsigned along = 0;
  for (int axis : st.along)
    if (axis != no_axis) along |= 1u << axis;
  return along;
}

// Every position of a group is visited, so a store names all axes of its group: a position written
// more than once would not be written at all where another axis has length 0.
// @post store_places are set, or s.refused tells why not
constexpr void place_stores(iteration_space const& space, schedule& s) {
  s.store_places.clear();
  for (store const& st : space.stores) {
    unsigned const along = axes_of(st);
    place value = s.places[st.value];
    bool const is_late = value == place::column || value == place::plane;
    // The elements of a part are where they are in the whole.
    if (st.offset >= 0 && is_late)
      s.refused = value == place::plane ? refusal::several_levels : refusal::several_axis_groups;
    bool const is_of_plane = s.totals_are_of_planes && value == place::total && along == s.planes;
    if (st.offset >= 0 && s.totals_are_of_planes) s.refused = refusal::several_levels;
    place where = is_late || is_of_plane ? value
                  : along & s.columns    ? place::element
                  : along                ? place::row
                                         : value;
    unsigned visited = where == place::element                ? s.rows | s.columns
                       : where == place::row                  ? s.rows
                       : where == place::column               ? s.columns
                       : where == place::plane || is_of_plane ? s.planes
                                                              : 0;
    if (along != visited) s.refused = refusal::several_spaces;
    if (value == place::total && where != place::total) s.sends_total_back = true;
    s.store_places.push_back(where);
  }
}

// The place of a reduction whose operand is at `operand`.
constexpr place place_reduction(instruction const& i, place operand, schedule& s) {
  if (operand == place::total) s.sends_total_back = true;
  bool const is_of_rows = operand == place::row && (i.reduced & ~s.rows) == 0;
  bool const is_beyond_planes = s.totals_are_of_planes && i.reduced != s.columns && !is_of_rows;
  if (operand == place::plane || is_beyond_planes) {
    s.refused = refusal::several_levels;
  } else if (operand == place::column) {
    if (i.reduced != s.columns) s.refused = refusal::column_values_are_reduced;
    s.has_total = true;
    return place::total;
  } else if (i.reduced == s.columns) {
    return place::row;
  } else if (i.reduced == s.rows && operand != place::element) {
    if (s.totals_are_of_planes) s.refused = refusal::several_levels;
    s.has_total = true;
    return place::total;
  } else if (i.reduced == s.rows) {
    s.has_column_values = true;
    return place::column;
  } else if (is_of_rows) {
    if (s.has_planes && s.planes != (s.rows & ~i.reduced)) s.refused = refusal::several_levels;
    s.has_planes = true;
    s.planes = s.rows & ~i.reduced;
    return s.totals_are_of_planes ? place::total : place::plane;
  } else {
    s.refused = refusal::several_axis_groups;
  }
  return place::launch;
}

// The place of a value that is computed from `from_row` and `from_total`, if from any of these.
constexpr place place_value(instruction const& i, bool from_row, bool from_total, schedule& s) {
  // What is computed of a plane's values varies from plane to plane.
  unsigned const of_total = from_total ? s.planes : 0;
  place where = i.axes & s.columns                          ? place::element
                : (i.axes & s.rows & ~of_total) || from_row ? place::row
                : from_total                                ? place::total
                                                            : place::launch;
  if (from_total && where != place::total) s.sends_total_back = true;
  return where;
}

// Assigns places and phases for given groups.
// @post a reduction over the columns is at place row, one over the rows at place total if it
// reduces what is at place row and at place column if it reduces elements, one of columns' values
// over the columns at place total, one of rows' values over some of the rows' axes at place plane
// (where totals are of planes: at place total), or s.refused tells why not
constexpr bool place_values(iteration_space const& space, schedule& s) {
  s.refused = refusal::none;
  s.places.clear(), s.phases.clear();
  s.row_phases = 0, s.has_total = s.has_column_values = s.sends_total_back = false;
  s.planes = 0, s.has_planes = false;
  for (instruction const& i : space.instructions) {
    int phase = 0;
    bool from_row = false, from_total = false, from_column = false, from_plane = false,
         from_others = false;
    for (int operand : i.operands) {
      phase = s.phases[operand] > phase ? s.phases[operand] : phase;
      from_row = from_row || s.places[operand] == place::row;
      from_total = from_total || s.places[operand] == place::total;
      from_column = from_column || s.places[operand] == place::column;
      from_plane = from_plane || s.places[operand] == place::plane;
      from_others = from_others || s.places[operand] == place::element;
    }
    // A scan along an axis of extent 1 has no axis of the space.
    if (i.op->kind == op_kind::scan && i.reduced != s.columns && i.reduced != 0)
      s.refused = refusal::scans_along_two_axes;
    place where = place::launch;
    if (i.op->kind == op_kind::reduction) {
      where = place_reduction(i, s.places[i.operands[0]], s);
      if (where != place::column && where != place::plane) ++phase;
      if (where == place::row && phase > s.row_phases) s.row_phases = phase;
    } else if (from_column || from_plane) {
      // It would have to wait in the elements or rows for the last row.
      if (from_row || from_total || from_others || (from_column && from_plane))
        s.refused = from_plane ? refusal::several_levels : refusal::several_axis_groups;
      where = from_column ? place::column : place::plane;
    } else {
      where = place_value(i, from_row, from_total, s);
    }
    if (s.refused != refusal::none) return false;
    s.places.push_back(where);
    s.phases.push_back(phase);
  }
  place_stores(space, s);
  // Columns and planes are finished when the last row is: too late for a total that rows wait for.
  if (s.sends_total_back && (s.has_column_values || (s.has_planes && !s.totals_are_of_planes)))
    s.refused = s.has_planes ? refusal::several_levels : refusal::several_axis_groups;
  return s.refused == refusal::none;
}

}  // namespace detail
}  // namespace tenon
