// SPDX-License-Identifier: Apache-2.0
#pragma once
// The columns skeleton whose blocks, or clusters of them, keep a tile of rows in shared memory.

#include "tenon/backend/cuda/columns/kept.cuh"

namespace tenon {

// Owners: a cluster has a tile of blockDim.x vectors of V neighbouring rows, and each of its blocks
// a slice of the positions; thread (x, y) positions y, y + height, ... of vector x. Registers:
// items vectors of each operand, two levels of states for each row. Shared memory: what several
// sweeps need of the block's slice; one state per thread and row. Global memory: each operand is
// read once, what is not kept once per sweep, and each element store written once.
// @pre what is needed more than once is kept
// @post every store is written once per position; the bits of a row follow from its elements and
// from the shape alone
template <class Program, class C, unsigned long long Build, class Arguments>
__global__ void __launch_bounds__(C::threads_per_block, C::blocks)
    kept_columns_kernel(const __grid_constant__ Arguments a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  registers<Program, place::launch> launch;
  registers<Program, place::row> rows[C::vector_width];
  registers<Program, place::element> no_element;
  registers<Program, place::total> total;
  frame<Program> f{launch, rows[0], no_element, total};
  start_early(f, a);
  bool const is_writer = threadIdx.x == 0 && threadIdx.y == 0;
  columns_worker<Program, C> const reading{{{a}, launch, total, rows}};
  kept_columns<Program, C> worker{reading};
  worker.begin_totals();
  worker.begin();
  if (is_writer && blockIdx.x == 0) store_all<place::launch>(f, a);
  worker.bring();
  worker.reduce_all(std::make_integer_sequence<int, program_traits<Program>::row_phases>{});
  if constexpr (has_element_stores<Program>) worker.store_elements();
  if (worker.slice > 0) return;  // the first block of a tile ends its rows
  worker.end();
  worker.end_totals(is_writer);
#endif
}

}  // namespace tenon
