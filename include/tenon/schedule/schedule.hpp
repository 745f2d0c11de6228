// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a schedule is: the two axis groups, where and in which phase each value is computed, and the kernel family.

#include "tenon/schedule/iteration_space.hpp"

namespace tenon {

// Where a value lives while a kernel runs.
enum class place : unsigned char {
  launch,   // the same for the whole launch: run-time scalars, literals, sizes
  element,  // differs from column to column
  row,      // one per row: loaded per row, or reduced over the columns
  total,    // one per launch, known when every row is done
};

struct family;

struct schedule {
  family const* chosen = nullptr;
  unsigned rows = 0, columns = 0;      // the axis groups, as masks of iteration axes
  constexpr_vector<place> places;      // of each instruction
  constexpr_vector<int> phases;        // of each instruction: 0, or one more than the latest reduction it depends on
  constexpr_vector<place> store_places;  // of each store: where its target position varies
  int row_phases = 0;                  // phases that end with a reduction over the columns
  bool has_total = false;              // a reduction over the rows ends the kernel
  refusal refused = refusal::none;
};

// A kernel family: which axis groups it can run, and how it is described in a report.
struct family {
  std::string_view name;
  std::string_view shape;  // what it does, in a sentence
  // Sets the groups of `s` and returns true when the family can run the space.
  bool (*accepts)(iteration_space const& space, schedule& s);
};

namespace detail {

constexpr unsigned all_axes(iteration_space const& space) {
  return space.axes.size() >= 32 ? ~0u : (1u << space.axes.size()) - 1;
}

// A value may be stored at more positions than it varies over; a total only at one.
constexpr bool place_stores(iteration_space const& space, schedule& s) {
  s.store_places.clear();
  for (store const& st : space.stores) {
    unsigned along = 0;
    for (int axis : st.along)
      if (axis != no_axis) along |= 1u << axis;
    place where = along & s.columns ? place::element : along & s.rows ? place::row : s.places[st.value];
    if (s.places[st.value] == place::total && where != place::total) return false;
    s.store_places.push_back(where);
  }
  return true;
}

// Assigns places and phases for given groups; false when a value cannot be placed.
// @post a reduction over the columns is at place row, one over the rows at place total
constexpr bool place_values(iteration_space const& space, schedule& s) {
  s.places.clear(), s.phases.clear();
  s.row_phases = 0, s.has_total = false;
  for (instruction const& i : space.instructions) {
    place where = i.axes & s.columns ? place::element : i.axes & s.rows ? place::row : place::launch;
    int phase = 0;
    bool from_row = false, from_total = false;
    for (int operand : i.operands) {
      phase = s.phases[operand] > phase ? s.phases[operand] : phase;
      from_row = from_row || s.places[operand] == place::row;
      from_total = from_total || s.places[operand] == place::total;
    }
    if (i.op->kind == op_kind::reduction) {
      unsigned reduced = i.reduced;
      if (from_total) return false;
      if (reduced == s.columns) {
        where = place::row;
        ++phase;
        s.row_phases = phase > s.row_phases ? phase : s.row_phases;
      } else if (reduced == s.rows && !(i.axes & s.columns) && s.rows) {
        // Over the rows: its operand is one value per row.
        bool operand_is_element = false;
        for (int operand : i.operands) operand_is_element = operand_is_element || s.places[operand] == place::element;
        if (operand_is_element) return false;
        where = place::total;
        s.has_total = true;
      } else {
        return false;
      }
    } else if (from_total) {
      if (i.axes) return false;  // a total would have to be sent back to rows or elements
      where = place::total;
    } else if (where == place::launch && from_row) {
      where = place::row;
    }
    s.places.push_back(where);
    s.phases.push_back(phase);
  }
  return place_stores(space, s);
}

}  // namespace detail
}  // namespace tenon
