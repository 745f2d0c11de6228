// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operands whose rows are gathered, but of which there is no row → where the kernel reads instead.

#include "tenon/backend/arguments.hpp"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

// Bytes of the workspace from its beginning to a row's first element, and of all that is read.
struct row_room {
  long long first = 0, bytes = 0;

  [[gnu::cold]] static row_room of(group_layout const& columns, operand_layout const& operand,
                                   int bytes_of_element) {
    row_room result{0, bytes_of_element};
    for (int d = 0; d < columns.dims; ++d) {
      long long const reach =
          (columns.extents[d] - 1) * operand.column_strides[d] * bytes_of_element;
      if (reach < 0) result.first -= reach;
      result.bytes += reach < 0 ? -reach : reach;
    }
    return result;
  }
};

// What kernels of such programs are told beside the rest. Indices that name no row have one to read
// all the same, the first one, or the workspace where an operand has none.
template <class Program, bool Gathers = program_traits<Program>::has_gathered>
struct gathered_arguments {
  using traits = program_traits<Program>;
  bool is_nowhere[at_least_one(traits::load_count)];
  long long rooms[at_least_one(traits::load_count)];

  [[gnu::cold]] void find_rooms(bound_layout const& layout) {
    each(layout, [&](auto bits, row_room const& room) {
      is_nowhere[bits] = true, rooms[bits] = room.first;
    });
  }
  // Bytes that the workspace is to have.
  [[gnu::cold]] static long long bytes(bound_layout const& layout) {
    long long result = 0;
    each(layout,
         [&](auto, row_room const& room) { result = room.bytes > result ? room.bytes : result; });
    return result;
  }

 private:
  template <class Visit> static void each(bound_layout const& layout, Visit const& visit) {
    for (instruction_facts const& i : traits::all)
      if (i.is_gathered && layout.loads[static_cast<int>(i.bits)].is_nowhere)
        visit(i.bits, row_room::of(layout.columns, layout.loads[static_cast<int>(i.bits)],
                                   size_of(i.type)));
  }
};
template <class Program> struct gathered_arguments<Program, false> {
  static void find_rooms(bound_layout const&) {}
};

}  // namespace tenon::detail
TENON_ONCE_END
