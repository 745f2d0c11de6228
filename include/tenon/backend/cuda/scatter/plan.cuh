// SPDX-License-Identifier: Apache-2.0
#pragma once
// Cuts the result of a scatter into tiles, or into shares of blocks that list their updates.

#include "tenon/backend/cuda/scatter/kernel.cuh"
#include "tenon/backend/cuda/scatter/listed_plan.cuh"
#include "tenon/core/config.hpp"
#include "tenon/schedule/list.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct scatter_planner {
  static constexpr int threads = 256;
  // Of the states of a tile: six blocks share a multiprocessor.
  static constexpr int most_tile_bytes = 24576;
  // Tiles are made smaller until so many blocks are busy: a few positions that take in many updates
  // each would otherwise be one block's.
  static constexpr long long wanted_tiles = 132, least_elements = 2;

  static scatter_tiles tiles_of(scatter_axes const& axes, int state_bytes) {
    scatter_tiles result;
    while (result.lanes < threads && result.lanes < axes.others) result.lanes *= 2;
    long long elements = most_tile_bytes / state_bytes;
    while (elements > least_elements && axes.targets * axes.others / elements < wanted_tiles)
      elements /= 2;
    // Whole lanes first, then as many targets as fit; what is left widens the tile again.
    long long others = clamped(axes.others, 1, at_least(result.lanes, threads));
    long long const targets = clamped(elements / others, 1, at_least(1, axes.targets));
    while (others * 2 * targets <= elements && others < axes.others) others *= 2;
    result.targets = static_cast<int>(targets);
    result.others = static_cast<int>(clamped(others, 1, at_least(1, axes.others)));
    return result;
  }

  template <class Program>
  static cuda_plan plan(bound_layout const& layout, bound_arguments const& call,
                        cuda_device_facts const& facts) {
    if constexpr (target_varies_over_rows<Program>)
      return plan_tiles<Program>(layout, call);
    else
      return listed_planner::plan<Program>(layout, call, facts);
  }

 private:
  template <class Program>
  static cuda_plan plan_tiles(bound_layout const& layout, bound_arguments const& call) {
    constexpr configuration chosen{.threads_per_block = threads, .group_dims = max_rank};
    constexpr int state_bytes = static_cast<int>(sizeof(taken_updates<Program>));
    using arguments = scatter_tile_arguments<Program>;
    cuda_plan result;
    result.function = reinterpret_cast<void const*>(
        &scatter_kernel<Program, specialization_of<chosen>, build_hash, arguments>);
    result.chosen = chosen;
    result.why =
        "each tile of the result reads the indices of its places and takes in its updates in their "
        "order";
    result.block = dim3(threads);
    arguments prepared{};
    static_cast<widest_arguments<Program>&>(prepared) =
        widest_arguments<Program>::of(layout, call, chosen.vector_width, result.split);
    scatter_axes const axes = prepared.axes = scatter_axes::of<Program>(layout);
    scatter_tiles const tiles = prepared.tiles = tiles_of(axes, state_bytes);
    long long const blocks =
        divide_up(axes.targets, tiles.targets) * divide_up(axes.others, tiles.others);
    result.grid = dim3(static_cast<unsigned>(clamped(blocks, 1, most_blocks)));
    result.shared_bytes = static_cast<unsigned>(tiles.targets * tiles.others * state_bytes);
    prepare(result, prepared);
    return result;
  }
};

}  // namespace tenon::detail

namespace tenon {
template <> struct cuda_skeleton<&schedules::scatter> : detail::scatter_planner {};
}  // namespace tenon
TENON_ONCE_END
