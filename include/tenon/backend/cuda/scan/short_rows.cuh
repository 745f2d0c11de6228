// SPDX-License-Identifier: Apache-2.0
#pragma once
// Short rows, scanned side by side: some lanes of a warp have each, all of it in registers.

#include "tenon/backend/cuda/scan/kernel.cuh"

namespace tenon {

// Owners: blockDim.x lanes have a row, blockDim.y rows are a block's at a time. Registers: items
// vectors of each operand, and one element of every value, as many times. Shared memory: where
// memory does not have whole aligned vectors, a warp's on their way in and out. Global memory: each
// operand is read once.
// @pre blockDim.x is a power of two, at most 32, whose lanes' vectors are a row at least; the block
// is of whole warps; nothing is of all rows together
// @post every store is written once per position; a row's bits depend on its length alone
template <class Program, class C, unsigned long long Build, class Arguments>
__global__ void __launch_bounds__(C::threads_per_block, detail::scan_blocks_held<C>)
    short_scan_kernel(const __grid_constant__ Arguments a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  constexpr int phases = program_traits<Program>::row_phases;
  scanned_rows<Program, C, Arguments, team_of_lanes> worker{a};
  auto& team = worker.team;
  refuse_inexact_arithmetic();
  worker.template begin_launch<true>();
  int const rows_of_warp = 32 / static_cast<int>(blockDim.x),
            first_of_warp = static_cast<int>(threadIdx.y) & ~(rows_of_warp - 1);
  long long first = static_cast<long long>(blockIdx.x) * blockDim.y + first_of_warp;
  for (; first < a.row_count; first += static_cast<long long>(gridDim.x) * blockDim.y) {
    long long const row = first + (static_cast<int>(threadIdx.y) - first_of_warp);
    team.has_row = row < a.row_count;
    team.are_all_there = first + rows_of_warp <= a.row_count;
    worker.template begin_row<true>(team.has_row ? row : first);
    worker.finish_row(row, std::make_integer_sequence<int, phases>{});
    if (threadIdx.x == 0 && team.has_row) worker.template store_values<place::row>();
  }
  worker.await_without_row();
  if (blockIdx.x == 0 && threadIdx.x == 0 && threadIdx.y == 0)
    worker.template store_values<place::launch>();
#endif
}

}  // namespace tenon
