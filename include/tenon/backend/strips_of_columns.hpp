// SPDX-License-Identifier: Apache-2.0
#pragma once
// A layout of columns whose innermost axis goes from end to end → one that takes a strip of it
// along the axis outside it, before it takes the next.

#include "tenon/backend/arguments.hpp"

namespace tenon::detail {

// Strips of `width` neighbours, which lie along the last axis, and those of other rows along the
// one before.
// @pre at least two axes of the columns, and one less than there may be; `width` divides the
// innermost extent
[[gnu::cold]] inline bound_layout strips_of_columns(bound_layout const& layout, long long width) {
  bound_layout result = layout;
  group_layout& columns = result.columns;
  int const inner = columns.dims++;  // of the new axes; the old one was before
  auto const split = [&](long long(&all)[max_rank], long long of_strips, long long of_elements) {
    all[inner] = of_elements, all[inner - 1] = all[inner - 2], all[inner - 2] = of_strips;
  };
  split(columns.extents, columns.extents[inner - 1] / width, width);
  for (auto* const all : {&result.loads, &result.stores})
    for (operand_layout& one : *all) {
      long long const stride = one.column_strides[inner - 1];
      split(one.column_strides, stride * width, stride);
    }
  return result;
}

}  // namespace tenon::detail
