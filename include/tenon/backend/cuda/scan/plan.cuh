// SPDX-License-Identifier: Apache-2.0
#pragma once
// Chooses the configuration and the grid of the scan skeletons.

#include "tenon/backend/cuda/parts/plan_base.cuh"
#include "tenon/backend/cuda/scan/arguments.cuh"
#include "tenon/backend/cuda/scan/kernel.cuh"
#include "tenon/backend/cuda/scan/short_rows.cuh"
#include "tenon/backend/cuda/scan/split.cuh"
#include "tenon/backend/cuda/scan/strip_plan.cuh"
#include "tenon/core/config.hpp"
#include "tenon/schedule/scan.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct scan_planner {
  // 16 bytes of the widest operand but for parts of results, which are stored element by element.
  template <class Program>
  static constexpr int width = [] {
    int widest = 0;
    for (instruction_facts const& i : program_traits<Program>::all)
      if (i.moves_elements && !i.is_window && size_of(i.type) > widest) widest = size_of(i.type);
    return widest > 0 ? 16 / widest : 1;
  }();
  // Whether every reduction by blocks stays in the neighbouring vectors of a warp.
  template <class Program>
  static constexpr bool holds_blocks = []<int... K>(std::integer_sequence<int, K...>) {
    using traits = program_traits<Program>;
    return (true && ... &&
            (!is_blockwise_scan<typename traits::template at<K>::op> ||
             ops::block_length<traits::template at<K>::bits> <= 32 * width<Program>));
  }
  (typename program_traits<Program>::sequence{});
  static constexpr int threads = 256, split_threads = 768;
  template <class Program> static constexpr int loads = element_operands<Program>::loads;
  // Elements of a thread that are in registers together: at most 16, of which each value has one.
  // Where items are finished one after the other 32 of half types.
  template <class Program>
  static constexpr int items = width<Program> >= 16 ? 1
                               : width<Program> >= 8
                                   ? (!has_ordered_scan<Program> && loads<Program> <= 2 ? 4 : 2)
                                   : 4;
  // H200, cumsum of f32: rows in registers are fastest with four blocks on a multiprocessor (32768
  // x 4096: 266 us, with three 295 us), those of several tiles, of which the next one is under way,
  // with room for it (8192 x 16384: 269 us with three, 274 us with two; of 16383 316 and 358).
  // Several operands, elements of which a vector has two, and phases before that of the scan take
  // registers of more blocks.
  // Reductions of blocks, with more elements to a thread: RMS norm and scales of 32 columns, 8192 x
  // 4096 bf16, one call, 38 us with three blocks and 32 elements, 54 us with four and 16, which is
  // issue slots: 27.8 M warp instructions against 42.1 M.
  template <class Program, bool IsLooped>
  static constexpr int blocks = [] {
    if (program_traits<Program>::has_blocks) return IsLooped ? 2 : 3;
    bool const is_simple = width<Program> >= 4 && !program_traits<Program>::has_reduction;
    bool const is_narrow = loads<Program> <= 1 && (!IsLooped || is_simple);
    return (IsLooped ? 2 : 3) + is_narrow;
  }();
  template <class Program, bool IsLooped>
  static constexpr configuration chosen{.vector_width = width<Program>,
                                        .items = items<Program>,
                                        .threads_per_block = threads,
                                        .group_dims = max_rank,
                                        .is_looped = IsLooped,
                                        .blocks = blocks<Program, IsLooped>};
  // With reductions beside the scan the registers of four blocks are too few: 52 bytes are spilled.
  template <class Program>
  static constexpr configuration short_rows{
      .vector_width = width<Program>,
      .items = items<Program> < 2 ? items<Program> : 2,
      .threads_per_block = threads,
      .group_dims = max_rank,
      .blocks = program_traits<Program>::has_reduction ? 3 : blocks<Program, false>};
  // All operands of the rounds that are held lie in a multiprocessor's shared memory, and the
  // states of those that are told in registers. H200, cumsum of f32, three items against four: 2^27
  // 275 us and 274, misaligned 320 and 353, 2^20 9.75 and 10.05.
  template <class Program>
  static constexpr int split_items = static_cast<int>(clamped(
      (words_of_scans<Program> > 2 ? 2 : 3) / at_least(1, loads<Program>), 1, items<Program>));
  template <class Program>
  static constexpr configuration split{.vector_width = width<Program>,
                                       .items = split_items<Program>,
                                       .threads_per_block = split_threads,
                                       .group_dims = max_rank,
                                       .is_looped = true,
                                       .blocks = 1};
  // One scan and nothing that waits for a row's end.
  template <class Program>
  static constexpr bool can_split = [] {
    using traits = program_traits<Program>;
    bool stores_others = false;
    for (instruction_facts const& i : traits::all)
      stores_others = stores_others || (i.is_store && i.where != place::element);
    return traits::all.count(&instruction_facts::is_scan) == 1 && !traits::has_reduction &&
           !traits::has_blocks && !stores_others && loads<Program> <= 4;
  }();

  // Rows of which a warp has one or more, whole, as long as nothing is added up over all of them.
  template <class Program>
  static constexpr bool may_be_short =
      has_ordered_scan<Program> && !program_traits<Program>::has_total &&
      !program_traits<Program>::has_blocks;
  template <class Program>
  static constexpr long long most_short = 32 * short_rows<Program>.items* width<Program>;

  template <class Program, column_order Columns = column_order::any>
  [[gnu::cold]] static cuda_plan plan(bound_layout const& layout, bound_arguments const& call,
                                      cuda_device_facts const& facts) {
    if constexpr (may_have_strips<Program> && Columns < column_order::inner) {
      cuda_plan const of_strips = strip_planner::plan<Program>(layout, call, facts);
      if (of_strips.function) return of_strips;
    }
    long long const tile = threads * items<Program> * width<Program>;
    if constexpr (can_split<Program>) {
      // Rows that would leave half of the multiprocessors without work, of some tiles each.
      if (layout.rows.size > 0 && layout.rows.size <= most_split_rows &&
          layout.columns.size > 4 * tile) {
        cuda_plan result = plan_split<Program>(layout, call, facts);
        if (result.function && most_resident_groups(result, facts) >= tiles_per_round)
          return result;
      }
    }
    if constexpr (may_be_short<Program>)
      if (layout.columns.size <= most_short<Program>) return plan_short<Program>(layout, call);
    if (layout.columns.size <= tile &&
        (!has_row_for_each_block<Program, false> || layout.rows.size <= most_blocks))
      return planned<Program, chosen<Program, false>>(
          layout, call,
          goes_backward<Program, chosen<Program, false>>(layout, call)
              ? "each row from its end, in the registers of a block"
              : "each row in the registers of a block");
    return planned<Program, chosen<Program, true>>(
        layout, call,
        goes_backward<Program, chosen<Program, true>>(layout, call)
            ? "each row from its end, tile after tile"
            : "each row tile after tile");
  }

 private:
  // Whether rows are scanned from their ends, and are vectors all the same.
  template <class Program, configuration C>
  [[gnu::cold]] static bool goes_backward(bound_layout const& layout, bound_arguments const& call) {
    if constexpr (has_reversed<Program>)
      return scan_arguments<Program>::of(layout, call, C.vector_width, work_split{}).is_packed;
    return false;
  }
  template <class Program>
  [[gnu::cold]] static cuda_plan plan_split(bound_layout const& layout, bound_arguments const& call,
                                            cuda_device_facts const& facts) {
    constexpr configuration c = split<Program>;
    constexpr int bytes = split_scan_stage<Program, specialization_of<c>>::bytes;
    using arguments = widest_arguments<Program>;
    cuda_plan result;
    if (bytes > facts.shared_bytes_per_block || !facts.has_clusters) return result;
    result.function = reinterpret_cast<void const*>(
        &split_scan_kernel<Program, specialization_of<c>, build_hash, arguments>);
    result.chosen = c;
    result.why = "few long rows: all blocks share their tiles";
    result.block = dim3(split_threads);
    result.grid = dim3(tiles_per_round);
    result.is_cooperative = true;
    result.shared_bytes = bytes;
    allow_shared_bytes(result.function, bytes);
    result.workspace_bytes = sizeof(unsigned) * first_partial;
    prepare_arguments<arguments>(result, layout, call);
    return result;
  }
  template <class Program>
  [[gnu::cold]] static cuda_plan plan_short(bound_layout const& layout,
                                            bound_arguments const& call) {
    constexpr configuration c = short_rows<Program>;
    using arguments = scan_arguments<Program>;
    cuda_plan result;
    result.function = reinterpret_cast<void const*>(
        &short_scan_kernel<Program, specialization_of<c>, build_hash, arguments>);
    result.chosen = c;
    result.why = goes_backward<Program, c>(layout, call)
                     ? "short rows, each from its end, some lanes of a warp for each"
                     : "short rows, some lanes of a warp for each";
    long long const rows = layout.rows.size, size = layout.columns.size;
    int lanes = 1, warps = c.threads_per_block / 32;
    while (lanes < 32 && lanes * c.items * c.vector_width < size) lanes *= 2;
    while (warps > 1 && rows * lanes < 132 * 32 * warps) warps /= 2;
    result.block = dim3(static_cast<unsigned>(lanes), static_cast<unsigned>(32 * warps / lanes));
    result.grid = dim3(static_cast<unsigned>(
        clamped(divide_up(rows, static_cast<long long>(result.block.y)), 1, most_blocks)));
    stage<Program, c>(result, layout, call);
    prepare_arguments<arguments>(result, layout, call);
    return result;
  }
  // What memory does not have as whole aligned vectors comes and goes through shared memory.
  template <class Program, configuration C>
  [[gnu::cold]] static void stage(cuda_plan& result, bound_layout const& layout,
                                  bound_arguments const& call) {
    constexpr int v = C.vector_width;
    if (scan_arguments<Program>::of(layout, call, v, work_split{}).is_packed) return;
    auto const bytes = [](int lanes, int rows) {
      int of_all = C.items * staged_bytes_per_item(16, lanes, rows);
      if constexpr (has_stage_of_scan<Program, C.items>)
        of_all +=
            staged_bytes<Program, element_loads<Program, v, C.items>, v>(C.items, lanes, rows);
      return of_all;
    };
    result.shared_bytes = static_cast<unsigned>(
        bytes(static_cast<int>(result.block.x), static_cast<int>(result.block.y)));
    allow_shared_bytes(result.function, bytes(1, C.threads_per_block));
  }
  template <class Program, configuration C>
  [[gnu::cold]] static cuda_plan planned(bound_layout const& layout, bound_arguments const& call,
                                         char const* why) {
    using arguments = scan_arguments<Program>;
    cuda_plan result;
    result.function = reinterpret_cast<void const*>(
        &scan_kernel<Program, specialization_of<C>, build_hash, arguments>);
    result.chosen = C;
    result.why = why;
    long long const warps = divide_up(layout.columns.size, 32ll * C.items * C.vector_width);
    int const lanes = static_cast<int>(32 * clamped(warps, 1, C.threads_per_block / 32));
    result.block = dim3(static_cast<unsigned>(lanes));
    if (program_traits<Program>::has_reduction && !has_reversed<Program> && !C.is_looped &&
        layout.rows.dims == 1 &&
        arguments::of(layout, call, C.vector_width, work_split{}).is_packed)
      result.split.rows_ahead = 132 * (C.blocks * C.threads_per_block / lanes);
    stage<Program, C>(result, layout, call);
    // The grid is a function of the shape alone, like the order of every sum.
    long long most = most_blocks;
    if constexpr (program_traits<Program>::has_total)
      most = most_parts<Program, reductions_of<Program, place::total, 0>>;
    result.grid = dim3(static_cast<unsigned>(clamped(layout.rows.size, 1, most)));
    if constexpr (program_traits<Program>::has_total) add_slots(result);
    prepare_arguments<arguments>(result, layout, call);
    return result;
  }
};

}  // namespace tenon::detail

namespace tenon {
template <> struct cuda_skeleton<&schedules::scan> : detail::scan_planner {};
}  // namespace tenon
TENON_ONCE_END
