// SPDX-License-Identifier: Apache-2.0
#pragma once
// Chooses the configuration and the grid of the rows skeletons.

#include "tenon/backend/cuda/columns_plan.cuh"
#include "tenon/backend/cuda/grid_plan.cuh"
#include "tenon/backend/cuda/plan_base.cuh"
#include "tenon/backend/cuda/rows.cuh"
#include "tenon/backend/cuda/rows_looped.cuh"
#include "tenon/program/visit.hpp"
#include "tenon/schedule/nested.hpp"
#include "tenon/schedule/rows.hpp"

namespace tenon::detail {

struct rows_planner {
  static constexpr int widest_block = 512;
  template <class Program> static constexpr int width = element_operands<Program>::vector_width;

  // Bytes per element of the loads that differ from row to row.
  template <class Program>
  static constexpr int own_bytes = [] {
    int bytes = 0;
    visit_instructions<Program>([&](auto index) {
      using I = typename program_traits<Program>::template at<decltype(index)::value>;
      if constexpr (I::is_load && I::moves_elements && I::varies_over_rows)
        bytes += size_of(I::type);
    });
    return bytes;
  }();
  // Vectors of a row that one thread keeps: at most 64 elements, and 32 words of operands, of which
  // there are two rows at a time.
  template <class Program>
  static constexpr int row_items = [] {
    int items = 1;
    while (2 * items * width<Program> <= 64 &&
           2 * items * width<Program> * own_bytes<Program> <= 128)
      items *= 2;
    return items;
  }();
  template <class Program, int Dims>
  static constexpr configuration resident{.vector_width = width<Program>,
                                          .items = row_items<Program>,
                                          .threads_per_block = widest_block,
                                          .group_dims = Dims,
                                          .index_bits = 32};
  // Totals are combined in the order of the blocks, whose number follows from the shape there.
  template <class Program>
  static constexpr bool may_keep =
      is_any_kept<Program, width<Program>> && !program_traits<Program>::has_total;
  // Vectors in flight; 16 elements at once where they come from shared memory.
  template <class Program>
  static constexpr int looped_items = [] {
    int const loads = element_operands<Program>::loads;
    int const items = loads <= 1 ? 4 : loads <= 3 ? 2 : 1;
    return may_keep<Program> && items * width<Program> > 16 && items > 1 ? items / 2 : items;
  }();
  template <class Program, int Dims>
  static constexpr configuration looped{.vector_width = width<Program>,
                                        .items = looped_items<Program>,
                                        .threads_per_block = 256,
                                        .group_dims = Dims,
                                        .is_looped = 1};

  template <class Program, bool HasInnerColumns>
  [[gnu::cold]] static cuda_plan<Program> plan(bound_layout<Program> const& layout,
                                               bound_arguments<Program> const& call,
                                               cuda_device_facts const& facts) {
    if (layout.rows.size == 0 && !program_traits<Program>::has_total &&
        !stores_at<Program>::template has<place::launch>)
      return plan_of_nothing<Program>("no rows: no launch");
    // In calls of most types none can be, and the kernel is the longest of all.
    if constexpr (!HasInnerColumns)
      if (rows_are_neighbours(layout, call))
        return columns_planner::plan<Program>(layout, call, facts);
    auto operands = widest_arguments<Program>::of(layout, call, width<Program>, work_split{});
    bool is_single = !operands.moves_vectors();
    if constexpr (may_keep<Program>)
      if (!one_block_holds<Program>(layout)) {
        // Whatever the operands' alignment, the segments are the same, and so are the bits.
        cuda_plan<Program> result =
            operands.is_packed ? plan_kept<Program, 1>(layout, call, facts, is_single)
                               : plan_kept<Program, max_rank>(layout, call, facts, is_single);
        return result.function ? result : plan_looped<Program>(layout, call, facts, is_single);
      }
    cuda_plan<Program> result =
        operands.is_packed ? plan_resident<Program, 1>(layout, call, facts, is_single)
                           : plan_resident<Program, max_rank>(layout, call, facts, is_single);
    if (result.function) return result;
    // Where nothing differs from row to row there is one row, of everything: all blocks share it.
    if constexpr (own_bytes<Program> == 0)
      return grid_planner::plan<Program>(layout, call, facts);
    else
      return plan_looped<Program>(layout, call, facts, is_single);
  }

  // Whether one block holds a row of that many vectors.
  template <class Program> static bool holds_row(long long vectors) {
    row_share const share = share_of(vectors, row_items<Program>);
    return share.lanes > 0 && share.blocks == 1;
  }

