// SPDX-License-Identifier: Apache-2.0
#pragma once
// Cuts the result of a scatter into tiles.

#include "tenon/backend/cuda/parts/plan_base.cuh"
#include "tenon/backend/cuda/scatter/kernel.cuh"
#include "tenon/core/config.hpp"
#include "tenon/schedule/list.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct scatter_planner {
  // Of the states of a tile: six blocks share a multiprocessor.
  static constexpr int most_tile_bytes = 24576;
  // Tiles are made smaller until so many blocks are busy: a few positions that take in many updates
  // each would otherwise be one block's.
  static constexpr long long wanted_tiles = 132, least_elements = 2;

  template <class Program> static scatter_split split_of(bound_layout const& layout) {
    using position = typename program_traits<Program>::template at<gate<Program>::position>;
    scatter_split result;
    for (int d = 0; d < layout.rows.dims; ++d)
      if (long long const stride = layout.loads[position::bits].row_strides[d])
        result.target_dim = d, result.step = stride, result.targets = layout.rows.extents[d];
    result.first_other = result.target_dim == 0 ? 1 : 0;
    result.others = result.targets == 0 ? 0 : layout.rows.size / result.targets;
    while (result.lanes < scatter_threads && result.lanes < result.others) result.lanes *= 2;
    long long elements = most_tile_bytes / static_cast<long long>(sizeof(taken_updates<Program>));
    while (elements > least_elements && layout.rows.size / elements < wanted_tiles) elements /= 2;
    // Whole lanes first, then as many targets as fit; what is left widens the tile again.
    long long others = clamped(result.others, 1, at_least(result.lanes, scatter_threads));
    long long const targets = clamped(elements / others, 1, at_least(1, result.targets));
    while (others * 2 * targets <= elements && others < result.others) others *= 2;
    result.tile_targets = static_cast<int>(targets);
    result.tile_others = static_cast<int>(clamped(others, 1, at_least(1, result.others)));
    return result;
  }

  template <class Program>
  static cuda_plan plan(bound_layout const& layout, bound_arguments const& call,
                        cuda_device_facts const&) {
    constexpr configuration chosen{.threads_per_block = scatter_threads, .group_dims = max_rank};
    using arguments = scatter_arguments<Program>;
    cuda_plan result;
    result.function = reinterpret_cast<void const*>(
        &scatter_kernel<Program, specialization_of<chosen>, build_hash, arguments>);
    result.chosen = chosen;
    result.why =
        "each tile of the result reads all indices and takes in its updates in their order";
    result.block = dim3(scatter_threads);
    arguments prepared{};
    static_cast<widest_arguments<Program>&>(prepared) =
        widest_arguments<Program>::of(layout, call, chosen.vector_width, result.split);
    scatter_split const tiles = prepared.tiles = split_of<Program>(layout);
    long long const blocks =
        divide_up(tiles.targets, tiles.tile_targets) * divide_up(tiles.others, tiles.tile_others);
    result.grid = dim3(static_cast<unsigned>(clamped(blocks, 1, most_blocks)));
    // Behind the tile, the updates that wait.
    result.shared_bytes = static_cast<unsigned>(
        tiles.tile_targets * tiles.tile_others * static_cast<int>(sizeof(taken_updates<Program>)) +
        scatter_threads * static_cast<int>(sizeof(update_registers<Program>)));
    prepare(result, prepared);
    return result;
  }
};

}  // namespace tenon::detail

namespace tenon {
template <> struct cuda_skeleton<&schedules::scatter> : detail::scatter_planner {};
}  // namespace tenon
TENON_ONCE_END
