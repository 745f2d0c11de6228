// SPDX-License-Identifier: Apache-2.0
#pragma once
// Plans rows that pass once: into how many segments a row is cut, and which threads take them.

#include "tenon/backend/cuda/rows/plan_base.cuh"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct streamed_rows_planner : rows_planner_base {
  // How many lanes share a row that passes once, and into how many segments of how many tiles it is
  // cut; a function of the program and the number of vectors alone.
  struct row_cut {
    long long lanes, tiles_per_segment;
    int segments;
  };
  template <class Program, configuration C> static constexpr row_cut cut_streamed(long long size) {
    long long const vectors = divide_up(size, C.vector_width);
    // Of rows that blocks bring as they lie a lane has as much as it can, and what is left of a
    // vector is one more of the first lane.
    bool const has_image = may_have_image<Program, C>(size);
    long long const whole = has_image ? at_least(1, size / C.vector_width) : vectors;
    // Of other short rows a lane has four vectors, and a warp has more rows: what it does once for
    // each is most of the work. H200, sums of 1048576 x 32 bf16 25 us instead of 44. Large states
    // are combined by few threads, each of which has taken in many elements.
    bool const is_short = vectors * C.vector_width <= 512 && C.items > 4 && !has_image;
    long long lanes = lanes_of(whole, is_short ? 4 : C.items, has_image ? 1 : 2);
    if (whole > (has_large_states<Program> ? 2048 : 32 * C.items))
      lanes = clamped(divide_up(whole, has_large_states<Program> ? 1024 : 32 * C.items) * 32, 32,
                      C.threads_per_block);
    long long const tiles = at_least(1, divide_up(vectors, lanes * C.items));
    if (vectors <= most_streamed_vectors) return {lanes, tiles, 1};
    // Combining a block's states costs as much as a tile. Where there are totals no blocks share a
    // row. H200, segments of two tiles against four: sum of 1 x 131072 bf16, misaligned, 8.6 us
    // (14.4), of 16 x 50257 f32 6.9 (10.3), of 4096 x 50257 252 (245).
    long long const least = program_traits<Program>::has_total ? 64
                            : has_large_states<Program>        ? 4
                                                               : 2,
                    per_segment = at_least(least, divide_up(tiles, most_segments));
    return {lanes, per_segment, static_cast<int>(divide_up(tiles, per_segment))};
  }

  // Blocks share a row as far as there are not enough of them otherwise: of a device's four or
  // three on each multiprocessor every one ends at its own time. A row that is shared has a ticket,
  // and the launch all of its blocks, which that of a program with planes may not have.
  static constexpr long long enough_blocks = 2048;
  static_assert(enough_blocks <= ticket_count);
  template <class Program, configuration C> static int blocks_of_row(long long rows, int segments) {
    if (program_traits<Program>::has_total || program_traits<Program>::has_planes) return 1;
    // Rows that fill the device as they are. H200, argmax of 512 x 131072 bf16 35.3 us (39.1), f32
    // 64.6 (67.2).
    long long const held = 132 * C.blocks;
    if (rows <= held && 8 * rows >= 7 * held) return 1;
    return static_cast<int>(clamped(enough_blocks / rows, 1, segments));
  }

  // Whether rows of `size` elements are brought as they lie, where they follow one another: those
  // of no whole number of vectors, up to about 1024 elements of parts of words, each of which takes
  // an access otherwise, and 256 of others. H200, sums, us, against elements in the accesses of
  // their words: 1048576 x 7 f32 15.6 (32.9), x 33 f32 42 (71), x 31 bf16 24.7 (49.7), x 33 bf16
  // 27.9 (54), x 100 bf16 65 (114), 65536 x 500 bf16 22 (31), x 1025 bf16 50 (69), x 257 f32 22
  // (37), x 511 f32 42 both ways, 133 x 33 f32 2.3 (1.7); beside it other misaligned rows of bf16
  // take 2 to 6 % more. Whole vectors at odd places would meet in the banks of shared memory.
  template <class Program, configuration C> static constexpr bool may_have_image(long long size) {
    if constexpr (image_load<Program> >= 0) {
      int const bytes = size_of(program_traits<Program>::all[image_load<Program>].type);
      return size % C.vector_width != 0 && size * bytes <= (bytes < 4 ? 2100 : 1050);
    }
    return false;
  }
  // Of two groups, of which a thread has nine vectors at most.
  static constexpr long long most_image_bytes = 80 << 10;
  // Whether the rows of the only operand follow one another as their elements do, and 32 bits hold
  // their numbers.
  template <class Program>
  [[gnu::cold]] static bool lie_behind_one_another(bound_layout const& layout) {
    using I = typename program_traits<Program>::template at<image_load<Program>>;
    operand_layout const& operand = layout.loads[I::bits];
    return layout.rows.dims == 1 && layout.columns.dims == 1 && operand.column_strides[0] == 1 &&
           operand.row_strides[0] == layout.columns.size && layout.rows.size < 1 << 30;
  }

  template <class Program, configuration C>
  [[gnu::cold]] static cuda_plan plan_streamed(bound_layout const& layout,
                                               bound_arguments const& call, moved_as how) {
    using special = specialization_of<C>;
    using arguments = rows_arguments<Program, special>;
    cuda_plan result;
    result.function = reinterpret_cast<void const*>(
        &streamed_rows_kernel<Program, special, build_hash, arguments>);
    result.chosen = C;
    row_cut const cut = cut_streamed<Program, C>(layout.columns.size);
    result.split.segments = cut.segments;
    result.split.tiles_per_segment = static_cast<int>(cut.tiles_per_segment);
    long long const rows_per_group =
        rows_of_block(layout.rows.size, cut.lanes, C.threads_per_block);
    result.block = dim3(static_cast<unsigned>(cut.lanes), static_cast<unsigned>(rows_per_group));
    if constexpr (row_image<Program, special>::exists)
      if (may_have_image<Program, C>(layout.columns.size) &&
          lie_behind_one_another<Program>(layout)) {
        result.split.has_image = true;
        result.shared_bytes = static_cast<unsigned>(row_image<Program, special>::bytes_of(
            static_cast<int>(rows_per_group), static_cast<int>(layout.columns.size)));
        allow_shared_bytes(result.function, most_image_bytes);
      }
    long long const groups = at_least(1, divide_up(layout.rows.size, rows_per_group));
    long long most = most_blocks;
    if constexpr (program_traits<Program>::has_total)
      most = parts<Program>;
    else if (cut.segments > 1)
      most = enough_blocks;
    else if (result.split.has_image)
      most = 132 * C.blocks;
    if (cut.segments > 1)
      result.split.blocks_per_row = blocks_of_row<Program, C>(groups, cut.segments);
    bool const is_shared = result.split.blocks_per_row > 1;
    result.why = is_shared
                     ? said(how, "row read once, shared by several blocks",
                            "parts of vectors, row read once, shared by several blocks",
                            "single elements, row read once, shared by several blocks")
                     : said(how,
                            cut.lanes <= 32 ? "row read once by a warp or less"
                                            : "row read once by several warps",
                            "parts of vectors, row read once", "single elements, row read once");
    finish<Program, arguments>(result, layout, call, most, groups);
    return result;
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
