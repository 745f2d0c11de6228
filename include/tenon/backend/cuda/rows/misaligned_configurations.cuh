// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program → the configurations of long rows of whole vectors that begin anywhere.

#include "tenon/backend/cuda/rows/passing_configurations.cuh"

namespace tenon::detail {

struct misaligned_configurations : passing_configurations {
  // Long rows, in shared memory as aligned ones. Two operands of f32 gain too little: H200, us,
  // without and with, the gradient of softmax of 1 x 32768 f32 4.4 and 4.8, 1000 x 65536 230 and
  // 209, bf16 6.5 and 5.6, 138 and 123; layer norm without weights of 1000 x 65536 f32 179 and 141.
  template <class Program>
  static constexpr bool can_be_settled = (is_half<Program> ||
                                          own_bytes<Program> * width<Program> <= 16) &&
                                         can_be_odd<Program>&& has_long_rows<Program> &&
                                         !stores_column_parts<Program> &&
                                         !program_traits<Program>::has_total &&
                                         !program_traits<Program>::has_planes
                                         && can_be_settled_of<Program, width<Program>>;
  template <class Program>
  static constexpr configuration settled_rows = [] {
    configuration c = long_rows<Program>;
    c.group_dims = contiguous_columns;
    return c;
  }();
  // Whether rows that are no long, settled or odd ones are held by a cluster all the same, in the
  // kernel of any layout: not if longer ones settle, whatever the layout, for the same bits. Those
  // that are longer are kept by several blocks, or read again.
  template <class Program> static constexpr bool may_be_resident(cuda_device_facts const& facts) {
    return !facts.has_clusters || !can_be_settled<Program>;
  }
  // Whether that kernel is there: of contiguous operands it has no rows then.
  template <class Program, int Dims>
  static constexpr bool has_resident =
      Dims > contiguous_columns || !is_for_clusters || !can_be_settled<Program>;
  // Longer ones, which aligned rows have in shared memory, where they do not settle there: as many
  // threads.
  template <class Program>
  static constexpr bool can_be_long_shifted =
      can_be_shifted<Program>&& has_long_rows<Program> && !can_be_settled<Program> &&
      own_bytes<Program> * width<Program> <= 16;
  template <class Program>
  static constexpr configuration long_shifted_rows{
      .vector_width = width<Program>,
      .items = medium_items<Program>,
      .threads_per_block = 256,
      .group_dims = shifted_columns,
      .index_bits = 32,
      .blocks = program_traits<Program>::has_late ? 1 : 2,
      .has_warps = 1,
      .has_clusters = 1};
};

}  // namespace tenon::detail
