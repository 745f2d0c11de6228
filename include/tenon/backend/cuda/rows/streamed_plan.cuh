// SPDX-License-Identifier: Apache-2.0
#pragma once
// Plans rows that pass once: into how many segments a row is cut, and which threads take them.

#include "tenon/backend/cuda/rows/tiny_plan.cuh"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct streamed_rows_planner : tiny_rows_planner {
  // How many lanes share a row that passes once, and into how many segments of how many tiles it is
  // cut; a function of the program and the number of vectors alone.
  struct row_cut {
    long long lanes, tiles_per_segment;
    int segments, vectors_of_last;
  };
  // Of a row that one warp or less has. Where usual numbers are computed what a warp does once for
  // each of its rows takes issue slots from them, the more the more states there are. H200, us,
  // with one, two and four tiles to a lane: divergence of 65536 x 512 f32 85.3, 78.7, 77.9,
  // relative entropy 65.1, 61.7, 63.1; a loss of four sums with 103.4, 85.9, 78.7.
  template <class Program, configuration C>
  static constexpr int vectors_of_lane = !computes_usual_numbers<Program> ? C.items
                                         : row_state_words<Program> > 1   ? 4 * C.items
                                                                          : 2 * C.items;
  template <class Program, configuration C> static constexpr row_cut cut_streamed(long long size) {
    long long const all = divide_up(size, C.vector_width);
    long long vectors = all;
    // Of short rows a lane has four vectors, and a warp has more rows: what it does once for
    // each is most of the work. H200, sums of 1048576 x 32 bf16 25 us instead of 44. Large states
    // are combined by few threads, each of which has taken in many elements.
    bool const is_short = vectors * C.vector_width <= 512 && C.items > 4;
    long long lanes = lanes_of(vectors, is_short ? 4 : vectors_of_lane<Program, C>, 1);
    // The last warp of such a row takes a vector more than the others: H200, sums, us, with a warp
    // or a tile for itself and without, 65536 x 1025 f32 93.4 (61), 4096 x 4097 20.5 (17.1), bf16
    // 12.8 (10.7), 4096 x 8193 22.8 (18.7), 133 x 1025 f32 2.4 (2.2). Its segments are of a tile of
    // four warps: with and without, in one block of eight, 16 x 50257 bf16 3.1 (9.4).
    bool const is_ragged = sums_by_place<Program> && size % C.vector_width != 0;
    bool const is_cut_small = is_ragged && !program_traits<Program>::has_total;
    if (is_ragged) lanes = 32, vectors -= 1;
    bool const is_cut = vectors >= (is_cut_small ? 4096 : most_streamed_vectors + 1);
    if (vectors > (has_large_states<Program> ? 2048 : 32 * C.items))
      lanes = clamped(divide_up(vectors, has_large_states<Program> ? 1024 : 32 * C.items) * 32, 32,
                      is_cut_small && is_cut ? 128 : C.threads_per_block);
    long long const tiles = at_least(1, divide_up(vectors, lanes * C.items));
    int const vectors_of_last =
        static_cast<int>(divide_up(all - (tiles - 1) * lanes * C.items, lanes));
    if (!is_cut) return {lanes, tiles, 1, vectors_of_last};
    // Combining a block's states costs as much as a tile. Where there are totals no blocks share a
    // row. H200, segments of two tiles against four: sum of 1 x 131072 bf16, misaligned, 8.6 us
    // (14.4), of 16 x 50257 f32 6.9 (10.3), of 4096 x 50257 252 (245).
    long long const least = program_traits<Program>::has_total ? 64
                            : has_large_states<Program>        ? 4
                            : is_cut_small                     ? 1
                                                               : 2,
                    most = is_cut_small ? most_word_segments : most_segments,
                    per_segment = at_least(least, divide_up(tiles, most));
    return {lanes, per_segment, static_cast<int>(divide_up(tiles, per_segment)), vectors_of_last};
  }

  // Of a call whose warps ask for their first tiles while the kernel before ends. H200, us: sums of
  // 264 x 3000 f32 2.01 (2.30), 64 x 8192 1.74 (2.04), 1000 x 1000 2.23 (2.39), bf16, whose next
  // kernel may come now, too, 64 x 8192 1.53 (1.78), 264 x 4096 1.76 (2.04); larger ones, which ask
  // whether they do, 1000 x 4096 f32 5.42 (5.32).
  static constexpr long long most_bytes_asked_early = 5 << 20;
  // Of whole aligned rows that a lane has by itself fewer: sums of 65536 x 16 f32 2.46 (2.38), but
  // of 4096 x 16 1.09 (1.33).
  static constexpr long long most_bytes_of_lone_lanes = 2 << 20;

  // Whether rows leave nothing but elements that were chosen, by whichever lanes.
  template <class Program>
  static constexpr bool chooses_alone = [] {
    bool result = true;
    visit_selected<Program, reductions_at<Program, place::row>>([&](auto selected) {
      using I = typename program_traits<Program>::template at<decltype(selected)::value>;
      result = result && std::is_base_of_v<ops::indexed_choice, typename I::op>;
    });
    return result;
  }();
  // Whether what is chosen of a row has a kernel for rows of any length and place along one axis:
  // where an element is follows from its vector's place alone, without a look at axes.
  template <class Program>
  static constexpr bool may_be_ordered = [] {
    using traits = program_traits<Program>;
    bool result = false;
    visit_selected<Program, reductions_at<Program, place::row>>([&](auto selected) {
      using I = typename traits::template at<decltype(selected)::value>;
      using element = typename traits::template at<I::first_operand>;
      result = result || std::is_same_v<typename element::op, ops::indexed>;
    });
    return result && !traits::has_planes && width<Program> > 1;
  }();
  // Gives few rows of one segment so many lanes that the device has enough warps. H200, argmax of
  // 300 x 8192 f32 4.9 us (10.3), bf16 4.4 (6.7), of 1000 x 4096 6.6 (7.4) and 4.8 (5.1); with 4000
  // warps instead of 2000 the last one takes 5.3.
  template <configuration C>
  static constexpr void spread(row_cut& cut, long long rows, long long vectors) {
    while (cut.segments == 1 && cut.tiles_per_segment > 1 && 2 * cut.lanes <= C.threads_per_block &&
           cut.lanes >= 32 && rows * cut.lanes < 2000 * 32) {
      cut.lanes *= 2;
      cut.tiles_per_segment = divide_up(vectors, cut.lanes * C.items);
    }
  }

  // Blocks share a row as far as there are not enough of them otherwise: of a device's four or
  // three on each multiprocessor every one ends at its own time. A row that is shared has a ticket,
  // and slots if a state is a word, and the launch all of its blocks, which that of a program with
  // planes may not have.
  static constexpr long long enough_blocks = 2048;
  static_assert(enough_blocks <= ticket_count);
  template <class Program, configuration C>
  static int blocks_of_row(long long rows, long long lanes, int segments) {
    if (program_traits<Program>::has_total || program_traits<Program>::has_planes) return 1;
    if (has_word_segments<Program, specialization_of<C>> && rows * segments > slot_count) return 1;
    // Rows that fill the device as they are. H200, argmax of 512 x 131072 bf16 35.3 us (39.1), f32
    // 64.6 (67.2).
    long long const held = 132 * C.blocks * (C.threads_per_block / lanes);
    if (rows <= held && 8 * rows >= 7 * held) return 1;
    return static_cast<int>(clamped(enough_blocks / rows, 1, segments));
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
    row_cut cut = cut_streamed<Program, C>(layout.columns.size);
    constexpr bool is_ordered = C.group_dims == ordered_columns;
    if constexpr (chooses_alone<Program> && (is_ordered || C.group_dims == packed_columns))
      spread<C>(cut, layout.rows.size, divide_up(layout.columns.size, C.vector_width));
    result.split.segments = cut.segments;
    result.split.tiles_per_segment = static_cast<int>(cut.tiles_per_segment);
    result.split.vectors_of_last = cut.vectors_of_last;
    // Small blocks end one after the other; each begins once, which is little beside rows whose
    // states are several numbers. H200, 64 threads against 256, us: variance of 2^20 x 256 f32 237
    // (257), bf16 148 (152), of 2^20 x 64 63.7 (68.8) and 41.6 (43.3), argmax of 131072 x 256 f32
    // 33.5 (34.8), of 32768 x 4096 122.1 (122.9); but sums of 2^20 x 256 f32 317 (238).
    // So does what several states or much arithmetic make long, of calls that the caches do not
    // hold: three sums of 65536 x 512 f32 64.2 (71.4), its divergence 85 (91); but sums of products
    // of 4096 x 300 3.27 (2.97).
    bool const is_large = layout.rows.size * layout.columns.size * own_bytes<Program> >= 32 << 20,
               is_small =
                   (is_ordered ||
                    has_whole_vectors<C.group_dims>)&&!program_traits<Program>::has_total &&
                   layout.columns.size >= 8 * C.vector_width &&
                   (has_large_states<Program> ||
                    (is_large && layout.columns.size >= 64 * C.vector_width &&
                     (computes_usual_numbers<Program> ||
                      (row_state_words<Program> > 1 && element_operands<Program>::loads > 1))));
    // Blocks of 128 threads fill the registers better than those of 256, which are three. H200, us,
    // misaligned, of 2^20 x 64 bf16 48.0 (50.5), x 128 f32 154.9 (162.2), of 65536 x 1000 bf16 31.6
    // (33.1).
    constexpr bool is_anywhere =
        has_word_segments<Program, special> && !program_traits<Program>::has_total;
    int const threads = is_small ? 64 : is_anywhere && cut.lanes <= 128 ? 128 : C.threads_per_block;
    long long const rows_per_group =
        cut.segments > 1 ? 1 : rows_of_block(layout.rows.size, cut.lanes, threads);
    result.block = dim3(static_cast<unsigned>(cut.lanes), static_cast<unsigned>(rows_per_group));
    long long const groups = at_least(1, divide_up(layout.rows.size, rows_per_group));
    long long most = most_blocks;
    if constexpr (program_traits<Program>::has_total)
      most = parts_in_turns<Program, C>(cut.lanes * rows_per_group);
    else if (cut.segments > 1)
      most = enough_blocks;
    if (cut.segments > 1)
      result.split.blocks_per_row = blocks_of_row<Program, C>(groups, cut.lanes, cut.segments);
    if constexpr (may_ask_early<Program> && C.group_dims != run_columns)
      result.split.asks_early =
          cut.segments == 1 &&
          layout.rows.size * layout.columns.size * own_bytes<Program> <=
              (C.group_dims == packed_columns && cut.lanes == 1 ? most_bytes_of_lone_lanes
                                                                : most_bytes_asked_early);
    bool const is_shared = result.split.blocks_per_row > 1;
    result.why = is_shared
                     ? said(how, "row read once, shared by several blocks",
                            "parts of vectors, row read once, shared by several blocks",
                            "single elements, row read once, shared by several blocks")
                     : said(how,
                            cut.lanes <= 32 ? "row read once by a warp or less"
                                            : "row read once by several warps",
                            "parts of vectors, row read once", "single elements, row read once");
    if constexpr (C.group_dims == run_columns)
      result.why = is_shared ? "row in runs of vectors, read once, shared by several blocks"
                             : "row in runs of vectors, read once";
    if constexpr (C.group_dims == sliced_columns)
      result.why = is_shared ? "row in vectors with the elements behind them, read once, shared by "
                               "several blocks"
                             : "row in vectors with the elements behind them, read once";
    finish<Program, arguments>(result, layout, call, most, groups);
    // Words are left in slots, and nothing beside them.
    if constexpr (has_word_segments<Program, special>)
      if (cut.segments > 1) {
        result.workspace_bytes = 0;
        if (is_shared || program_traits<Program>::has_total) add_slots(result);
      }
    return result;
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
