// SPDX-License-Identifier: Apache-2.0
#pragma once
// Neighbouring rows whose planes send back what these come to → the columns skeleton whose blocks
// meet: those of a plane.

#include "tenon/backend/cuda/columns/meeting_plan.cuh"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct plane_columns_planner : meeting_columns_planner {
  template <class Program>
  static constexpr bool may_meet = [] {
    using traits = program_traits<Program>;
    return !traits::has_positions && !traits::has_gathered && !traits::has_fetches &&
           !traits::stores_parts;
  }();
  // Bytes of operands that a block has of a plane, about: half of them stay in shared memory, the
  // others in the second-level cache. H200, us, with 100, 160, 200 and 400 KB: global response
  // normalisation of 64 x 3136 x 384 bf16 142, 122, 120, 133, f32 252, 233, 226, 238, of 64 x 784 x
  // 768 f32 131, 117, 116, 127.
  static constexpr long long bytes_of_block = 200 << 10;

  // No function: rows are no neighbours, their vectors would be in two planes, or the device cannot
  // hold the blocks of one.
  template <class Program>
  [[gnu::cold]] static cuda_plan plan_planes(bound_layout const& layout,
                                             bound_arguments const& call,
                                             cuda_device_facts const& facts) {
    constexpr int v = width<Program>;
    if (layout.rows.size == 0 || layout.columns.size == 0) return {};
    if (!rows_are_neighbours<Program>(layout)) return {};
    long long const of_axis = layout.rows.extents[layout.rows.dims - 1];
    if (layout.rows_per_plane % of_axis != 0 && layout.rows_per_plane % v != 0) return {};
    plane_columns_arguments<Program> a{};
    set_operands<Program>(a, layout, call, v, false);
    a.vectors_of_plane = static_cast<int>(a.rows.size / layout.planes);
    meeting_split const split = split_planes(layout.planes, a.vectors_of_plane, a.columns.size,
                                             bytes_per_vector<Program>, items<Program>);
    cuda_plan result = planned_meeting<Program, plane_columns, items<Program>>(a, split, facts);
    result.why = "neighbouring threads on neighbouring rows, planes over blocks, which meet";
    return result;
  }

 private:
  // Tiles, slices and so the order of a sum follow from the shape of a plane. Tiles are as wide as
  // leaves few threads without a vector.
  [[gnu::cold]] static meeting_split split_planes(long long planes, long long vectors,
                                                  long long positions, int bytes, int items) {
    meeting_split to{};
    to.lanes = threads;
    while (to.lanes > 4 && 4 * divide_up(vectors, to.lanes) * to.lanes > 5 * vectors) to.lanes /= 2;
    to.tiles_together = divide_up(vectors, to.lanes);
    to.tiles = planes * to.tiles_together;
    long long const turns = at_least(1, divide_up(positions, threads / to.lanes * items));
    to.slices = clamped(divide_up(vectors * positions * bytes, to.tiles_together * bytes_of_block),
                        1, turns);
    to.turns_of_slice = clamped(divide_up(turns, to.slices), 1, most_turns_of_slice);
    to.slices = divide_up(turns, to.turns_of_slice);
    long long const at_once =
        clamped(blocks_wanted / (to.tiles_together * to.slices), 1, most_meeting_groups);
    to.groups = divide_up(planes, divide_up(planes, at_once));
    return to;
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
