// SPDX-License-Identifier: Apache-2.0
#pragma once
// Strides and address of an operand → how a kernel moves V neighbouring elements of it.

#include <cstdint>

#include "tenon/backend/arguments.hpp"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

// Which thread owns which element follows from the vector width alone, so an operand's access
// changes how fast a kernel is and never its bits.
enum class access : unsigned char {
  packed,    // contiguous along all columns: one access
  elements,  // contiguous but misaligned: parts of two accesses, or V accesses
  blocked,   // contiguous along the innermost axis, which no vector crosses: one access
  splat,     // repeated along the innermost axis, which no vector crosses: one element stands for V
  strided,   // V accesses at places of their own
  walked,    // repeated in rows that vectors cross the ends of: V accesses, one by one
  backward,  // contiguous and aligned from the end of a row to its beginning: one access
  beside,    // between the elements of others, all of them contiguous: one access of each
};

[[gnu::cold]] inline bool is_contiguous(group_layout const& columns,
                                        long long const (&strides)[max_rank]) {
  long long expected = 1;
  for (int d = columns.dims - 1; d >= 0; --d) {
    if (columns.extents[d] > 1 && strides[d] != expected) return false;
    expected *= columns.extents[d];
  }
  return true;
}

// @post packed and blocked vectors are aligned in every row
[[gnu::cold, gnu::noinline]] inline access find_access(group_layout const& rows,
                                                       group_layout const& columns,
                                                       operand_layout const& operand,
                                                       void const* address, int bytes, int width) {
  bool is_aligned = reinterpret_cast<std::uintptr_t>(address) % (width * bytes) == 0 &&
                    operand.place_step % width == 0;
  for (int d = 0; d < rows.dims; ++d)
    is_aligned = is_aligned && (rows.extents[d] <= 1 || operand.row_strides[d] % width == 0);
  if (is_contiguous(columns, operand.column_strides))
    return is_aligned ? access::packed : access::elements;
  int inner = columns.dims - 1;
  // Of one axis the last vector may be one in part.
  bool const is_crossed = inner > 0 && columns.extents[inner] % width != 0;
  if (width == 1 || is_crossed) return access::strided;
  if (operand.column_strides[inner] == 0) return access::splat;
  for (int d = 0; d < inner; ++d) is_aligned = is_aligned && operand.column_strides[d] % width == 0;
  return is_aligned && operand.column_strides[inner] == 1 ? access::blocked : access::strided;
}

// Bytes per element of each load and store that moves vectors, 0 of the others, among which are
// stores that find their place themselves.
template <class Program> struct moved_by {
  using traits = program_traits<Program>;
  struct table {
    int loads[at_least_one(traits::load_count)] = {};
    int stores[at_least_one(traits::store_count)] = {};
  };
  static consteval table compute() {
    table result;
    for (instruction_facts const& i : traits::all) {
      if (!i.moves_elements || i.is_window || i.is_fetched) continue;
      (i.is_load ? result.loads : result.stores)[i.bits] = size_of(i.type);
    }
    return result;
  }
  static constexpr table bytes = compute();
};

// Which of a program's operands some loads, or positions, have that fact.
template <class Program, bool instruction_facts::*IsMeant> struct loads_which {
  struct table {
    bool at[at_least_one(program_traits<Program>::load_count)] = {};
  };
  static consteval table compute() {
    table result;
    for (instruction_facts const& i : program_traits<Program>::all)
      if (i.is_read && i.*IsMeant) result.at[i.bits] = true;
    return result;
  }
  static constexpr table all = compute();
};

// Whether read I has an offset in each row. In a program without rows all have: a kernel may take
// the outer axes of its columns as such.
template <class Program>
inline constexpr bool has_rows = [] {
  bool result = false;
  for (instruction_facts const& i : program_traits<Program>::all)
    result = result || (i.is_read && i.varies_over_rows);
  return result;
}();
template <class Program, class I>
inline constexpr bool moves_with_rows = I::varies_over_rows || !has_rows<Program>;

}  // namespace tenon::detail
TENON_ONCE_END
