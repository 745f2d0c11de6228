// SPDX-License-Identifier: Apache-2.0
#pragma once
// Chooses the split and the grid of the grid skeleton.

#include "tenon/backend/cuda/grid.cuh"
#include "tenon/backend/cuda/plan_base.cuh"
#include "tenon/schedule/grid.hpp"

namespace tenon::detail {

struct grid_planner {
  // 16 KB of operands in flight per block, two blocks on a multiprocessor.
  template <class Program>
  static constexpr configuration chosen{.vector_width = element_operands<Program>::vector_width,
                                        .items = element_operands<Program>::loads <= 1   ? 4
                                                 : element_operands<Program>::loads <= 3 ? 2
                                                                                         : 1,
                                        .threads_per_block = 256,
                                        .group_dims = max_rank,
                                        .index_bits = 64};

  // How a row of that many vectors is split; a function of nothing else, because results depend on
  // it. 256 segments are one for each of two blocks of a multiprocessor, and 8 for each lane that
  // combines.
  struct row_split {
    int warps_per_team, segments;
  };
  static constexpr row_split split_of(long long vectors) {
    if (vectors <= 512) return {1, 1};
    int segments = 1;
    while (segments < 256 && 2 * segments * 1024ll <= vectors) segments *= 2;
    return {8, segments};
  }
  // Chunks of rows whose totals are combined; at least four for each team there may be.
  static constexpr long long most_chunks(int warps_per_team) {
    return warps_per_team == 1 ? 8448 : 1056;
  }

  template <class Program>
  [[gnu::cold]] static cuda_plan<Program> plan(bound_layout<Program> const& layout,
                                               bound_arguments<Program> const& call,
                                               cuda_device_facts const& facts) {
    constexpr configuration c = chosen<Program>;
    using special = specialization_of<c>;
    using kept = kept_tiles<Program, c.vector_width, c.items, c.threads_per_block>;
    cuda_plan<Program> result;
    result.function = reinterpret_cast<void const*>(
        &grid_kernel<Program, special, build_hash, grid_arguments<Program>>);
    result.chosen = c;
    result.block = dim3(c.threads_per_block);
    long long const rows = layout.rows.size,
                    vectors = divide_up(layout.columns.size, c.vector_width);
    row_split const split = split_of(vectors);
    grid_split to;
    to.warps_per_team = split.warps_per_team;
    to.segments = split.segments;
    // Segments begin at multiples of 32 vectors: whole cache lines for a warp.
    to.vectors_per_segment = divide_up(divide_up(vectors, split.segments), 32) * 32;
    to.tiles_per_segment = divide_up(to.vectors_per_segment, 32ll * split.warps_per_team * c.items);
    to.rows_per_chunk = at_least(1, divide_up(rows, most_chunks(split.warps_per_team)));
    to.chunks = divide_up(rows, to.rows_per_chunk);

    // With all shared memory first, then with what is used of it.
    long long const most_bytes = kept::bytes_per_tile > 0 ? shared_bytes(facts) : 0;
    int const teams = c.threads_per_block / (32 * split.warps_per_team);
    if (cudaFuncSetAttribute(result.function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(most_bytes)) != cudaSuccess)
      cudaGetLastError();  // the launch will say it
    result.shared_bytes = static_cast<unsigned>(most_bytes);
    long long const blocks = clamped(most_resident_groups(result, facts), 1,
                                     at_least(1, divide_up(rows * split.segments, teams)));
    // In whole chunks of rows where a chunk is several.
    long long const atom = to.rows_per_chunk > 1 ? to.rows_per_chunk * split.segments : 1;
    long long const units = rows * split.segments;
    to.units_per_team = at_least(1, divide_up(divide_up(units, atom), blocks * teams) * atom);
    if constexpr (kept::bytes_per_tile > 0)
      to.kept_tiles =
          clamped(most_bytes / kept::bytes_per_tile, 0, to.units_per_team * to.tiles_per_segment);
    result.shared_bytes = static_cast<unsigned>(to.kept_tiles * kept::bytes_per_tile);
    result.grid = dim3(static_cast<unsigned>(blocks));
    result.why = split.segments > 1 ? "rows shared by the blocks, which meet between phases"
                                    : "rows shared out to the blocks, which meet between phases";
    result.workspace_bytes =
        sizeof(unsigned) *
        static_cast<std::size_t>(first_grid_word +
                                 rows * split.segments * state_words_before<Program, place::row> +
                                 to.chunks * state_words_before<Program, place::total>);
    result.is_cooperative = blocks > 1;
    grid_arguments<Program> arguments{
        kernel_arguments<Program, max_rank, max_rank, 64>::of(layout, call, c.vector_width, {}),
        to};
    prepare(result, arguments);
    return result;
  }

 private:
  // Half of a multiprocessor's, less what the states take.
  static long long shared_bytes(cuda_device_facts const& facts) {
    return at_least(0, (facts.shared_bytes_per_block + 1024) / 2 - 1024 - 4096);
  }
};

}  // namespace tenon::detail

namespace tenon {
template <> struct cuda_skeleton<&schedules::grid> : detail::grid_planner {};
}  // namespace tenon
