// SPDX-License-Identifier: Apache-2.0
#pragma once
// The ordered skeleton: columns come in the order of their positions, and every operand element by
// element. It runs what needs either: reductions of blocks, and operands that are positions.

#include "tenon/backend/cuda/ordered/worker.cuh"
#include "tenon/backend/cuda/parts/ticket.cuh"

namespace tenon {

// Owners: with IsFlat, blocks take tiles of threads x items columns in turn, and the last partial
// results are combined over the grid; otherwise a block does one row after the other, all its tiles
// in order, once per phase. Thread t of a tile has `items` neighbouring columns. Registers: one
// element of every value, `items` times. Shared memory: one state per warp. Global memory: each
// operand is read once per phase that needs it, element by element.
// @pre blockDim.x is a multiple of 32; the slots of the workspace are 0
// @post every store is written once per position; the slots are 0 again
template <class Program, class C, unsigned long long Build, class Arguments>
__global__ void __launch_bounds__(C::threads_per_block, 1)
    ordered_kernel(const __grid_constant__ Arguments a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  constexpr bool is_flat = !C::is_looped;
  constexpr int threads = C::threads_per_block, phases = program_traits<Program>::row_phases;
  ordered_worker<Program, C::items, Arguments> worker{a};
  refuse_inexact_arithmetic();
  worker.template begin_launch<true>();
  int buffer = 0;
  if constexpr (is_flat) {
    long long const tile = static_cast<long long>(blockDim.x) * C::items;
    worker.begin_row(0);
    worker.template sweep<1, true>(blockIdx.x * tile, gridDim.x * tile);
    if constexpr (phases > 0) {
      using reductions = reductions_of<Program, place::row, 1>;
      if (!combine_grid<Program, reductions, threads>(worker.row, a.workspace, buffer)) return;
    } else {
      if (blockIdx.x != 0) return;
    }
    evaluate<place::row, 0, max_nodes>(worker.values());
    if (threadIdx.x == 0) worker.template store_values<place::row>();
  } else {
    using totals = reductions_of<Program, place::total, 0>;
    worker.template clear<totals>(worker.total);
    long_chains<Program, totals> of_rows;
    for (long long row = blockIdx.x; row < a.rows.size; row += gridDim.x) {
      worker.begin_row(row);
      worker.template run_phases<threads>(std::make_integer_sequence<int, phases>{});
      if (threadIdx.x == 0) {
        worker.template store_values<place::row>();
        worker.template accumulate<totals>(worker.values(), worker.total);
        of_rows.carry(worker.total);
      }
    }
    worker.await_without_row();
    if constexpr (program_traits<Program>::has_total) {
      of_rows.finish(worker.total);
      if (!combine_grid<Program, totals, threads>(worker.total, a.workspace, buffer)) return;
      evaluate<place::total, 0, max_nodes>(worker.values());
      if (threadIdx.x == 0) worker.template store_values<place::total>();
    } else {
      if (blockIdx.x != 0) return;
    }
  }
  if (threadIdx.x == 0) worker.template store_values<place::launch>();
#endif
}

}  // namespace tenon
