// SPDX-License-Identifier: Apache-2.0
#pragma once
// The values of a whole launch that something is reduced to: of the rows' values, which are known
// row by row, and of the columns' values, which are known when all rows are.

#include "tenon/program/visit.hpp"

namespace tenon {
namespace detail {

template <class Program> consteval bool is_total_of(int k, bool of_columns) {
  instruction_facts const& i = program_traits<Program>::all[k];
  if (!i.is_reduction || i.where != place::total) return false;
  return (program_traits<Program>::all[i.operands[0]].where == place::column) == of_columns;
}

template <class Program> struct totals_of_rows {
  static consteval bool holds(int k) { return is_total_of<Program>(k, false); }
};
template <class Program> struct totals_of_columns {
  static consteval bool holds(int k) { return is_total_of<Program>(k, true); }
};

template <class Program>
inline constexpr bool has_column_totals = holds_any<Program, totals_of_columns<Program>>;

}  // namespace detail
}  // namespace tenon
