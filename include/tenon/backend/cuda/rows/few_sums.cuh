// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows of up to eight elements that pass once, or of a few more that lie apart, each of which a
// lane has by itself.

#include "tenon/backend/cuda/rows/apart.cuh"

namespace tenon {

// Owners: where the call is short, thread y of a block has row y of it; where elements lie apart,
// that or several neighbours; else a warp has rows_per_warp rows that lie one behind another, a
// lane every 32nd of them. Registers: a row, or as much as is under way. Shared memory: the rows of
// each warp, unless threads have rows by themselves. Global memory: the operand is read once,
// element by element or by memory's own vectors.
// @pre there are no totals; a row has at most tiny_worker::few elements, neighbours in memory, or
// lies apart along two axes at most; the rows follow one another as these do, unless threads have
// rows by themselves; the warps have all rows
// @post every store is written once per position; a row's bits are those that tiny_rows_kernel
// gives it
template <class Program, class C, unsigned long long Build, class Arguments>
__global__ void __launch_bounds__(C::threads_per_block, C::blocks)
    few_sums_kernel(const __grid_constant__ Arguments a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  registers<Program, place::launch> launch;
  registers<Program, place::row> row;
  registers<Program, place::element> element;
  registers<Program, place::total> total;
  frame<Program> f{launch, row, element, total};
  start_early(f, a);
  apart_worker<Program, C> worker{{a, f}};
  if (a.split.rows_apart > 0) {
    if constexpr (C::group_dims > contiguous_columns) {
      long long const number = static_cast<long long>(blockIdx.x) * blockDim.y + threadIdx.y;
      if (worker.rows_together > 1 && a.split.rows_apart > 1)
        worker.template finish_apart<worker.rows_together>(number);
      else
        worker.template finish_apart<1>(number);
    }
  } else if (a.is_short) {
    worker.finish_alone(static_cast<long long>(blockIdx.x) * blockDim.y + threadIdx.y);
  } else {
    int const warps = static_cast<int>(blockDim.y) / 32;
    long long const rows = a.split.rows_per_warp, first = (blockIdx.x * warps + worker.warp) * rows,
                    left = a.row_count - first;
    if (left > 0)
      worker.finish_few(first, static_cast<int>(left < rows ? left : rows));
    else
      await_operands<Program>();  // warps that have no rows
  }
  int buffer = 0;
  end_launch<C::threads_per_block>(f, a, worker.of_rows, buffer);
#endif
}

}  // namespace tenon
