// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows of which an operand has the same for each position of the outermost axis, in the order in
// which those that share one of its rows follow each other.

#include "tenon/backend/cuda/parts/access.cuh"
#include "tenon/backend/cuda/parts/operand_table.cuh"
#include "tenon/core/config.hpp"

namespace tenon::detail {

// Whether a load may vary along some of the rows' axes alone.
template <class Program>
inline constexpr bool has_loads_of_some_rows = [] {
  for (instruction_facts const& i : program_traits<Program>::all)
    if (i.is_load && i.moves_elements && i.varies_over_rows && i.is_of_some_rows) return true;
  return false;
}();

TENON_ONCE_BEGIN
// Rows that are shared are read again after all the others: where these are more than a
// multiprocessor's cache has room for, from the L2 cache, where they take room from what comes.
// H200, us, in the other order and in this one: softmax of x + bias, 16 x 16 x 512 x 512 f32 178
// and 133, 8 x 4 x 2048 x 2048 bf16 202 and 192; layer norm of x + y, 16 x 4096 x 1024 f32 179 and
// 134. Of many positions each row that is read at the same time would lie in a page of its own.
class shared_row_order {
 public:
  static constexpr long long least_row_bytes = 512, least_shared_bytes = 128 << 10;
  static constexpr long long most_positions = 64;

  // Lays the outermost axis of `layout`'s rows innermost if load `k` of elements of `bytes` is the
  // same along it. @post the result is whether it did
  [[gnu::cold]] static bool share(bound_layout& layout, int k, int bytes) {
    if (!is_shared(layout, layout.loads[k], bytes)) return false;
    auto const turn = [&](long long(&at)[max_rank]) {
      long long const first = at[0];
      for (int d = 0; d + 1 < layout.rows.dims; ++d) at[d] = at[d + 1];
      at[layout.rows.dims - 1] = first;
    };
    turn(layout.rows.extents);
    for (operand_layout& o : layout.loads) turn(o.row_strides);
    for (operand_layout& o : layout.stores) turn(o.row_strides);
    return true;
  }

 private:
  [[gnu::cold]] static bool is_shared(bound_layout const& layout, operand_layout const& of,
                                      int bytes) {
    group_layout const &rows = layout.rows, &columns = layout.columns;
    long long const row_bytes = columns.size * bytes;
    if (rows.dims < 2 || rows.size == 0 || rows.extents[0] > most_positions || columns.dims != 1 ||
        row_bytes < least_row_bytes || of.row_strides[0] != 0 || of.column_strides[0] != 1)
      return false;
    for (int d = 1; d < rows.dims; ++d)
      if (of.row_strides[d] == 0) return false;
    // Rows that are neighbours are read together.
    for (constexpr_vector<operand_layout> const* operands : {&layout.loads, &layout.stores})
      for (operand_layout const& o : *operands)
        if (o.column_strides[0] > 1 || o.column_strides[0] < 0) return false;
    return rows.size / rows.extents[0] * row_bytes >= least_shared_bytes;
  }
};
TENON_ONCE_END

// @pre the order of the rows is of no consequence to any result
template <class Program> [[gnu::cold]] void order_rows(bound_layout& layout) {
  bool is_done = false;
  if constexpr (has_loads_of_some_rows<Program>)
    visit_selected<Program, element_operands<Program>>([&](auto selected) {
      using I = typename program_traits<Program>::template at<decltype(selected)::value>;
      if constexpr (I::is_load && I::varies_over_rows && I::is_of_some_rows)
        is_done = is_done || shared_row_order::share(layout, I::bits, size_of(I::type));
    });
}

}  // namespace tenon::detail
