// SPDX-License-Identifier: Apache-2.0
#pragma once
// Short calls of rows of few elements that are held: lanes load and store these by themselves.

#include "tenon/backend/cuda/rows/brief_worker.cuh"
#include "tenon/backend/cuda/rows/lone_elements.cuh"

namespace tenon {

// Owners: blockDim.x threads, a power of two, share a row, and thread `lane` owns its vectors lane,
// lane + lanes, ..., at most C::items; blocks have blockDim.y rows each. Registers: a lane's
// elements of the row and of what all rows share, a state for each of its vectors. Shared memory:
// none. Global memory: each operand is read once, each element store written once, element by
// element.
// @pre there are no totals; elements of every operand follow one another; a row has at most
// blockDim.x * C::items vectors; blocks are whole warps
// @post every store is written once per position; a row's bits are those that odd rows have
// (rows/odd_items.cuh), or aligned ones of whole vectors
template <class Program, class C, unsigned long long Build, class Arguments>
__global__ void __launch_bounds__(C::threads_per_block, C::blocks)
    lone_rows_kernel(const __grid_constant__ Arguments a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  registers<Program, place::launch> launch;
  registers<Program, place::row> row;
  registers<Program, place::element> element;
  registers<Program, place::total> total;
  frame<Program> f{launch, row, element, total};
  start_early(f, a);
  auto const finish = [&](auto worker) {
    worker.finish_alone(static_cast<long long>(blockIdx.x) * blockDim.y + threadIdx.y);
    int buffer = 0;
    end_launch<C::threads_per_block>(f, a, worker.of_rows, buffer);
  };
  // What a lane has by itself is less code, which short calls wait for.
  if (blockDim.x == 1)
    finish(brief_worker<Program, C, lone_elements<Program, C, true>>{a, f});
  else
    finish(brief_worker<Program, C, lone_elements<Program, C, false>>{a, f});
#endif
}

}  // namespace tenon
