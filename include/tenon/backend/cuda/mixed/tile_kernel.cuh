// SPDX-License-Identifier: Apache-2.0
#pragma once
// The mixed skeleton where rows are only reduced: the matrix is cut in tiles along both sides, and
// what they have of a row or of a column is combined when all blocks have come.

#include "tenon/backend/cuda/mixed/tile_finish.cuh"
#include "tenon/backend/cuda/parts/last_blocks.cuh"

namespace tenon {

// Owners: block b has tiles b, b + grid, ...; tile t is strip t % strips of the columns in part
// t / strips of the rows. Thread (x, y) has vector x of the strip in rows y, y + blockDim.y, ... of
// the part. Registers: items rows of one vector of each operand, and for each column the state of
// recent rows and of the others. Shared memory: a state per thread and column, when a tile is done.
// Global memory: each operand is read once; each tile leaves its states of the columns in the
// workspace, and, where there are several strips, those of the rows; each share of either leaves
// its totals, where they are late.
// @pre the grid is a function of the shape; the four words of last_blocks and the slots are 0
// @post every store is written once per position; the words are 0 again
template <class Program, class C, unsigned long long Build, class Arguments>
__global__ void __launch_bounds__(C::threads_per_block, 2)
    mixed_tiles_kernel(const __grid_constant__ Arguments a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  registers<Program, place::launch> launch;
  registers<Program, place::row> row;
  registers<Program, place::element> no_element;
  registers<Program, place::total> total;
  frame<Program> f{launch, row, no_element, total};
  start<false>(f, a);
  last_blocks others(a.workspace);
  start_totals(f);

  row_totals<Program> of_rows;
  tile_worker<Program, C> worker{a, f, of_rows};
  int const tiles = a.tiles * a.slices;
#pragma unroll 1
  for (int tile = static_cast<int>(blockIdx.x); tile < tiles; tile += static_cast<int>(gridDim.x)) {
    worker.begin(tile % a.tiles, tile / a.tiles);
    worker.sweep();
    if (tile + static_cast<int>(gridDim.x) >= tiles) others.look();
    worker.leave();
  }
  int buffer = 0;
  constexpr int totals = has_early_totals<Program>;
  if constexpr (totals > 0) leave_totals<C::threads_per_block>(f, a, buffer);
  long long const columns = divide_up(a.innermost, a.column_lanes * neighbours_finished),
                  rows = a.tiles == 1
                             ? 0
                             : divide_up(a.columns.size, a.row_lanes * neighbours_finished);
  constexpr bool is_late = has_late_totals<Program>;
  long long shares = totals + columns + rows;
  if (is_late && shares == 0) shares = 1;  // of no columns there is a total, too
  // Of rows that blocks have as wholes.
  unsigned const early = a.tiles == 1 ? gridDim.x : 0;
  late_totals<Program, C::threads_per_block> late(f, of_rows, buffer, a.workspace,
                                                  a.workspace + a.first_total_word,
                                                  early + static_cast<unsigned>(shares));
  if constexpr (is_late)
    if (early > 0) late.leave(blockIdx.x);
  others.share(shares, [&](long long visit) {
    if constexpr (totals > 0)
      if (visit == 0) return finish_totals<C::threads_per_block>(f, a, buffer);
    visit -= totals;
    if (visit < columns)
      finish_tile_columns(worker, visit);
    else
      finish_tile_rows(worker, visit - columns);
    if constexpr (is_late)
      late.leave_share(early + static_cast<unsigned>(visit), static_cast<unsigned>(shares), a);
  });
  if constexpr (totals > 0 || is_late) {
    if (blockIdx.x == 0 && (threadIdx.x | threadIdx.y) == 0) store_all<place::launch>(f, a);
  } else {
    end_launch<C::threads_per_block>(f, a, of_rows, buffer);
  }
#endif
}

}  // namespace tenon
