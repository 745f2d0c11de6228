// SPDX-License-Identifier: Apache-2.0
#pragma once
// Plans sums along few long rows whose parts are warps' of many blocks.

#include "tenon/backend/cuda/rows/parted_sums.cuh"
#include "tenon/backend/cuda/rows/streamed_plan.cuh"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct parted_rows_planner : streamed_rows_planner {
  template <class Program>
  static constexpr bool may_be_parted =
      sums_by_place<Program> && !program_traits<Program>::has_total &&
      !program_traits<Program>::has_gathered;
  // Four blocks to a multiprocessor: those of the largest calls, 512, are there at once.
  template <class Program, int Dims>
  static constexpr configuration parted = [] {
    configuration result = streamed<Program, Dims>;
    result.blocks = 4;
    return result;
  }();
  // Calls that ask the second-level cache for all of their elements before they wait: H200, sums of
  // 1 x 786432 f32 3.43 us (3.94 as before), but 1 x 1048576 4.05 (3.75 without).
  static constexpr long long most_bytes_asked = 3 << 20;
  // Rows and segments of a call that is taken in parts: all of it is under way at once.
  // H200, us: 64 x 16384 f32 2.83 (3.16), 96 x 16384 3.60 (3.52); aligned rows have more segments
  // of two tiles, 32 x 65536 4.37 (4.89).
  static constexpr long long most_parted_rows = 64;
  static constexpr long long most_parted_segments(bool is_packed, long long tiles) {
    return is_packed && tiles == 2 ? 132 : 64;
  }

  // @pre all operands are contiguous. @post no function unless it is such a call
  template <class Program, configuration C>
  [[gnu::cold]] static cuda_plan plan_parted(bound_layout const& layout,
                                             bound_arguments const& call,
                                             cuda_device_facts const& facts, moved_as how) {
    using special = specialization_of<C>;
    using arguments = rows_arguments<Program, special>;
    constexpr int strips = C.threads_per_block / 32;
    cuda_plan result;
    row_cut const cut = cut_streamed<Program, C>(layout.columns.size);
    long long const tiles = cut.tiles_per_segment, segments = layout.rows.size * cut.segments;
    if (layout.columns.size % C.vector_width != 0 || cut.lanes != C.threads_per_block ||
        tiles < 2 || tiles > strips || segments < 1 ||
        segments > most_parted_segments(C.group_dims == packed_columns, tiles) ||
        layout.rows.size > most_parted_rows || layout.rows.size > facts.multiprocessors)
      return result;
    result.function =
        reinterpret_cast<void const*>(&parted_sums_kernel<Program, special, build_hash, arguments>);
    result.chosen = C;
    // Blocks of a segment: about as many of all as there are multiprocessors.
    long long blocks = strips;
    while (blocks / 2 >= tiles && segments * (blocks / 2) >= 128) blocks /= 2;
    result.block = dim3(32, static_cast<unsigned>(tiles), static_cast<unsigned>(strips / blocks));
    result.split.segments = cut.segments;
    result.split.tiles_per_segment = static_cast<int>(tiles);
    result.split.vectors_of_last = cut.vectors_of_last;
    result.split.blocks_per_row = static_cast<int>(cut.segments * blocks);
    result.split.asks_early =
        layout.rows.size * layout.columns.size * own_bytes<Program> <= most_bytes_asked;
    result.why = said(how, "row read once, shared by several blocks",
                      "parts of vectors, row read once, shared by several blocks",
                      "single elements, row read once, shared by several blocks");
    finish<Program, arguments>(result, layout, call, most_blocks, layout.rows.size);
    result.workspace_bytes = 0;
    add_slots(result);
    return result;
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
