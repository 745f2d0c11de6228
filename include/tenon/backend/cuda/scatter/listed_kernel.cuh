// SPDX-License-Identifier: Apache-2.0
#pragma once
// The skeleton of a scatter whose targets are the same wherever in the rows of its result: blocks
// list the updates of their rows.

#include "tenon/backend/cuda/scatter/listed_share.cuh"

namespace tenon {

// Owners: a team of a block has one row in each step, a thread one vector of that; neighbours that
// many updates name are several blocks'. An element takes in its updates in their order, by parts
// of 32 which the block's other teams combine where a row has many; whatever else runs. Registers:
// the states of a vector, four updates of it. Shared memory: the list, and parts; of short rows the
// updates that wait for their owners. Global memory: every block reads all indices, again where its
// updates are more than are listed; every update that names a row, and what the result is computed
// from, is read and the result written once.
// @pre blockDim.x is listed_threads; vectors are whole, or V is 1
// @post every store is written once per position
template <class Program, class C, unsigned long long Build, class Arguments>
__global__ void __launch_bounds__(C::threads_per_block, C::blocks)
    listed_scatter_kernel(const __grid_constant__ Arguments a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  __shared__ update_list list;
  scatter_vector_worker<Program, C::vector_width, Arguments> worker{a};
  refuse_inexact_arithmetic();
  worker.begin_launch();
  for (long long b = blockIdx.x; b < a.shares.blocks; b += gridDim.x)
    scatter_share<Program, C::vector_width, Arguments>(
        worker, list, static_cast<unsigned>(b % a.shares.groups), b / a.shares.groups)
        .run();
#endif
}

}  // namespace tenon
