// SPDX-License-Identifier: Apache-2.0
#pragma once
// A few rows of few elements that are held: a lane loads and stores one by itself.

#include "tenon/backend/cuda/rows/brief_worker.cuh"
#include "tenon/backend/cuda/rows/lone_elements.cuh"

namespace tenon {

// Owners: thread y of a block has row y of it. Registers: a row. Shared memory: what all rows
// share, of each warp. Global memory: each operand is read once, each element store written once,
// element by element.
// @pre as of few_rows_kernel (rows/few.cuh)
// @post every store is written once per position; a row's bits are those that odd rows have
// (rows/odd_items.cuh)
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
  brief_worker<Program, C, lone_elements<Program, C>> worker{a, f};
  worker.finish_alone(static_cast<long long>(blockIdx.x) * blockDim.y + threadIdx.y);
  int buffer = 0;
  end_launch<C::threads_per_block>(f, a, worker.of_rows, buffer);
#endif
}

}  // namespace tenon
