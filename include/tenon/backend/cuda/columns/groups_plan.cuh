// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows that are groups of neighbouring columns → the columns skeleton whose blocks meet: each
// column by itself first, and then those of a group.

#include "tenon/backend/cuda/columns/grouped_kernel.cuh"
#include "tenon/backend/cuda/columns/meeting_plan.cuh"
#include "tenon/backend/cuda/rows/split_plan.cuh"
#include "tenon/schedule/column_groups.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct column_groups_planner : meeting_columns_planner {
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
  static constexpr long long least_elements_of_row = 1 << 12, few_kept_positions = 64;

  template <class Program>
  [[gnu::cold]] static cuda_plan plan(bound_layout const& layout, bound_arguments const& call,
                                      cuda_device_facts const& facts) {
    // For the same bits, wherever they lie.
    if constexpr (split_rows_planner::may_hold_runs<Program>)
      if (split_rows_planner::may_be_in_runs<Program>(layout) &&
          run_rows_planner::are_medium<Program>(layout, facts) &&
          layout.columns.extents[layout.columns.dims - 1] > element_operands<Program>::vector_width)
        return split_rows_planner::plan<Program>(layout, call, facts);
    if constexpr (may_group<Program>)
      if (has_groups_of_columns(layout)) {
        cuda_plan const grouped = plan_groups<Program>(layout, call, facts);
        if (grouped.function) return grouped;
      }
    return split_rows_planner::plan<Program>(layout, call, facts);
  }

 private:
  [[gnu::cold]] static bool has_groups_of_columns(bound_layout const& layout) {
    return layout.columns.dims == 2 && layout.rows.dims > 0 && layout.rows.dims < max_rank &&
           layout.rows.size > 0 && layout.columns.size > 0 &&
           layout.columns.extents[1] <= most_columns_of_group;
  }

  // What is chosen is a function of the shape, and of the device's clusters and shared memory: the
  // order of a sum follows from it. Groups of whole vectors are rows that a block or a cluster
  // takes in one go; others would be moved element by element there. H200, group norm with silu,
  // us, as split rows, where all blocks meet, and kept in clusters of one or two blocks:
  // 16 x 4096 x (32 groups of 10) bf16 402, 60, 88; 8 x 1024 x (32 of 20) 103, 27, -; 16 x 1024 x
  // (32 of 20) 179, 38, 35; 64 x 64 x (32 of 10) 37, 30, 15; 256 x 49 x (32 of 6) 83, 57, 19;
  // whole vectors 16 x 4096 x (32 of 40) 150, 215, -; 8 x 4096 x (32 of 16) 35, 48, -; 128 x 196 x
  // (32 of 32) 65, 149, 66; 256 x 49 x (32 of 64) 416, 429, 74, of 16 79, 107, 21; of those that no
  // cluster holds 65536 x (32 of 8) 116, 56, -, 8 x 3136 x (2 of 256) 52, 47, -. Sums alone of
  // 262144 x (32 of 4) f32 89, 38.
  // No function: columns are no neighbours, their vectors would be in two rows of memory, or split
  // rows are sooner done.
  template <class Program>
  [[gnu::cold]] static cuda_plan plan_groups(bound_layout const& layout,
                                             bound_arguments const& call,
                                             cuda_device_facts const& facts) {
    constexpr int v = width<Program>, of_vector = element_operands<Program>::vector_width;
    bound_layout const columns = with_columns<Program>(layout);
    if (!rows_are_neighbours<Program>(columns) ||
        columns.rows.extents[columns.rows.dims - 1] % v != 0)
      return {};
    grouped_arguments<Program> a{};
    set_operands<Program>(a, columns, call, v, false);
    long long const of_group = layout.columns.extents[1];
    a.columns_of_group = index_divider<64>::of(of_group);
    a.groups = a.group_of(layout.rows);
    bool const are_whole = of_group % of_vector == 0 && of_group > of_vector;
    if constexpr (is_any_kept<Program, v>)
      if (!are_whole || a.columns.size <= few_kept_positions) {
        cuda_plan const kept = plan_kept_groups<Program>(a, of_group, facts);
        if (kept.function) return kept;
      }
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

  // Threads of a row of a block, times blocks of a cluster (rows_side_by_side); few of the latter.
  static constexpr long long most_shared = 64;
  static constexpr int few_blocks = 2;

  // How a tile of whole groups that is read once is shared: the vectors it has, how many threads
  // stand for them, and the blocks of its cluster.
  struct kept_groups {
    long long vectors = 0, lanes = 0, blocks = 0;
  };
  // Of the widest tiles that clusters hold and that are enough for the device; 0: none holds one.
  [[gnu::cold]] static kept_groups share_groups(long long vectors, long long positions,
                                                long long vectors_of_unit, int bytes_per_step,
                                                long long most_bytes, int blocks_of_cluster) {
    kept_groups result;
    for (long long lanes = 32; lanes >= 8 && lanes >= vectors_of_unit; lanes /= 2) {
      kept_groups one{lanes / vectors_of_unit * vectors_of_unit, lanes, 1};
      long long const tiles = divide_up(vectors, one.vectors),
                      most_blocks = clamped(most_shared / lanes, 1, blocks_of_cluster);
      auto const steps = [&] {
        return divide_up(divide_up(positions, one.blocks), threads / lanes);
      };
      auto const fits = [&] { return steps() * bytes_per_step <= most_bytes; };
      while (one.blocks < most_blocks && !fits()) one.blocks *= 2;
      if (!fits()) continue;
      auto const fills_device = [&] { return tiles * one.blocks >= blocks_wanted; };
      while (one.blocks < most_blocks && steps() > 1 && !fills_device()) one.blocks *= 2;
      // Large clusters in more than one turn are slow, and so are their merges of large states.
      // H200, us, and where all blocks meet: 4096 x (32 of 10) bf16 in 64 blocks 14 (23), twice
      // that 20 (30), four times 33 (34), eight times 52 (40); of moments 24 (21), 42 (25).
      if (one.blocks > few_blocks && tiles * one.blocks > blocks_wanted / 2) continue;
      result = one;
      if (fills_device()) break;
    }
    return result;
  }

  // No function: no cluster holds a tile.
  template <class Program>
  [[gnu::cold]] static cuda_plan plan_kept_groups(grouped_arguments<Program>& a, long long of_group,
                                                  cuda_device_facts const& facts) {
    constexpr int v = width<Program>,
                  held = kept_blocks_held<Program, v * row_state_words<Program>>;
    using kept = kept_vectors<Program, v, threads>;
    constexpr configuration grouped{.vector_width = v,
                                    .items = group_items<Program>,
                                    .threads_per_block = threads,
                                    .group_dims = run_columns,
                                    .blocks = held};
    cuda_plan result{};
    long long const available =
        clamped(facts.shared_bytes_per_block - (24 << 10), 0, most_kept_bytes);
    for (int at_once : {held, 2}) {
      if (most_kept_bytes / at_once > available) break;
      long long const unit = of_group / common_divisor(of_group, v);
      auto const share_with = [&](int blocks) {
        return share_groups(a.rows.size, a.columns.size, unit, kept::bytes_per_step,
                            most_kept_bytes / at_once, facts.has_clusters ? blocks : 1);
      };
      kept_groups share = share_with(few_blocks);
      if (share.blocks == 0 && !has_large_states<Program>) share = share_with(8);
      if (share.blocks == 0) continue;
      result.function = reinterpret_cast<void const*>(
          &grouped_columns_kernel<Program, specialization_of<grouped>, build_hash,
                                  grouped_arguments<Program>>);
      result.chosen = grouped;
      long long const height = threads / share.lanes;
      a.vectors_of_tile = static_cast<int>(share.vectors);
      a.is_kept = a.slices_are_neighbours = true;
      a.tiles = static_cast<int>(divide_up(a.rows.size, share.vectors));
      a.slices = static_cast<int>(share.blocks);
      a.slice_length = divide_up(divide_up(a.columns.size, share.blocks), height) * height;
      result.block = dim3(static_cast<unsigned>(share.lanes), static_cast<unsigned>(height));
      result.grid = dim3(static_cast<unsigned>(a.tiles * share.blocks));
      result.cluster = static_cast<unsigned>(share.blocks);
      result.shared_bytes = static_cast<unsigned>(a.slice_length / height * kept::bytes_per_step);
      result.why =
          share.blocks > 1
              ? "neighbouring threads on neighbouring columns, groups of these kept in a cluster"
              : "neighbouring threads on neighbouring columns, groups of these kept in shared "
                "memory";
      allow_shared_bytes(result.function, available);
      prepare(result, a);
      break;
    }
    return result;
  }

  [[gnu::cold]] static long long common_divisor(long long a, long long b) {
    while (b > 0) {
      long long const rest = a % b;
      a = b, b = rest;
    }
    return a;
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
    bool merges = true;
    visit_selected<Program, element_operands<Program>>([&](auto selected) {
      using I = typename program_traits<Program>::template at<decltype(selected)::value>;
      operand_layout const& one = operand_of<I>(from);
      merges = merges && one.row_strides[last] == one.column_strides[inner] * count;
    });
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
