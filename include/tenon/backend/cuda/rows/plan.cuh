// SPDX-License-Identifier: Apache-2.0
#pragma once
// Chooses the configuration and the grid of the rows skeletons.

#include "tenon/backend/cuda/columns/plan.cuh"
#include "tenon/backend/cuda/grid/plan.cuh"
#include "tenon/backend/cuda/parts/whole_operands.cuh"
#include "tenon/backend/cuda/rows/resident_plan.cuh"
#include "tenon/core/config.hpp"
#include "tenon/program/joined_sweeps.hpp"
#include "tenon/schedule/nested.hpp"
#include "tenon/schedule/rows.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct rows_planner : resident_rows_planner {
  // Rows of one element that are columns, unless a lane has them by itself. H200, sums of 2^20 x 1
  // f32: 3.6 us (5.3), but misaligned 5.8 (5.4), bf16 7.7 (5.4), of 4096 x 1 1.76 (1.06).
  template <class Program>
  static constexpr long long least_columns_of_one = may_pass<Program>      ? 1ll << 12
                                                    : may_be_tiny<Program> ? ~0ull >> 1
                                                                           : 1ll << 18;

  // Whether a thread of the columns skeleton tells its positions apart.
  static bool has_places_of_32_bits(group_layout const& columns) {
    return columns.dims == 1 && columns.size <= 1ll << 32;
  }
  template <class Program, column_order Columns>
  [[gnu::cold]] static cuda_plan plan(bound_layout const& layout, bound_arguments const& call,
                                      cuda_device_facts const& facts) {
    if constexpr (can_be_odd<Program> && !passes_once<Program> && may_be_odd(Columns)) {
      auto const lone = plan_lone<Program>(layout, call, facts);
      if (lone.function) return lone;
      auto const few = plan_few<Program>(layout, call, facts);
      if (few.function) return few;
    }
    // In calls of most types none can be.
    constexpr bool has_positions = program_traits<Program>::has_positions;
    if constexpr (Columns < column_order::inner && !program_traits<Program>::has_planes &&
                  !program_traits<Program>::has_gathered &&
                  (!has_positions || may_know_positions<Program>))
      if (rows_are_neighbours<Program>(layout) &&
          (!elements_know_positions<Program> || has_places_of_32_bits(layout.columns)) &&
          (layout.columns.size > 1 ||
           (layout.rows.size >= least_columns_of_one<Program> &&
            (!may_be_tiny<Program> || columns_planner::has_whole_vectors<Program>(layout, call)))))
        return columns_planner::plan<Program>(layout, call, facts);
    if constexpr (gathered_columns<Program>::are_found && !program_traits<Program>::has_planes)
      if (columns_planner::gathers_vectors<Program>(layout, call))
        return columns_planner::plan<Program>(layout, call, facts);
    constexpr int all = columns_allowed(Columns);
    if constexpr (may_be_tiny<Program>)
      if (is_tiny<Program>(layout)) return plan_tiny<Program, all>(layout, call, facts);
    auto operands = widest_arguments<Program>::of(layout, call, width<Program>, work_split{});
    bool const is_packed = has_whole_operands<Program>(operands);
    moved_as const how = operands.moves_vectors() ? moved_as::vectors
                         : operands.is_contiguous ? moved_as::parts_of_vectors
                                                  : moved_as::elements;
    long long const vectors = divide_up(layout.columns.size, width<Program>);
    long_share const share = long_share::of<Program>(layout, facts);
    bool const is_long = share.lanes > 0;
    [[maybe_unused]] bool is_held = may_be_resident<Program>(facts)
                                        ? blocks_hold<Program>(layout, facts)
                                        : vectors <= medium_vectors<Program>;
    if constexpr (has_loads_beside<Program> && !passes_once<Program> &&
                  Columns < column_order::contiguous)
      if (!is_long && vectors <= medium_vectors<Program> &&
          lie_beside_in_rows<Program, width<Program>>(operands, layout, call)) {
        cuda_plan result =
            plan_packed<Program, beside_columns>(layout, call, facts, moved_as::vectors);
        result.why = "row in registers; what lies between each other's elements is moved together";
        if (result.function) return result;
      }
    if constexpr (fetched_rows<Program>::are_found && !passes_once<Program>)
      if (!is_long && is_held &&
          fetches_whole_vectors<Program, width<Program>>(operands, layout, call)) {
        cuda_plan const result =
            plan_fetched<typename fetched_rows<Program>::type>(layout, call, facts, vectors);
        if (result.function) return result;
      }
    if constexpr (can_be_odd<Program> && !passes_once<Program>) {
      // For the same bits, where there are many.
      auto const brief = plan_brief<Program, Columns>(layout, call, facts, operands.is_packed);
      if (brief.function) return brief;
      if constexpr (may_be_odd(Columns)) {
        auto const spread = plan_spread<Program, all>(layout, call, facts, operands.is_contiguous);
        if (spread.function) return spread;
      }
      if constexpr (may_begin_anywhere(Columns))
        if (operands.is_contiguous && !operands.is_packed &&
            layout.columns.size % width<Program> == 0) {
          auto const shifted = plan_shifted<Program>(layout, call, facts, share, how);
          if (shifted.function) return shifted;
        }
      // Strided, too, for the same bits.
      is_held = is_held || odd_share_of<Program>(layout, facts).lanes > 0;
      if constexpr (may_be_odd(Columns))
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
      if constexpr (may_be_parted<Program>)
        if (operands.is_contiguous) {
          cuda_plan const result =
              operands.is_packed
                  ? plan_parted<Program, parted<Program, packed_columns>>(layout, call, facts, how)
                  : plan_parted<Program, parted<Program, contiguous_columns>>(layout, call, facts,
                                                                              how);
          if (result.function) return result;
        }
      if constexpr (has_slices<Program> && !sums_by_place<Program>)
        if (vectors < 1 << 30) {
          auto const slices = slice_table<Program>::template find<width<Program>>(layout, call);
          if (slices.are_along && slices.has_vectors())
            return plan_streamed<Program, streamed<Program, sliced_columns>>(layout, call, how);
        }
      if constexpr (may_be_ordered<Program>)
        if (operands.is_contiguous && !operands.is_packed && layout.columns.dims <= 1 &&
            vectors < 1 << 30)
          return plan_streamed<Program, streamed<Program, ordered_columns>>(layout, call, how);
      if constexpr (may_be_aligned<Program>)
        if (operands.is_packed && vectors < 1 << 30)
          return plan_streamed<Program, streamed<Program, 1>>(layout, call, how);
      return plan_streamed<Program, streamed<Program, all>>(layout, call, how);
    } else {
      cuda_plan result;
      if constexpr (has_long_rows<Program>)
        if (is_long && is_packed) result = plan_long<Program>(layout, call, facts, share);
      if constexpr (can_be_settled<Program> && may_begin_anywhere(Columns))
        if (is_long && operands.is_contiguous && !operands.is_packed &&
            layout.columns.size % width<Program> == 0)
          result = plan_long<Program, settled_rows<Program>>(layout, call, facts, share);
      if (!result.function && !is_long && is_packed && vectors <= medium_vectors<Program>)
        result = plan_packed<Program, packed_columns>(layout, call, facts, how);
      else if constexpr (has_resident<Program, all>)
        if (!result.function)
          result = plan_resident<Program, resident<Program, all>>(layout, call, facts, how);
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
};

}  // namespace tenon::detail
TENON_ONCE_END