 private:
  // How a row of that many vectors is shared; a function of nothing else, because results depend on
  // it. Up to 32 threads they are a power of two.
  struct row_share {
    int lanes, blocks;
  };
  static constexpr row_share share_of(long long vectors, int items) {
    long long lanes = 1;
    while (lanes < 32 && lanes * items < vectors) lanes *= 2;
    while (lanes < 8 && lanes < vectors) lanes *= 2;  // whole cache lines of each row
    if (lanes * items >= vectors) return {static_cast<int>(lanes), 1};
    // One block as long as it can; then blocks of half the size, of which a multiprocessor holds
    // two that do not wait at the same time. H200, softmax of 65536 f32: 0.85 of a copy's bandwidth
    // against 0.79.
    int blocks = 1, threads = widest_block;
    if (static_cast<long long>(widest_block) * items < vectors &&
        256ll * items * most_blocks_per_cluster >= vectors)
      threads = 256;
    while (blocks < most_blocks_per_cluster &&
           static_cast<long long>(threads) * items * blocks < vectors)
      blocks *= 2;
    long long per_warp = 32ll * items * blocks, warps = divide_up(vectors, per_warp);
    return {static_cast<int>(warps * 32 <= threads ? warps * 32 : 0), blocks};
  }

  // Whether the registers of one block hold a row.
  template <class Program> static bool one_block_holds(bound_layout<Program> const& layout) {
    row_share const share =
        share_of(divide_up(layout.columns.size, width<Program>), row_items<Program>);
    return share.lanes > 0 && share.blocks == 1;
  }

  // Whether blocks go on to other rows, whose loads are then under way early. H200: a block of few
  // f32 values per thread does better when others take its place, 1.03 of a copy's bandwidth
  // against 0.94 (RMS norm of 4096 columns); with half types, which compute more per byte, or large
  // blocks, of which few fit, it is 0.94 against 0.88 (1024) and 0.98 against 0.79 (16384).
  template <class Program> static constexpr bool stays_resident(row_share const& share) {
    return share.blocks > 1 || share.lanes > 128 || program_traits<Program>::widest_element < 4;
  }

  template <class Program, int Dims>
  [[gnu::cold]] static cuda_plan<Program> plan_resident(bound_layout<Program> const& layout,
                                                        bound_arguments<Program> const& call,
                                                        cuda_device_facts const& facts,
                                                        bool is_single) {
    constexpr configuration c = resident<Program, Dims>;
    using special = specialization_of<c>;
    using arguments = rows_arguments<Program, special>;
    cuda_plan<Program> result;
    row_share share = share_of(divide_up(layout.columns.size, c.vector_width), c.items);
    bool fits = share.lanes > 0 && (share.blocks == 1 || facts.compute_capability >= 90);
    if (!fits) return result;
    result.function =
        reinterpret_cast<void const*>(&rows_kernel<Program, special, build_hash, arguments>);
    result.chosen = c;
    result.why = is_single           ? "single elements, row in registers"
                 : share.blocks > 1  ? "row in registers of a cluster"
                 : share.lanes <= 32 ? "row in registers of a warp or less"
                                     : "row in registers of several warps";
    long long rows_per_group = at_least(1, 128 / share.lanes);
    result.block = dim3(static_cast<unsigned>(share.lanes), static_cast<unsigned>(rows_per_group));
    result.split.blocks_per_row = share.blocks;
    result.cluster = static_cast<unsigned>(share.blocks);
    long long groups = at_least(1, divide_up(layout.rows.size, rows_per_group));
    long long resident_groups = most_resident_groups(result, facts);
    if (resident_groups == 0) return {};  // the device has no room for the cluster
    finish<Program, arguments>(result, layout, call,
                               program_traits<Program>::has_total ? parts<Program> / share.blocks
                               : stays_resident<Program>(share)   ? resident_groups
                                                                  : most_blocks,
                               groups);
    return result;
  }

  template <class Program>
  [[gnu::cold]] static cuda_plan<Program> plan_looped(bound_layout<Program> const& layout,
                                                      bound_arguments<Program> const& call,
                                                      cuda_device_facts const& facts,
                                                      bool is_single) {
    constexpr configuration c = looped<Program, max_rank>;
    using special = specialization_of<c>;
    using arguments = rows_arguments<Program, special>;
    cuda_plan<Program> result;
    result.function =
        reinterpret_cast<void const*>(&looped_rows_kernel<Program, special, build_hash, arguments>);
    result.chosen = c;
    result.block = dim3(c.threads_per_block);
    cut_row<Program, c>(result, layout);
    long long rows = at_least(1, layout.rows.size);
    long long resident_blocks = most_resident_groups(result, facts), blocks = 1;
    // Where few rows would leave multiprocessors without work. Totals are combined in the order of
    // the blocks, so there the grid follows from the shape alone.
    if (!program_traits<Program>::has_total && rows <= most_row_barriers) {
      blocks = clamped(resident_blocks / rows, 1, result.split.segments);
      result.is_cooperative = blocks > 1;
    }
    result.split.blocks_per_row = static_cast<int>(blocks);
    result.why = is_single    ? "single elements, row read again in each phase"
                 : blocks > 1 ? "row read again in each phase, shared by several blocks"
                              : "row read again in each phase";
    finish<Program, arguments>(
        result, layout, call,
        program_traits<Program>::has_total ? parts<Program> : at_least(1, resident_blocks / blocks),
        rows);
    return result;
  }

