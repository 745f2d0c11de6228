// SPDX-License-Identifier: Apache-2.0
#pragma once
// Strides and accesses of the operands of a parameter block, for any number of them and of axes.

#include "tenon/backend/cuda/parts/operand_access.cuh"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

// The loads or the stores of a parameter block. Of no program, for which each would compile it
// again.
struct operand_table {
  int count, row_dims, column_dims;
  int* steps;                 // strides along the outermost row axis
  long long *rows, *columns;  // strides, those of one operand after the other
  access* how;
  int const* bytes;           // of an element; 0: no vector of the operand is moved
  bool const* are_positions;  // which no memory has; null: none
};

// Strides along the outermost row axis, where each takes one product of 32 bits.
template <int Loads, int Stores> struct row_steps { int loads[Loads], stores[Stores]; };
// The row axes along which the place of a row is found by division: all but the outermost.
enum class division : signed char { none, of_32_bits, of_64_bits };
struct divided_axes {
  signed char first;  // 0: that, too, because 32 bits do not hold its places and steps
  division how;       // whether they hold all rows and steps

  static divided_axes of(group_layout const& rows, bool has_narrow_steps) {
    int const first = has_narrow_steps && rows.extents[0] < 1ll << 31;
    bool const is_narrow = has_narrow_steps && rows.size < 1ll << 31;
    return {static_cast<signed char>(first), rows.dims <= first ? division::none
                                             : is_narrow        ? division::of_32_bits
                                                                : division::of_64_bits};
  }
};
// Whether 32 bits hold what an operand steps from row to row along each of their axes.
[[gnu::cold]] inline bool has_narrow_rows(group_layout const& rows, operand_layout const& operand) {
  bool result = true;
  for (int d = 0; d < rows.dims; ++d)
    result = result && operand.row_strides[d] == static_cast<int>(operand.row_strides[d]);
  return result;
}

// What all operands of a kernel are.
struct common_access {
  bool is_packed, is_contiguous = true, has_strided = false;
  bool has_narrow_steps = true, has_narrow_positions = true;
  // Rows of those in memory lie equally far apart, along all axes, as far as 32 bits hold.
  bool are_linear = true;
};

[[gnu::cold]] inline bool is_linear(group_layout const& rows,
                                    long long const (&strides)[max_rank]) {
  int const inner = rows.dims > 1 ? rows.dims - 1 : 0;
  for (int d = 0; d < inner; ++d)
    if (strides[d] != strides[d + 1] * rows.extents[d + 1]) return false;
  return strides[inner] == static_cast<int>(strides[inner]);
}

// As many strides as the kernel has; those of axes that the groups lack are 0.
[[gnu::cold]] inline void fill(operand_table const& table, bound_layout const& layout,
                               constexpr_vector<operand_layout> const& operands,
                               void const* const* addresses, int vector_width, common_access& all) {
  for (int k = 0; k < table.count; ++k) {
    operand_layout const& from = operands[k];
    table.steps[k] = static_cast<int>(from.row_strides[0]);
    bool const is_narrow = has_narrow_rows(layout.rows, from);
    if (table.are_positions && table.are_positions[k]) {
      all.has_narrow_positions = all.has_narrow_positions && is_narrow;
    } else {
      all.has_narrow_steps = all.has_narrow_steps && is_narrow;
      all.are_linear = all.are_linear && is_linear(layout.rows, from.row_strides);
    }
    for (int d = 0; d < table.row_dims; ++d)
      table.rows[k * table.row_dims + d] = d < layout.rows.dims ? from.row_strides[d] : 0;
    for (int d = 0; d < table.column_dims; ++d)
      table.columns[k * table.column_dims + d] =
          d < layout.columns.dims ? from.column_strides[d] : 0;
    if (table.bytes[k] == 0) {
      if (layout.columns.dims > 0 && from.column_strides[0] < 0) all.is_packed = false;
      continue;
    }
    access const how =
        find_access(layout.rows, layout.columns, from, addresses[k], table.bytes[k], vector_width);
    table.how[k] = how;
    all.is_packed = all.is_packed && how == access::packed;
    all.is_contiguous = all.is_contiguous && how <= access::elements;
    all.has_strided = all.has_strided || how == access::strided;
  }
}

// Whether some element is moved by itself though its vector is whole.
[[gnu::cold]] inline bool moves_elements(access const* how, int count) {
  for (int k = 0; k < count; ++k)
    if (how[k] == access::elements || how[k] >= access::strided) return true;
  return false;
}

}  // namespace tenon::detail
TENON_ONCE_END
