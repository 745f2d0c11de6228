// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where the part of an output lies that a store has, beside the other parts of it.

#include "tenon/runtime/dim_values.hpp"
#include "tenon/schedule/space.hpp"
#include "tenon/tensor/layout.hpp"

namespace tenon::detail {

struct stored_part {
  std::int64_t position = 0, count = 1;  // of the parts; one alone is the output
  std::int64_t step = 0;                 // in memory, from one part to the next
  bool is_piece = false;                 // of several elements along the axis

  [[gnu::cold]] static stored_part of(store const& s, iteration_space const& space, dim_values const& lengths, layout const& whole) {
    if (s.axis < 0) return {};
    int const along = s.along[s.axis];
    std::int64_t const length = along == no_axis ? 1 : lengths[space.axes[along]];
    return {s.position, length > 0 ? whole.extents[s.axis] / length : 0, length * whole.strides[s.axis], along != no_axis};
  }
  std::int64_t offset() const { return position * step; }
  // Whether what is so much further in memory than a piece, element by element, is another one.
  bool has_other_at(std::int64_t further) const {
    if (!is_piece || step == 0 || further % step != 0) return false;
    std::int64_t const other = position + further / step;
    return other >= 0 && other < count;
  }
};

}  // namespace tenon::detail
