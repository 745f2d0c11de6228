// SPDX-License-Identifier: Apache-2.0
#pragma once
// Plans rows that neither registers nor the shared memory of a cluster hold: in how many segments
// they are cut, which blocks share them, and how much of them waits in shared memory.

#include "tenon/backend/cuda/rows/lone_plan.cuh"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct looped_rows_planner : lone_rows_planner {
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
      // H200, in a graph, us, without and with: layer norm of 1 x 1048576 f32 9.8 and 8.8.
      result.is_early = true;
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
