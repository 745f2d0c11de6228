// SPDX-License-Identifier: Apache-2.0
#pragma once
// Chooses the configuration and the grid of the rows skeletons.

#include "tenon/backend/cuda/columns/plan.cuh"
#include "tenon/backend/cuda/grid/plan.cuh"
#include "tenon/backend/cuda/rows/brief_plan.cuh"
#include "tenon/core/config.hpp"
#include "tenon/program/joined_sweeps.hpp"
#include "tenon/schedule/nested.hpp"
#include "tenon/schedule/rows.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct rows_planner : brief_rows_planner {
  // Rows of one element that are columns. H200, f32: softmax of 2^20 x 1 10.5 us (29.7), of 2^16 x
  // 1 5.7 (3.7); sums of 2^20 x 1 3.2 us (7.8).
  template <class Program>
  static constexpr long long least_columns_of_one =
      may_pass<Program> ? 1ll << 12 : may_be_tiny<Program> ? ~0ull >> 1 : 1ll << 18;

  template <class Program, column_order Columns>
  [[gnu::cold]] static cuda_plan plan(bound_layout const& layout, bound_arguments const& call,
                                      cuda_device_facts const& facts) {
    if (layout.rows.size == 0 && !program_traits<Program>::has_total &&
        !program_traits<Program>::has_planes && !stores_at<Program>::template has<place::launch>)
      return plan_of_nothing("no rows: no launch");
    // In calls of most types none can be; the kernel has no positions.
    if constexpr (Columns < column_order::inner && !program_traits<Program>::has_positions &&
                  !program_traits<Program>::has_planes)
      if (rows_are_neighbours<Program>(layout) &&
          (layout.columns.size > 1 || layout.rows.size >= least_columns_of_one<Program>)) {
        auto const result = columns_planner::plan<Program>(layout, call, facts);
        if (!columns_planner::leaves_to_few<Program>(result, layout)) return result;
      }
    constexpr int all = columns_allowed(Columns);
    if constexpr (may_be_tiny<Program>)
      if (is_tiny<Program>(layout)) return plan_tiny<Program, all>(layout, call, facts);
    auto operands = widest_arguments<Program>::of(layout, call, width<Program>, work_split{});
    moved_as const how = operands.moves_vectors() ? moved_as::vectors
                         : operands.is_contiguous ? moved_as::parts_of_vectors
                                                  : moved_as::elements;
    long long const vectors = divide_up(layout.columns.size, width<Program>);
    long_share const share = long_share::of<Program>(layout, facts);
    bool const is_long = share.lanes > 0;
    [[maybe_unused]] bool is_held = blocks_hold<Program>(layout, facts);
    if constexpr (can_be_odd<Program> && !passes_once<Program>) {
      if (!operands.is_packed) {  // for the same bits, where there are many
        auto const brief = plan_brief<Program>(layout, call, facts);
        if (brief.function) return brief;
      }
      auto const spread = plan_spread<Program, all>(layout, call, facts, operands.is_contiguous);
      if (spread.function) return spread;
      if (operands.is_contiguous && !operands.is_packed &&
          layout.columns.size % width<Program> == 0) {
        auto const shifted = plan_shifted<Program>(layout, call, facts, share, how);
        if (shifted.function) return shifted;
      }
      // Strided, too, for the same bits.
      is_held = is_held || odd_share_of<Program>(layout, facts).lanes > 0;
      if (operands.is_contiguous && !operands.is_packed) {
        cuda_plan const result =
            plan_resident<Program, odd_rows<Program>>(layout, call, facts, how);
        if (result.function) return result;
      }
    }
    if constexpr (may_keep<Program>)
      if (!is_long && !is_held) {
        // Whatever the operands' alignment, the segments are the same, and so are the bits.
        cuda_plan result = plan_kept<looped_program<Program>, all>(layout, call, facts, how);
        return result.function
                   ? result
                   : plan_looped<looped_program<Program>, all>(layout, call, facts, how);
      }
    if constexpr (has_sharable_rows<Program>)
      if (layout.rows.size < few_rows &&
          (passes_once<Program> ? vectors > most_streamed_vectors : !is_held))
        return grid_planner::plan<Program>(layout, call, facts);
    if constexpr (passes_once<Program>) {
      // Where nothing differs from row to row there is one row, of everything: all blocks share it.
      if constexpr (shares_everything<Program>)
        if (vectors > most_streamed_vectors)
          return grid_planner::plan<Program>(layout, call, facts);
      return operands.is_packed && vectors < 1 << 30
                 ? plan_streamed<Program, streamed<Program, 1>>(layout, call, how)
                 : plan_streamed<Program, streamed<Program, all>>(layout, call, how);
    } else {
      cuda_plan result;
      if constexpr (has_long_rows<Program>)
        if (is_long && operands.is_packed) result = plan_long<Program>(layout, call, facts, share);
      if constexpr (can_be_settled<Program>)
        if (is_long && operands.is_contiguous && !operands.is_packed &&
            layout.columns.size % width<Program> == 0)
          result = plan_long<Program, settled_rows<Program>>(layout, call, facts, share);
      if (!result.function)
        result = !is_long && operands.is_packed && vectors <= medium_vectors<Program>
                     ? plan_packed<Program>(layout, call, facts, how)
                     : plan_resident<Program, resident<Program, all>>(layout, call, facts, how);
      if (result.function) return result;
      if constexpr (shares_everything<Program>)
        return grid_planner::plan<Program>(layout, call, facts);
      else
        return plan_looped<looped_program<Program>, all>(layout, call, facts, how);
    }
  }

  // Of rows with totals only whole ones are shared out here: fewer long ones than there are
  // multiprocessors are left to all blocks together.
  static constexpr long long few_rows = 132;
  template <class Program>
  static constexpr bool has_sharable_rows =
      program_traits<Program>::has_total && !program_traits<Program>::has_planes &&
      !program_traits<Program>::has_positions;

  // Several blocks that share a row wait for each other after each of its sweeps.
  template <class Program> using looped_program = typename joined_sweeps<Program>::type;

 protected:
  // @pre all operands are packed, and a row has at most medium_vectors
  template <class Program>
  [[gnu::cold]] static cuda_plan plan_packed(bound_layout const& layout,
                                             bound_arguments const& call,
                                             cuda_device_facts const& facts, moved_as how) {
    if constexpr (short_vectors < Program >> 0)
      if (divide_up(layout.columns.size, width<Program>) <= short_vectors<Program>)
        return plan_resident<Program, short_rows<Program>>(layout, call, facts, how);
    return plan_resident<Program, medium_rows<Program>>(layout, call, facts, how);
  }

  // @pre all operands are contiguous, and the rows are whole vectors, shared as `share` says if
  // they are long
  template <class Program>
  [[gnu::cold]] static cuda_plan plan_shifted(bound_layout const& layout,
                                              bound_arguments const& call,
                                              cuda_device_facts const& facts,
                                              long_share const& share, moved_as how) {
    long long const vectors = layout.columns.size / width<Program>, rows = layout.rows.size;
    if (vectors <= medium_vectors<Program>) {
      if constexpr (can_be_shifted<Program>)
        if (!leaves_shifted<Program>(vectors, rows))
          return plan_resident<Program, shifted_rows<Program>>(layout, call, facts, how);
    } else if constexpr (can_be_long_shifted<Program>) {
      constexpr configuration c = long_shifted_rows<Program>;
      if (share.lanes > 0 && share.lanes <= c.threads_per_block &&
          share.tiles * share.pieces * c.items <= most_shifted_items)
        return plan_resident<Program, c>(layout, call, facts, how);
    }
    return {};
  }
  // Many rows of which most of a thread's vectors are none are left to the kernel of odd rows, for
  // the same bits. H200, us, here and there: softmax bf16 of 65536 x 256 35.8 and 31.9; layer norm
  // f32 of 16384 x 64 8.0 and 6.4, x 128 12.8 and 10.5, of 65536 x 768 134 and 117, but of 16384 x
  // 1024 43 and 45.
  template <class Program> static bool leaves_shifted(long long vectors, long long rows) {
    if (vectors > odd_vectors<Program> || rows < 2048) return false;
    if (is_half<Program>) return vectors < 128;
    return has_large_states<Program> &&
           (vectors < 64 || (rows >= 32768 && vectors > 128 && vectors <= 256));
  }

  template <class Program, configuration C>
  [[gnu::cold]] static cuda_plan plan_resident(bound_layout const& layout,
                                               bound_arguments const& call,
                                               cuda_device_facts const& facts, moved_as how) {
    using special = specialization_of<C>;
    using arguments = rows_arguments<Program, special>;
    cuda_plan result;
    long long const vectors = divide_up(layout.columns.size, width<Program>);
    row_share share = share_of<Program>(vectors);
    result.split.tiles_per_piece = row_items<Program>;  // all, of one piece
    // As the aligned rows of that length are shared, for the same bits.
    long_share const like = long_share::of<Program>(layout, facts);
    bool is_like = false;
    row_share odd{0, 1};
    constexpr bool is_direct = C.group_dims == packed_columns || C.group_dims == shifted_columns;
    if constexpr (!is_direct && can_be_odd<Program>) odd = odd_share_of<Program>(layout, facts);
    if (odd.lanes > 0 || C.group_dims == odd_columns) {
      share = odd;
      result.split.vectors_per_block = stretch_of(share, vectors);
    } else if (like.lanes > 0) {
      share = {like.lanes, like.blocks};
      like.set(result.split, C.items);
      is_like = true;
    }
    result.split.blocks_per_row = share.blocks;
    if (share.lanes == 0 || (share.blocks > 1 && !facts.has_clusters)) return result;
    result.function =
        reinterpret_cast<void const*>(&rows_kernel<Program, special, build_hash, arguments>);
    result.chosen = C;
    long long const rows_per_group = set_threads(result, share, how, layout.rows.size);
    long long groups = at_least(1, divide_up(layout.rows.size, rows_per_group));
    if constexpr (C.group_dims > 1) {
      if constexpr (may_be_halved<Program, special>)
        if (is_like) like.halve(result, layout.rows.size, C.threads_per_block);
      int const rows = static_cast<int>(result.block.y), pieces = result.split.pieces_per_block,
                items = is_like ? pieces * result.split.tiles_per_piece * C.items
                                : static_cast<int>(divide_up(vectors, share.blocks * share.lanes));
      result.shared_bytes = static_cast<unsigned>(
          staged_items<Program, special>::bytes_of(share.lanes, rows, items > 0 ? items : 1));
    }
    if constexpr (C.group_dims == odd_columns)
      result.shared_bytes = static_cast<unsigned>(
          odd_memory<Program, special>::bytes_of(share.lanes, static_cast<int>(rows_per_group)));
    if constexpr (!is_direct)
      allow_shared_bytes(result.function, shared_bytes_left<Program, C>(facts));
    if constexpr (asks_ahead<Program, special>)
      result.split.rows_ahead = rows_ahead<Program, C>(layout, result, facts);
    long long most = most_resident_groups(result, facts);
    if (most == 0) return {};  // no room for the cluster
    // What odd rows share a block brings once: each has as many of them.
    bool brings_shared = false;
    if constexpr (C.group_dims == odd_columns)
      brings_shared = odd_memory<Program, special>::shared > 0;
    most = brings_shared ? divide_up(groups, divide_up(groups, most)) : most_blocks;
    finish<Program, arguments>(
        result, layout, call,
        program_traits<Program>::has_total ? parts<Program> / share.blocks : most, groups);
    return result;
  }

  template <class Program, int Dims>
  [[gnu::cold]] static cuda_plan plan_looped(bound_layout const& layout,
                                             bound_arguments const& call,
                                             cuda_device_facts const& facts, moved_as how) {
    constexpr configuration c = looped<Program, Dims>;
    using special = specialization_of<c>;
    using arguments = rows_arguments<Program, special>;
    cuda_plan result;
    result.function =
        reinterpret_cast<void const*>(&looped_rows_kernel<Program, special, build_hash, arguments>);
    result.chosen = c;
    result.block = dim3(c.threads_per_block);
    cut_row<Program, c>(result, layout);
    // What several sweeps need of a row that is not kept comes in stretches.
    if constexpr (is_any_kept<Program, c.vector_width>) {
      constexpr long long bytes_per_tile = bytes_kept_of_tile<Program, c>;
      result.split.kept_tiles = static_cast<int>(at_least(
          1, bytes_to_keep(facts) / looped_blocks_held<Program, special> / bytes_per_tile));
      result.shared_bytes = static_cast<unsigned>(result.split.kept_tiles * bytes_per_tile);
      allow_shared_bytes(result.function, bytes_to_keep(facts));
    }
    long long const rows = at_least(1, layout.rows.size);
    // Totals are combined in the order of the blocks, so there the grid follows from the shape
    // alone.
    long long most;
    if constexpr (program_traits<Program>::has_total)
      most = parts<Program>;
    else
      most = share_rows(result, rows, most_shared_rows<Program>(result.split.segments), facts);
    result.why = said(how,
                      result.split.blocks_per_row > 1
                          ? "row read again in each phase, shared by several blocks"
                          : "row read again in each phase",
                      "parts of vectors, row read again in each phase",
                      "single elements, row read again in each phase");
    finish<Program, arguments>(result, layout, call, most, rows);
    return result;
  }

  // Segments of a looped row: as many as there are tiles, but at most 64, and at most
  // most_shared_segments of eight vectors to a thread. H200, us, with 64, 128 and 256 segments:
  // softmax of 1 x 1048576 f32 12.0, 10.8, 13.0, misaligned 19.7, 14.5, 16.5, of 64 rows 200, 211,
  // 262; of bf16 9.7, 9.2, 11.5, of 64 rows 118, 131, 180.
  template <class Program, configuration C>
  [[gnu::cold]] static void cut_row(cuda_plan& plan, bound_layout const& layout) {
    long long const tiles = divide_up(layout.columns.size, static_cast<long long>(C.vector_width) *
                                                               C.items * C.threads_per_block),
                    enough = clamped(divide_up(tiles, 64), 1, divide_up(8, C.items));
    plan.split.tiles_per_segment =
        static_cast<int>(at_least(enough, divide_up(tiles, most_shared_segments)));
    plan.split.segments =
        static_cast<int>(at_least(1, divide_up(tiles, plan.split.tiles_per_segment)));
  }

  // How many segments a block has, at most `most`: as few as it takes for `blocks` blocks to have
  // those of all rows. A row that one block keeps needs no others.
  static long long least_share(long long rows, long long segments, long long most,
                               long long blocks) {
    long long each = segments <= most ? most : 1;
    while (each < most && rows * divide_up(segments, each) > blocks) ++each;
    return each;
  }

  template <class Program, configuration C>
  static constexpr long long bytes_kept_of_tile =
      kept_vectors<Program, C.vector_width, C.threads_per_block>::bytes_per_step* C.items;
  // Of a block, beside its states.
  static long long bytes_to_keep(cuda_device_facts const& facts) {
    return clamped(facts.shared_bytes_per_block - (8 << 10), 0, most_kept_bytes);
  }

  // A row is shared by so many blocks that their shared memory holds what several sweeps need of
  // it: three on a multiprocessor, or two, or one. While one waits for its row or for the other
  // blocks, the others read or write.
  template <class Program, int Dims>
  [[gnu::cold]] static cuda_plan plan_kept(bound_layout const& layout, bound_arguments const& call,
                                           cuda_device_facts const& facts, moved_as how) {
    constexpr configuration c = looped<Program, Dims>;
    using special = specialization_of<c>;
    using arguments = rows_arguments<Program, special>;
    constexpr long long bytes_per_tile = bytes_kept_of_tile<Program, c>;
    long long const available = bytes_to_keep(facts);
    // H200, layer norm of 64 x 1048576 f32 in three blocks of a multiprocessor 215 us, in two 269.
    constexpr int by_registers = looped_blocks_held<Program, special>,
                  by_loads = kept_blocks_held<Program, 0>,
                  most_held = by_registers > by_loads ? by_registers : by_loads;
    for (int held : {most_held, 2, 1}) {
      long long const most_bytes = most_kept_bytes / held;
      if (most_bytes > available) break;
      cuda_plan result;
      cut_row<Program, c>(result, layout);
      work_split& split = result.split;
      long long const segments_per_block = most_bytes / (split.tiles_per_segment * bytes_per_tile);
      if (segments_per_block == 0) continue;
      split.blocks_per_row = static_cast<int>(
          divide_up(split.segments, least_share(layout.rows.size, split.segments,
                                                segments_per_block, held * facts.multiprocessors)));
      split.kept_tiles = static_cast<int>(divide_up(split.segments, split.blocks_per_row) *
                                          split.tiles_per_segment);
      result.function = reinterpret_cast<void const*>(
          &looped_rows_kernel<Program, special, build_hash, arguments>);
      result.chosen = c;
      result.block = dim3(c.threads_per_block);
      result.shared_bytes = static_cast<unsigned>(split.kept_tiles * bytes_per_tile);
      result.is_cooperative = split.blocks_per_row > 1;
      result.why =
          said(how,
               result.is_cooperative ? "row in shared memory of several blocks"
                                     : "row in shared memory of a block",
               "parts of vectors, row in shared memory", "single elements, row in shared memory");
      allow_shared_bytes(result.function, available);
      long long const groups = clamped(most_resident_groups(result, facts) / split.blocks_per_row,
                                       0, most_shared_rows<Program>(split.segments));
      if (groups == 0) continue;
      finish<Program, arguments>(result, layout, call, groups, at_least(1, layout.rows.size));
      return result;
    }
    return {};
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
