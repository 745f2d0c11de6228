// SPDX-License-Identifier: Apache-2.0
#pragma once
// Many rows of few elements that are held: a warp has some of them under way while it computes the
// ones before.

#include "tenon/backend/cuda/rows/brief_worker.cuh"

namespace tenon {

// Owners: a warp takes rows_per_warp rows at a time, that lie one behind another; blockDim.x
// threads, a power of two, share one: thread `lane` owns its vectors lane, lane + lanes, ..., at
// most C::items. The warps take the rows in turns, and ask for the next ones before they compute
// these. Registers: a lane's elements, a state for each of its vectors. Shared memory: the rows of
// each warp, those after them, and what is stored of them. Global memory: each operand is read
// once, each element store written once.
// @pre there are no totals; rows and elements of every operand that differs from row to row follow
// one another; a row has at most blockDim.x * C::items vectors
// @post every store is written once per position; a row's bits are those that odd rows have
// (rows/odd_items.cuh), or aligned ones of whole vectors
template <class Program, class C, unsigned long long Build, class Arguments>
__global__ void __launch_bounds__(C::threads_per_block, C::blocks)
    brief_rows_kernel(const __grid_constant__ Arguments a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  registers<Program, place::launch> launch;
  registers<Program, place::row> row;
  registers<Program, place::element> element;
  registers<Program, place::total> total;
  frame<Program> f{launch, row, element, total};
  start_early(f, a);
  brief_worker<Program, C> worker{a, f};
  long long const rows = a.split.rows_per_warp,
                  warps = static_cast<int>(blockDim.x * blockDim.y) / 32,
                  stride = gridDim.x * warps * rows;
  auto const count = [&](long long first) {
    long long const left = a.row_count - first;
    return static_cast<int>(left < rows ? left : rows);
  };
  long long first = (blockIdx.x * warps + worker.in.warp) * rows;
  await_operands<Program>();
  if (first < a.row_count) {
    worker.bring(first, count(first), 0);
    worker.bring_shared();
    int buffer = 0;
    do {
      long long const next = first + stride;
      if (next < a.row_count)
        worker.bring(next, count(next), buffer ^ 1);
      else
        end_of_copies();
      worker.finish_rows(first, count(first), buffer);
      first = next;
      asm volatile("" : "+l"(first));  // no number of the turn beside it
      buffer ^= 1;
    } while (first < a.row_count);
  }
  int buffer = 0;
  end_launch<C::threads_per_block>(f, a, worker.of_rows, buffer);
#endif
}

}  // namespace tenon