  // Segments of a looped row: as many as there are tiles, at most most_segments.
  template <class Program, configuration C>
  [[gnu::cold]] static void cut_row(cuda_plan<Program>& plan, bound_layout<Program> const& layout) {
    long long const tiles = divide_up(layout.columns.size, static_cast<long long>(C.vector_width) *
                                                               C.items * C.threads_per_block);
    plan.split.tiles_per_segment = at_least(1, divide_up(tiles, most_segments));
    plan.split.segments =
        static_cast<int>(at_least(1, divide_up(tiles, plan.split.tiles_per_segment)));
  }

  // A row is shared by so many blocks that their shared memory holds what several sweeps need of
  // it: three on a multiprocessor, or two, or one. While one waits for its row or for the other
  // blocks, the others read or write.
  template <class Program, int Dims>
  [[gnu::cold]] static cuda_plan<Program> plan_kept(bound_layout<Program> const& layout,
                                                    bound_arguments<Program> const& call,
                                                    cuda_device_facts const& facts,
                                                    bool is_single) {
    constexpr configuration c = looped<Program, Dims>;
    using special = specialization_of<c>;
    using arguments = rows_arguments<Program, special>;
    constexpr long long bytes_per_tile =
        kept_vectors<Program, c.vector_width, c.threads_per_block>::bytes_per_step * c.items;
    long long const available =
        clamped(facts.shared_bytes_per_block - (8 << 10), 0, most_kept_bytes);
    for (int held : {kept_blocks_held<Program, 0>, 2, 1}) {
      long long const most_bytes = most_kept_bytes / held;
      if (most_bytes > available) break;
      cuda_plan<Program> result;
      cut_row<Program, c>(result, layout);
      work_split& split = result.split;
      long long const segments_per_block = most_bytes / (split.tiles_per_segment * bytes_per_tile);
      if (segments_per_block == 0) continue;
      split.blocks_per_row = static_cast<int>(divide_up(split.segments, segments_per_block));
      split.kept_tiles = static_cast<int>(divide_up(split.segments, split.blocks_per_row) *
                                          split.tiles_per_segment);
      result.function = reinterpret_cast<void const*>(
          &looped_rows_kernel<Program, special, build_hash, arguments>);
      result.chosen = c;
      result.block = dim3(c.threads_per_block);
      result.shared_bytes = static_cast<unsigned>(split.kept_tiles * bytes_per_tile);
      result.is_cooperative = split.blocks_per_row > 1;
      result.why = is_single               ? "single elements, row in shared memory"
                   : result.is_cooperative ? "row in shared memory of several blocks"
                                           : "row in shared memory of a block";
      allow_kept_bytes(result.function, available);
      long long const groups =
          clamped(most_resident_groups(result, facts) / split.blocks_per_row, 0, most_row_barriers);
      if (groups == 0) continue;
      finish<Program, arguments>(result, layout, call, groups, at_least(1, layout.rows.size));
      return result;
    }
    return {};
  }

  // Blocks that leave a part of the totals.
  template <class Program>
  static constexpr long long parts = most_parts<Program, reductions_of<Program, place::total, 0>>;

  // At most `most` groups of blocks go through the groups of rows, of which there is one even
  // without rows: values that no row enters are wanted in any case.
  template <class Program, class Arguments>
  [[gnu::cold]] static void finish(cuda_plan<Program>& plan, bound_layout<Program> const& layout,
                                   bound_arguments<Program> const& call, long long most,
                                   long long groups) {
    plan.split.groups = groups;
    plan.grid = dim3(static_cast<unsigned>(clamped(groups, 1, at_least(1, most))) *
                     static_cast<unsigned>(plan.split.blocks_per_row));
    if constexpr (program_traits<Program>::has_total) add_slots(plan);
    if (plan.split.segments > 1) {
      std::size_t words = first_partial;
      words += static_cast<std::size_t>(plan.grid.x / plan.split.blocks_per_row) * 2 *
               most_segments * row_state_words<Program>;
      plan.workspace_bytes = words * sizeof(unsigned);
    }
    prepare_arguments<Program, Arguments>(plan, layout, call);
  }
};

}  // namespace tenon::detail
