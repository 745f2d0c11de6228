// SPDX-License-Identifier: Apache-2.0
#pragma once
// The columns skeleton of long columns whose elements are changed by what these come to: all blocks
// of a group share a tile of them, and meet between the sweeps.

#include "tenon/backend/cuda/columns/meeting.cuh"

namespace tenon {

// Owners: block b is number b / groups of group b % groups, which has tiles b % groups, + groups,
// ... A tile is blockDim.x vectors of V neighbouring rows; a block has neighbouring slices of its
// positions, thread (x, y) positions y, y + height, ... of vector x. Registers: items vectors of
// each operand, three levels of states per row and reduction. Shared memory: what several sweeps
// need of the block's first positions, and a few turns that are under way; one state per thread and
// row. Global memory: each operand is read once per sweep that needs it, less what is kept, each
// element store written once; slices leave one state per row and reduction in the workspace.
// @pre all blocks are resident; the counters of the groups and the last ticket are 0
// @post every store is written once per position; the slices, and so the order of every sum, are a
// function of the shape; the counters and the ticket are 0 again
// Of planes the tiles of one meet together, and once more for what its rows come to.
template <class Program, class C, unsigned long long Build, class Arguments>
__global__ void __launch_bounds__(C::threads_per_block, C::blocks)
    meeting_columns_kernel(const __grid_constant__ Arguments a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  constexpr int phases =
      has_planes<C> ? program_traits<Program>::phases : program_traits<Program>::row_phases;
  registers<Program, place::launch> launch;
  registers<Program, place::row> rows[C::vector_width];
  registers<Program, place::element> no_element;
  registers<Program, place::total> total;
  frame<Program> f{launch, rows[0], no_element, total};
  start_early(f, a);
  await_operands<Program>();
  meeting_columns<Program, C> worker{{{{a}, launch, total, rows}}, a.share, {a, a.share}};
  auto const is_writer = [] { return threadIdx.x == 0 && threadIdx.y == 0; };
  if (is_writer() && blockIdx.x == 0) store_all<place::launch>(f, a);
#pragma unroll 1
  for (; worker.states.tile() < a.tiles; ++worker.states.round) {
    worker.begin_totals();
    worker.begin_tile();
    worker.reduce_all(std::make_integer_sequence<int, phases>{});
    if constexpr (has_element_stores<Program>) worker.store_elements();
    if (worker.states.rank() > 0) continue;  // the first block of a tile ends its rows
    worker.end_tile();
    if constexpr (!has_planes<C>)
      worker.end_totals(is_writer());
    else if (is_writer())
      worker.end_plane();
  }
  worker.states.end();
#endif
}

}  // namespace tenon
