// SPDX-License-Identifier: Apache-2.0
#pragma once
// Why an expression cannot be one kernel, as compile-time errors; each has a row in docs/errors.md.

#include "tenon/ir/graph.hpp"

namespace tenon::detail {

template <refusal Why>
constexpr bool check_one_kernel() {
  static_assert(Why != refusal::too_many_nodes, "tenon: compile: the expression has more than tenon::max_nodes nodes; split it into several expressions");
  static_assert(Why != refusal::too_many_axes, "tenon: compile: the expression has more than 16 axes; reshape operands to fewer axes");
  static_assert(Why != refusal::several_spaces, "tenon: compile: no operand spans all axes of the expression, so it is not one sweep (a matrix product, outputs over unrelated axes, or lengths of which the types do not say that they are equal); write one expression per sweep, or name the lengths");
  static_assert(Why != refusal::several_axis_groups, "tenon: compile: the reductions are over axes that are neither the same nor nested, which one kernel cannot do yet; write one expression per axis set");
  static_assert(Why != refusal::column_values_are_reduced,
                "tenon: compile: values for each column of rows that are reduced, too, are reduced again, which one "
                "kernel cannot do yet; give these values as results, and reduce them in an expression of its own");
  static_assert(Why != refusal::positions_beside_columns,
                "tenon: compile: elements read at indices (tn::take, tn::embedding) stand beside values for each column of "
                "rows that are reduced, too, which one kernel cannot do yet; store them by an expression of its own, "
                "and pass them");
  static_assert(Why != refusal::several_levels,
                "tenon: compile: what is reduced over some of the rows is reduced again, stands beside what "
                "all rows or columns come to, is stored in part, or is one of several such axis sets, which one "
                "kernel cannot do yet; store it, and go on in an expression of its own");
  static_assert(Why != refusal::scans_along_two_axes, "tenon: compile: the scans are along different axes, or along one axis in both directions, which one kernel cannot do; write one expression per direction");
  static_assert(Why != refusal::scan_is_moved, "tenon: scan: its result is sliced, reshaped or taken from along the scanned axis; do that in an expression of its own, or before the scan");
  static_assert(Why != refusal::scatter_is_used_elsewhere, "tenon: scatter: its result is reduced, scanned or read at positions, or another scatter stands beside it; store it, and do that in an expression of its own");
  static_assert(Why != refusal::searched_is_computed, "tenon: searchsorted: the sequence is computed, or seen by position (flip, roll, concat); store it by an expression of its own and pass the result");
  static_assert(Why != refusal::derivative_of_indices, "tenon: grad: a read at several indices at once (gather_nd) or an update that is not added (scatter_mul, scatter_max) has no derivative yet; read along one axis at a time, and add");
  return Why == refusal::none;
}

}  // namespace tenon::detail
