// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows that are groups of neighbouring columns → the columns skeleton whose blocks meet: each
// column by itself first, and then those of a group.

#include "tenon/backend/cuda/columns/kept_groups_plan.cuh"
#include "tenon/backend/cuda/rows/split_plan.cuh"
#include "tenon/schedule/column_groups.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct column_groups_planner : kept_groups_planner {
  template <class Program>
  static constexpr bool may_group = [] {
    using traits = program_traits<Program>;
    return !traits::has_total && !traits::has_planes && !traits::has_positions &&
           !traits::has_gathered && !traits::has_fetches && !traits::stores_parts;
  }();
  // Positions in flight: weights of the columns, which are the same at each position, are at hand.
  // H200, us, 16 x 4096 x (32 groups of 10) bf16 with weight and bias, by the variance with four
  // and with two 71.1 and 85.2, by squares 54.5 and 55.2.
  template <class Program>
  static constexpr int group_items = [] {
    int loads = 0;
    for (instruction_facts const& i : program_traits<Program>::all)
      loads += i.is_load && i.moves_elements && !i.is_of_some_rows;
    bool const are_others_at_hand = loads <= 1 && element_operands<Program>::loads > 1;
    return are_others_at_hand ? 2 * items<Program> : items<Program>;
  }();
  static constexpr long long most_columns_of_group = 1 << 12;
  static constexpr long long least_elements_of_row = 1 << 12;

  template <class Program>
  [[gnu::cold]] static cuda_plan plan(bound_layout const& layout, bound_arguments const& call,
                                      cuda_device_facts const& facts) {
    // For the same bits, wherever they lie.
    if constexpr (split_rows_planner::may_hold_runs<Program>)
      if (split_rows_planner::may_be_in_runs<Program>(layout) &&
          run_rows_planner::are_medium<Program>(layout, facts) && are_rows<Program>(layout))
        return split_rows_planner::plan<Program>(layout, call, facts);
    if constexpr (may_group<Program>)
      if (has_groups_of_columns(layout)) {
        cuda_plan const grouped = plan_groups<Program>(layout, call, facts);
        if (grouped.function) return grouped;
      }
    return split_rows_planner::plan<Program>(layout, call, facts);
  }

 private:
  // Whether the groups of every operand lie side by side.
  template <class Program>
  [[gnu::cold]] static bool groups_are_neighbours(bound_layout const& layout) {
    int const inner = layout.columns.dims - 1, last = layout.rows.dims - 1;
    bool result = true;
    visit_selected<Program, element_operands<Program>>([&](auto selected) {
      using I = typename program_traits<Program>::template at<decltype(selected)::value>;
      operand_layout const& one = operand_of<I>(layout);
      result = result &&
               one.row_strides[last] == one.column_strides[inner] * layout.columns.extents[inner];
    });
    return result;
  }
  // Rows that registers hold and that have no tiles in all operands, as merged heads; and those of
  // few vectors, in runs of half a line or more, of which a few blocks have less to do before and
  // after than those of tiles. H200, us, in registers and kept: layer norm of merged heads, 4 x 64
  // x 1024 x 64 bf16 23, 28; group norm with silu of 16 x 64 x (32 of 32) bf16 5.1, 6.6, but of 128
  // images 26.5, 19.8; 256 x 49 x (32 of 64) 84, 45.
  template <class Program> [[gnu::cold]] static bool are_rows(bound_layout const& layout) {
    constexpr int v = element_operands<Program>::vector_width;
    long long const of_run = layout.columns.extents[layout.columns.dims - 1] / v;
    if (layout.columns.dims != 2 || layout.rows.dims == 0) return of_run > 1;
    return !groups_are_neighbours<Program>(layout) ||
           (of_run >= 4 && layout.columns.size / v <= 320);
  }
  [[gnu::cold]] static bool has_groups_of_columns(bound_layout const& layout) {
    return layout.columns.dims == 2 && layout.rows.dims > 0 && layout.rows.dims < max_rank &&
           layout.rows.size > 0 && layout.columns.size > 0 &&
           layout.columns.extents[1] <= most_columns_of_group;
  }

  // What is chosen follows from the shape, from the device's clusters and its shared memory, and so
  // does the order of a sum; where groups are kept, from the shape of one. Of groups of several
  // vectors that end in the midst of a line nothing is gained: H200, us, group norm with silu as
  // split rows and kept, 2 x 256 x (32 of 40) bf16 4.8, 8.9, of 8 x 1024 26.7, 26.3. Groups of
  // whole vectors that are not kept are rows that a block or a cluster takes in one go: 16 x 4096 x
  // (32 of 40) 150, where all blocks meet 215. Of those that no cluster holds 65536 x (32 of 8)
  // 116, 56, 8 x 3136 x (2 of 256) 52, 47. Sums alone of 262144 x (32 of 4) f32 89, 38. No
  // function: columns are no neighbours, their vectors would be in two rows of memory, or split
  // rows are sooner done.
  template <class Program>
  [[gnu::cold]] static cuda_plan plan_groups(bound_layout const& layout,
                                             bound_arguments const& call,
                                             cuda_device_facts const& facts) {
    constexpr int v = width<Program>, of_vector = element_operands<Program>::vector_width;
    bound_layout const columns = with_columns<Program>(layout);
    if (!rows_are_neighbours<Program>(columns)) return {};
    long long const of_group = layout.columns.extents[1], vectors = of_group / of_vector;
    bool const are_whole = of_group % of_vector == 0 && vectors > 1,
               end_in_lines = are_whole && vectors > 4 && (vectors & (vectors - 1)) != 0;
    if constexpr (is_any_kept<Program, of_vector>)
      if (!end_in_lines) {
        cuda_plan const kept = plan_kept_groups<Program>(layout, columns, call, facts);
        if (kept.function) return kept;
      }
    if (columns.rows.extents[columns.rows.dims - 1] % v != 0) return {};
    grouped_arguments<Program> a{};
    set_operands<Program>(a, columns, call, v, false);
    a.columns_of_group = index_divider<64>::of(of_group);
    a.groups = a.group_of(layout.rows);
    if (are_whole &&
        split_rows_planner::has_whole_rows<Program>(layout.columns.size / of_vector, facts))
      return {};
    meeting_split const split =
        split_groups(a.rows.size, a.columns.size, v, of_group, group_items<Program>);
    // A round of tiles takes 6 us for each meeting, whatever its rows are.
    bool const are_many = divide_up(split.tiles, split.tiles_together * split.groups) > 2;
    if (are_many && layout.columns.size < least_elements_of_row) return {};
    cuda_plan result = planned_meeting<Program, run_columns, group_items<Program>>(a, split, facts);
    result.why =
        "neighbouring threads on neighbouring columns, groups of these over blocks, which meet";
    return result;
  }

  // Tiles are as wide as leaves few threads without a vector. As many meet together as end where a
  // group does.
  [[gnu::cold]] static meeting_split split_groups(long long vectors, long long positions, int v,
                                                  long long of_group, int items) {
    auto const held = [&](long long lanes) { return divide_up(vectors, lanes) * lanes; };
    meeting_split to{};
    to.lanes = 32;
    for (long long lanes : {16, 8})
      if (8 * held(to.lanes) > 9 * vectors && held(lanes) < held(to.lanes)) to.lanes = lanes;
    to.tiles = divide_up(vectors, to.lanes);
    long long const common = common_divisor(of_group, to.lanes * v);
    to.tiles_together = of_group / common < to.tiles ? of_group / common : to.tiles;
    share_positions(to, positions, items);
    return to;
  }

  // The columns of a group as an axis of the rows, merged with the one before where all elements
  // allow it. What there is once for a row keeps its strides.
  template <class Program>
  [[gnu::cold]] static bound_layout with_columns(bound_layout const& from) {
    bound_layout result = from;
    int const inner = from.columns.dims - 1, last = from.rows.dims - 1;
    long long const count = from.columns.extents[inner];
    result.columns.dims = inner;
    result.columns.size = from.columns.size / count;
    bool const merges = groups_are_neighbours<Program>(from);
    int const axis = merges ? last : last + 1;
    result.rows.dims = axis + 1;
    result.rows.size = from.rows.size * count;
    result.rows.extents[axis] = (merges ? from.rows.extents[last] : 1) * count;
    visit_selected<Program, element_operands<Program>>([&](auto selected) {
      using I = typename program_traits<Program>::template at<decltype(selected)::value>;
      operand_layout& to = operand_of<I>(result);
      to.row_strides[axis] = to.column_strides[inner];
    });
    return result;
  }
};

}  // namespace tenon::detail

namespace tenon {
template <> struct cuda_skeleton<&schedules::column_groups> : detail::column_groups_planner {};
}  // namespace tenon
TENON_ONCE_END
