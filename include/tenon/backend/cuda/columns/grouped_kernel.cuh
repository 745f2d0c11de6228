// SPDX-License-Identifier: Apache-2.0
#pragma once
// The columns skeleton of rows that are groups of neighbouring columns, of which a cluster keeps
// some in its shared memory.

#include "tenon/backend/cuda/columns/kept.cuh"

namespace tenon {

// Owners: a cluster has a tile of up to blockDim.x vectors of V neighbouring columns, which are
// whole groups, and each of its blocks a slice of the positions. Registers: items vectors of each
// operand, three levels of states per column and reduction. Shared memory: what several sweeps need
// of the block's slice; one state per thread and column. Global memory: each operand is read once,
// what is not kept once per sweep, and each element store written once.
// @pre what is needed more than once is kept; no totals
// @post every store is written once per position; the split, and so the order of every sum, is a
// function of the shape
template <class Program, class C, unsigned long long Build, class Arguments>
__global__ void __launch_bounds__(C::threads_per_block, C::blocks)
    grouped_columns_kernel(const __grid_constant__ Arguments a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  registers<Program, place::launch> launch;
  registers<Program, place::row> rows[C::vector_width];
  registers<Program, place::element> no_element;
  registers<Program, place::total> total;
  frame<Program> f{launch, rows[0], no_element, total};
  start_early(f, a);
  kept_columns<Program, C> worker{{{{a}, launch, total, rows}}};
  worker.begin();
  if (threadIdx.x == 0 && threadIdx.y == 0 && blockIdx.x == 0) store_all<place::launch>(f, a);
  worker.bring();
  worker.reduce_all(std::make_integer_sequence<int, program_traits<Program>::row_phases>{});
  if constexpr (has_element_stores<Program>) worker.store_elements();
  if (worker.slice == 0) worker.end();  // the first block of a tile ends its rows
#endif
}

}  // namespace tenon
