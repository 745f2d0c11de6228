// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows of few elements that are held, and that a lane has by itself: a warp brings all of its rows
// at once.

#include "tenon/backend/cuda/rows/brief_worker.cuh"

namespace tenon {

// Owners: a warp has rows_per_warp rows that lie one behind another, a lane every 32nd of them.
// Registers: a row. Shared memory: the rows of each warp, and what is stored of them. Global
// memory: each operand is read once, each element store written once.
// @pre there are no totals; rows and elements of every operand that differs from row to row follow
// one another; a row has at most C::vector_width * C::items elements; what a warp brings of an
// operand is at most 128 of memory's own vectors; the warps have all rows
// @post every store is written once per position; a row's bits are those that odd rows have
// (rows/odd_items.cuh)
template <class Program, class C, unsigned long long Build, class Arguments>
__global__ void __launch_bounds__(C::threads_per_block, C::blocks)
    few_rows_kernel(const __grid_constant__ Arguments a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  using worker_type = brief_worker<Program, C>;
  registers<Program, place::launch> launch;
  registers<Program, place::row> row;
  registers<Program, place::element> element;
  registers<Program, place::total> total;
  frame<Program> f{launch, row, element, total};
  start_early(f, a);
  worker_type worker{a, f};
  int const warps = static_cast<int>(blockDim.y) / 32;
  long long const rows = a.split.rows_per_warp,
                  first = (blockIdx.x * warps + worker.in.warp) * rows, left = a.row_count - first;
  await_operands<Program>();
  if (left > 0) {
    int const here = static_cast<int>(left < rows ? left : rows);
    typename worker_type::shared_values shared;  // asked for first: few rows are waited for
    worker.request_shared(shared, worker.in.thread);
    worker.bring(first, here, 0);
    worker.put_shared(shared, worker.in.thread);
    worker.finish_rows(first, here, 0);
  }
  int buffer = 0;
  end_launch<C::threads_per_block>(f, a, worker.of_rows, buffer);
#endif
}

}  // namespace tenon
