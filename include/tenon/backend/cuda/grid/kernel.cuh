// SPDX-License-Identifier: Apache-2.0
#pragma once
// The grid skeleton: all blocks go through a phase together and meet before the next one, so that a
// row may be shared by many blocks, and values over all rows may come back to rows and elements.

#include "tenon/backend/cuda/grid/worker.cuh"
#include "tenon/backend/cuda/parts/dynamic_shared.cuh"
#include "tenon/backend/cuda/parts/grid_barrier.cuh"

namespace tenon {
namespace detail {

// Of a multiprocessor at once. On sm_80 two leave too few registers for two operands of which much
// is computed, or for states of several numbers beside totals: the gradient of kl_div spilled 52
// bytes, that of cross entropy 20. So they do for rows of three operands of half types on any
// device: layer norm of rows in runs spilled 4 bytes, RMS norm with a residual 60.
template <class Program, bool AreOfPlanes>
inline constexpr int grid_blocks_held = [] {
  if (has_rows<Program> && has_element_stores<Program> && !program_traits<Program>::has_total &&
      element_operands<Program>::whole_loads >= 3 && program_traits<Program>::widest_element <= 2)
    return 1;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
  if (AreOfPlanes && program_traits<Program>::widest_element <= 2) return 1;  // spilled 8 bytes
  if (element_operands<Program>::loads > 1 && element_operands<Program>::has_much_arithmetic)
    return 1;
  if (has_large_states<Program> && program_traits<Program>::has_total) return 1;
#endif
  return 2;
}();

}  // namespace detail
#if defined(__CUDA_ARCH__)
namespace detail {

// One phase of all rows; then all blocks meet, where who needs a state does not wait for it.
template <int Phase, class Program, class C>
__device__ __forceinline__ void run_phases(grid_worker<Program, C>& worker) {
  constexpr int phases = program_traits<Program>::phases;
  worker.template pass<Phase>();
  if constexpr (Phase <= phases) {
    if (!worker.a.grid.is_marked()) meet_blocks(worker.a.workspace, Phase, phases);
    if constexpr (!totals_are_of_planes<C>) worker.template finish_totals<Phase>();
    run_phases<Phase + 1>(worker);
  }
}

// Planes without rows.
template <class Program>
__device__ __forceinline__ void store_empty_planes(frame<Program> const& f,
                                                   level_arguments<Program> const& a) {
  for_each_selected<Program, reductions_of<Program, place::total, 0>>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    read_register<k>(f.total) = reduction_facts<Program, k>::identity();
  });
  evaluate<place::total, 0, max_nodes>(f);
  for (long long plane = threadIdx.x; plane < a.planes; plane += blockDim.x)
    store_plane(f, a, plane * a.rows_per_plane);
}

}  // namespace detail
#endif

// Owners: a row is cut into tiles, and every so many-th of them are a segment, whose number follows
// from the row's length; the teams (warps, or blocks where rows are long) share the segments of all
// rows in stretches of equal length. Thread t of a team takes vectors t, t + lanes, ... of a tile.
// Registers: one tile of items vectors of each operand; up to four running states per reduction.
// Shared memory: tiles of each team as they lie in memory, the first kept_tiles for the whole
// launch and those under way in a ring, and one state per warp and reduction, of several segments,
// twice. Global memory: each operand is read once per phase that needs it, less what is kept, and
// each element store written once; beside the operands one state per segment and reduction.
// Where totals are of planes, a team finds those of the plane that its next row is in.
// @pre all blocks are resident; the first ticket in the workspace and the slots are 0
// @post every store is written once per position; a row's bits depend on its elements and their
// number alone, a total's on the shape and the elements; the ticket and the slots are 0 again
template <class Program, class C, unsigned long long Build, class Arguments>
__global__ void __launch_bounds__(
    C::threads_per_block, detail::grid_blocks_held<Program, detail::totals_are_of_planes<C>>)
    grid_kernel(const __grid_constant__ Arguments a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  registers<Program, place::launch> launch;
  registers<Program, place::row> row;
  registers<Program, place::element> element;
  registers<Program, place::total> total;
  frame<Program> f{launch, row, element, total};
  start<false>(f, a);
  int const lanes = a.grid.warps_per_team * 32;
  grid_worker<Program, C> worker{{a, f, static_cast<int>(threadIdx.x) % lanes, lanes},
                                 {dynamic_shared()}};
  worker.take_share();
  run_phases<1>(worker);
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    if constexpr (!totals_are_of_planes<C>) store_all<place::total>(f, a);
    store_all<place::launch>(f, a);
  }
  if constexpr (totals_are_of_planes<C>)
    if (a.row_count == 0) store_empty_planes(f, a);
  worker.of_all.end();
#endif
}

}  // namespace tenon
