// SPDX-License-Identifier: Apache-2.0
#pragma once
// Chooses the split and the grid of the grid skeleton.

#include "tenon/backend/cuda/grid/kernel.cuh"
#include "tenon/backend/cuda/parts/plan_base.cuh"
#include "tenon/core/config.hpp"
#include "tenon/schedule/grid.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct grid_planner {
  // 16 KB of operands in flight per block, two blocks on a multiprocessor.
  template <class Program, bool AreOfPlanes = false>
  static constexpr configuration chosen{.vector_width = element_operands<Program>::vector_width,
                                        .items = element_operands<Program>::loads <= 1   ? 4
                                                 : element_operands<Program>::loads <= 3 ? 2
                                                                                         : 1,
                                        .threads_per_block = 256,
                                        .group_dims = max_rank,
                                        .is_looped = AreOfPlanes,
                                        .index_bits = 64};

  // How a row of that many vectors is split; a function of nothing else, because results depend on
  // it. Segments are whole tiles, so that no lane is idle but at the end of the row; 256 of them
  // are one for each of two blocks of a multiprocessor, and 8 for each lane that combines.
  struct row_split {
    int warps_per_team, segments, tiles_per_segment;
  };
  static constexpr row_split split_of(long long vectors, configuration const& c) {
    if (vectors <= 512) return {1, 1, static_cast<int>(divide_up(vectors, 32 * c.items))};
    long long const tiles =
                        divide_up(vectors, static_cast<long long>(c.threads_per_block) * c.items),
                    tiles_per_segment = divide_up(tiles, 256);
    return {c.threads_per_block / 32, static_cast<int>(divide_up(tiles, tiles_per_segment)),
            static_cast<int>(tiles_per_segment)};
  }
  // Chunks of rows whose totals are combined; at least four for each team there may be.
  static constexpr long long most_chunks(int warps_per_team) {
    return warps_per_team == 1 ? 8448 : 1056;
  }

  // AreOfPlanes: totals are.
  template <class Program, bool AreOfPlanes = false>
  [[gnu::cold]] static cuda_plan plan(bound_layout const& layout, bound_arguments const& call,
                                      cuda_device_facts const& facts) {
    constexpr configuration c = chosen<Program, AreOfPlanes>;
    using special = specialization_of<c>;
    using kernel_arguments =
        std::conditional_t<AreOfPlanes, level_arguments<Program>, grid_arguments<Program>>;
    using kept = kept_tiles<Program, c.vector_width, c.items, c.threads_per_block>;
    cuda_plan result;
    result.function =
        reinterpret_cast<void const*>(&grid_kernel<Program, special, build_hash, kernel_arguments>);
    result.chosen = c;
    result.block = dim3(c.threads_per_block);
    long long const rows = layout.rows.size,
                    vectors = divide_up(layout.columns.size, c.vector_width);
    row_split const split = split_of(vectors, c);
    grid_split to;
    to.warps_per_team = split.warps_per_team;
    to.segments = split.segments;
    to.tiles_per_segment = split.tiles_per_segment;
    to.rows_per_chunk = at_least(1, divide_up(rows, most_chunks(split.warps_per_team)));
    // A chunk is of one plane.
    if constexpr (AreOfPlanes)
      while (layout.rows_per_plane % to.rows_per_chunk != 0) --to.rows_per_chunk;
    to.chunks = static_cast<int>(divide_up(rows, to.rows_per_chunk));

    // With all shared memory first, then with what is used of it.
    long long const most_bytes = kept::bytes_per_tile > 0 ? shared_bytes<Program>(facts) : 0;
    int const teams = c.threads_per_block / (32 * split.warps_per_team);
    allow_shared_bytes(result.function, most_bytes);
    result.shared_bytes = static_cast<unsigned>(most_bytes);
    long long const units = rows * split.segments,
                    most_teams = at_least(1, most_resident_groups(result, facts)) * teams;
    // In whole chunks of rows where a chunk is several.
    long long const atom = to.rows_per_chunk > 1 ? to.rows_per_chunk * split.segments : 1;
    to.units_per_team = at_least(1, divide_up(divide_up(units, atom), most_teams) * atom);
    kernel_arguments arguments{};
    static_cast<run_arguments<Program>&>(arguments) =
        run_arguments<Program>::of(layout, call, c.vector_width);
    if constexpr (AreOfPlanes) {
      arguments.planes = layout.planes, arguments.rows_per_plane = layout.rows_per_plane;
      arguments.chunks_per_plane = static_cast<int>(layout.rows_per_plane / to.rows_per_chunk);
    }
    if constexpr (kept::has_small) arguments.runs = {};
    if constexpr (kept::bytes_per_tile > 0) {
      long long const places = most_bytes / kept::bytes_per_tile,
                      wanted = to.units_per_team * to.tiles_per_segment;
      bool const is_all = wanted <= places;
      if (!is_all && places < kept::tiles_under_way) arguments.runs = {};
      long long const under_way = arguments.runs.vectors > 0 && !is_all ? kept::tiles_under_way : 0;
      to.kept_tiles = static_cast<int>(is_all ? wanted : places - under_way);
      result.shared_bytes =
          static_cast<unsigned>((to.kept_tiles + under_way) * kept::bytes_per_tile);
    }
    long long const blocks = at_least(1, divide_up(units, to.units_per_team * teams)),
                    states = units * state_words_before<Program, place::row> +
                             to.chunks * state_words_before<Program, place::total>;
    bool const is_marked = states <= slot_count;
    if (is_marked) to.first_state = first_slot;
    arguments.grid = to;
    result.grid = dim3(static_cast<unsigned>(blocks));
    result.why = split.segments > 1 ? "rows shared by the blocks, which meet between phases"
                                    : "rows shared out to the blocks, which meet between phases";
    result.workspace_bytes =
        sizeof(unsigned) * static_cast<std::size_t>(first_partial + (is_marked ? 0 : 2 * states));
    result.is_cooperative = blocks > 1;
    prepare(result, arguments);
    return result;
  }

 private:
  // Half of a multiprocessor's, less what the states take: those of waiting units, twice, and those
  // of one unit.
  template <class Program> static long long shared_bytes(cuda_device_facts const& facts) {
    constexpr long long states = 2ll * (most_waiting_units<Program> + 1) *
                                 (chosen<Program>.threads_per_block / 32) *
                                 words_of_row_phase<Program> * 4;
    return at_least(0, (facts.shared_bytes_per_block + 1024) / 2 - 1024 - (states + 1024));
  }
};

}  // namespace tenon::detail

namespace tenon {
template <> struct cuda_skeleton<&schedules::grid> : detail::grid_planner {};
}  // namespace tenon
TENON_ONCE_END
