// SPDX-License-Identifier: Apache-2.0
#pragma once
// The columns skeleton of rows that are groups of neighbouring columns, of which a cluster keeps
// some in its shared memory.

#include "tenon/backend/cuda/columns/grouped.cuh"

namespace tenon {

// Owners: a cluster has a tile of blockDim.x vectors of V neighbouring columns, which are whole
// groups, and each of its blocks a slice of the positions; thread (x, y) positions y, y + height,
// ... of vector x. Registers: items vectors of each operand, two levels of states for each part of
// a vector that is of one group, and what stays the same from position to position. Shared memory:
// what several sweeps need of the block's slice; one state per thread and part. Global memory: each
// operand is read once, what is neither kept nor stays once per sweep, and each element store
// written once.
// @pre what is needed more than once is kept; no totals
// @post every store is written once per position; the bits of a group follow from its elements and
// their number alone
template <class Program, class C, unsigned long long Build, class Arguments>
__global__ void __launch_bounds__(C::threads_per_block, C::blocks)
    grouped_columns_kernel(const __grid_constant__ Arguments a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  registers<Program, place::launch> launch;
  registers<Program, place::row> rows[C::vector_width / C::joined];
  registers<Program, place::element> no_element;
  registers<Program, place::total> total;
  frame<Program> f{launch, rows[0], no_element, total};
  start_early(f, a);
  grouped_columns<Program, C> worker{{{{{a}, launch, total, rows}}}, a.share, {a.share, a.slices}};
  worker.begin();
  if (threadIdx.x == 0 && threadIdx.y == 0 && blockIdx.x == 0) store_all<place::launch>(f, a);
  worker.bring();
  worker.finish();
  if (worker.slice == 0) worker.end();  // the first block of a tile ends its rows
#endif
}

}  // namespace tenon
